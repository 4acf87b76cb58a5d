//! What goes wrong is told, and what was there before is still there.

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{Boxes, FindError, FindSettings, PairFinder};
use jostle_gpu::{AdapterChoice, Gpu, GpuError, GpuFinder, ResidentFinder, adapter_list};

#[test]
fn an_unknown_adapter_is_refused_by_name() {
    let error = Gpu::open(&AdapterChoice::Named("no such thing".to_string())).unwrap_err();
    assert!(matches!(error, GpuError::UnknownAdapter { .. }), "{error}");
    assert!(error.to_string().contains("no such thing"), "{error}");
}

#[test]
fn a_software_adapter_must_be_asked_for() {
    let adapters = adapter_list();
    match Gpu::open(&AdapterChoice::Hardware) {
        Ok(gpu) => assert_ne!(gpu.description().kind, "software"),
        Err(GpuError::SoftwareOnly { name }) => {
            assert!(adapters.iter().all(|adapter| adapter.kind == "software"));
            assert!(Gpu::open(&AdapterChoice::Named(name)).is_ok());
        }
        Err(error) => assert_eq!(error, GpuError::NoAdapter),
    }
}

#[test]
fn a_lost_device_is_an_error_and_the_pairs_before_stay() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap();
    let mut finder = GpuFinder::new(&gpu).unwrap();
    let mut stream = BoxStream::new(StreamKind::Fast, 500, 1);
    let before = Boxes::from_aabbs(stream.boxes()).unwrap();
    finder.update(&before, &FindSettings::default()).unwrap();
    let pairs = finder.pairs().as_slice().to_vec();
    gpu.device().destroy();
    stream.advance();
    let after = Boxes::from_aabbs(stream.boxes()).unwrap();
    for _ in 0..2 {
        let error = finder.update(&after, &FindSettings::default()).unwrap_err();
        let FindError::Device { finder: name, reason } = &error else { panic!("{error}") };
        assert_eq!(name, "gpu");
        assert!(reason.contains("lost"), "{reason}");
        assert_eq!(finder.pairs().as_slice(), pairs);
    }
}

#[test]
fn too_many_boxes_and_pairs_say_what_is_needed() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap();
    let mut finder = ResidentFinder::new(&gpu).unwrap();
    let limit = gpu.binding_bytes();
    let error = finder.reserve_pairs(limit / 8 + 1000).unwrap_err();
    let GpuError::TooLarge { limit: allowed, need, .. } = error else { panic!("{error}") };
    assert_eq!(allowed, limit);
    assert!(need >= (limit / 8 + 1000) * 8, "{need}");
}
