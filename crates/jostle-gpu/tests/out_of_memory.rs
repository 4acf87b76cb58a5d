//! A device whose memory is full says what it had no room for, what was there before is still there, and all works again
//! when there is room.
//!
//! The memory is really full: of a software adapter, whose memory is that of this process, because the process may have no
//! more; of a GPU because it was filled. So this file has one test, and it is alone in its process.

use std::process::Command;

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{
    Auto, Boxes, DecideBy, FindError, FindSettings, PairBuffer, PairFinder, RelayFinder, Sweep, verify,
};
use jostle_gpu::{AdapterChoice, Gpu, GpuError, GpuFinder, ResidentFinder, wgpu};

/// What the process may still ask for: enough for the CPU's part of this test, less than a driver asks for at a time.
const REST: u64 = 60 << 20;

/// Lets this process have so many bytes of addresses at most, or as many as it likes.
fn limit_addresses(bytes: Option<u64>) {
    let soft = bytes.map_or("unlimited".to_string(), |bytes| bytes.to_string());
    let pid = std::process::id().to_string();
    let done = Command::new("prlimit").args(["--pid", &pid, &format!("--as={soft}:")]).status().unwrap();
    assert!(done.success(), "prlimit: {done}");
}

fn addresses_in_use() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096
}

/// Takes what the device has left, in ever smaller pieces.
fn fill(gpu: &Gpu) -> Vec<wgpu::Buffer> {
    let mut held = Vec::new();
    let mut size = gpu.binding_bytes().min(1 << 31);
    if gpu.description().kind == "software" {
        limit_addresses(Some(addresses_in_use() + REST));
        size = 16 << 20;
    }
    while size >= 16 << 10 {
        let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("held"),
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        if pollster::block_on(scope.pop()).is_some() {
            size /= 2;
        } else {
            held.push(buffer);
        }
        assert!(held.len() < 100_000, "the memory of {} has no end", gpu.description().name);
    }
    held
}

/// Gives it back.
fn free(gpu: &Gpu, held: Vec<wgpu::Buffer>) {
    if gpu.description().kind == "software" {
        limit_addresses(None);
    }
    drop(held);
    gpu.wait().unwrap();
}

fn scene(kind: StreamKind, n: usize) -> Boxes {
    Boxes::from_aabbs(BoxStream::new(kind, n, 1).boxes()).unwrap()
}

fn lists(pairs: &PairBuffer) -> [Vec<jostle_broad::Pair>; 3] {
    [pairs.as_slice().to_vec(), pairs.added().to_vec(), pairs.removed().to_vec()]
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "limits this process as Linux does")]
fn a_full_device_says_what_it_needs_and_loses_nothing() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap();
    if !["software", "discrete"].contains(&gpu.description().kind) {
        eprintln!(
            "{} shares its memory with the machine, which is not filled for a test",
            gpu.description().name
        );
        return;
    }
    let settings = FindSettings { changes: true, ..FindSettings::default() };
    let (small, large) = (scene(StreamKind::Brownian, 2_000), scene(StreamKind::Brownian, 100_000));
    let mut resident = ResidentFinder::new(&gpu).unwrap();
    resident.reserve_pairs(5_000).unwrap();
    let mut finder = GpuFinder::new(&gpu).unwrap();
    finder.update(&small, &settings).unwrap();
    let before = lists(finder.pairs());
    let shared = gpu.clone();
    let mut auto = Auto::with_device(DecideBy::Turns, "gpu", move || {
        let finder = GpuFinder::new(&shared);
        finder
            .map(|finder| Box::new(finder) as Box<dyn RelayFinder>)
            .map_err(|error| FindError::Device { finder: "gpu".to_string(), reason: error.to_string() })
    });
    auto.wait_for_device(2_000);
    let mut plain = Sweep::default();
    // The first six frames are the CPU's, the seventh and eighth the GPU's.
    for frame in 0..7 {
        // Another store each time, so that there is something to do.
        auto.update(&small.clone(), &settings).unwrap();
        plain.update(&small.clone(), &settings).unwrap();
        assert_eq!(auto.chosen() == Some("gpu"), frame == 6);
    }

    let held = fill(&gpu);
    let error = resident.reserve_pairs(4 << 20).unwrap_err();
    assert_eq!(error, GpuError::OutOfMemory { what: "pairs", bytes: 32 << 20 });
    for _ in 0..2 {
        let error = finder.update(&large, &settings).unwrap_err();
        let FindError::Device { finder: name, reason } = &error else { panic!("{error}") };
        assert_eq!(name, "gpu");
        assert!(reason.contains("the GPU has no ") && reason.contains(" bytes left for "), "{reason}");
        assert_eq!(lists(finder.pairs()), before);
    }
    // `auto` goes on in the same frame, and tells the changes since the last one that went well.
    let detail = auto.update(&large, &settings).unwrap().detail.unwrap();
    plain.update(&large, &settings).unwrap();
    assert!(detail.starts_with("sweep: gpu given up: the GPU has no "), "{detail}");
    assert!(lists(auto.pairs()) == lists(plain.pairs()), "{detail}");
    assert!(!auto.pairs().removed().is_empty() && auto.pairs().added().len() > 100_000);

    free(&gpu, held);
    resident.reserve_pairs(4 << 20).unwrap();
    assert!(resident.pair_capacity() >= 4 << 20);
    finder.update(&large, &settings).unwrap();
    assert_eq!(verify::verify(&large, finder.pairs().as_slice()), Ok(()));
    auto.update(&small, &settings).unwrap();
    assert_ne!(auto.chosen(), Some("gpu"), "what was given up stays so");
}
