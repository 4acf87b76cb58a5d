//! `auto` with a GPU among its finders: same pairs, same changes, whatever becomes of the device. Runs on any adapter,
//! also on a software one.

use std::process::Command;

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{
    Auto, Boxes, Catalog, DecideBy, Filter, FindError, FindSettings, Moved, PairFinder, RelayFinder, Sweep,
};
use jostle_gpu::{AdapterChoice, Gpu, GpuError, GpuFinder, adapter_list, auto, register};

/// One store that lives through several kinds of motion, with boxes coming, going and standing still in between. `auto`
/// with a device is compared with `auto` without, frame by frame. Returns what was told of each frame.
fn live_through(auto: &mut Auto, mut before_frame: impl FnMut(usize)) -> Vec<String> {
    let phases = [
        (StreamKind::Brownian, 700, 12),
        (StreamKind::Still, 700, 3),
        (StreamKind::Fast, 1500, 12),
        (StreamKind::Pile, 300, 12),
        (StreamKind::Brownian, 0, 4),
        (StreamKind::Disparity, 1100, 14),
    ];
    let mut plain = Auto::new(DecideBy::Work);
    let mut boxes = Boxes::default();
    let mut details = Vec::new();
    for (kind, n, frames) in phases {
        let mut stream = BoxStream::new(kind, n, 8);
        for id in 0..boxes.slots().max(n) as u32 {
            match (boxes.contains(id), (id as usize) < n) {
                (false, true) => boxes.insert(id, stream.boxes()[id as usize], Filter::default()).unwrap(),
                (true, true) => boxes.set(id, stream.boxes()[id as usize]).unwrap(),
                (true, false) => drop(boxes.remove(id).unwrap()),
                (false, false) => {}
            }
        }
        for _ in 0..frames {
            let frame = details.len();
            before_frame(frame);
            // Changes are not always asked for: then those of the next time are relative to a frame that told none.
            let settings = FindSettings {
                changes: frame % 7 != 3,
                canonical: frame % 7 != 5,
                ..FindSettings::default()
            };
            let detail = auto.update(&boxes, &settings).unwrap().detail.unwrap();
            plain.update(&boxes, &settings).unwrap();
            let context = format!("{}, frame {frame}: {detail}", kind.name());
            let in_order = |finder: &Auto| {
                let mut pairs = finder.pairs().as_slice().to_vec();
                if !settings.wants_order() {
                    pairs.sort_unstable();
                }
                pairs
            };
            assert!(in_order(auto) == in_order(&plain), "{context}");
            assert_eq!(auto.pairs().added(), plain.pairs().added(), "{context}");
            assert_eq!(auto.pairs().removed(), plain.pairs().removed(), "{context}");
            details.push(detail);
            stream.advance();
            boxes.update(Moved::Ids(stream.moved()), stream.boxes()).unwrap();
        }
    }
    details
}

fn frames_of_gpu(details: &[String]) -> usize {
    details.iter().filter(|detail| detail.starts_with("gpu: ")).count()
}

/// `auto` on a device that the test can take away.
fn on(gpu: &Gpu) -> Auto {
    let gpu = gpu.clone();
    Auto::with_device(DecideBy::Turns, "gpu", move || match GpuFinder::new(&gpu) {
        Ok(finder) => Ok(Box::new(finder) as Box<dyn RelayFinder>),
        Err(error) => Err(FindError::Device { finder: "gpu".to_string(), reason: error.to_string() }),
    })
}

#[test]
fn switching_to_the_gpu_and_back_is_invisible_in_the_pairs() {
    let mut auto = auto(DecideBy::Turns, &AdapterChoice::Any);
    auto.wait_for_device(1500);
    assert_eq!(auto.device_trouble(), None);
    let details = live_through(&mut auto, |_| {});
    assert!(frames_of_gpu(&details) >= 15, "{details:?}");
}

#[test]
fn a_gpu_lost_in_mid_run_is_given_up_in_the_same_frame() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap();
    let mut auto = on(&gpu);
    auto.wait_for_device(700);
    assert_eq!(auto.device_trouble(), None);
    let details = live_through(&mut auto, |frame| {
        // Frames 6, 7 and 8 are the first that are the GPU's.
        if frame == 7 {
            gpu.device().destroy();
        }
    });
    assert_eq!(frames_of_gpu(&details), 1, "{details:?}");
    assert!(details[7].starts_with("sweep: gpu given up: the GPU was lost"), "{details:?}");
    assert!(auto.device_trouble().unwrap().contains("lost"));
}

/// A place where no driver is to be found.
const NO_DRIVERS: &str = "/nowhere";

#[test]
fn without_a_gpu_auto_works_on_the_cpu_and_says_why() {
    let mut cases = vec![(AdapterChoice::Named("no such thing".to_string()), "no such thing")];
    if std::env::var_os("VK_DRIVER_FILES").is_some_and(|files| files == NO_DRIVERS) {
        assert_eq!(adapter_list(), Vec::new(), "there is no driver");
    }
    match Gpu::open(&AdapterChoice::Hardware) {
        Ok(gpu) => assert_ne!(gpu.description().kind, "software"),
        Err(GpuError::SoftwareOnly { .. }) => {
            cases.push((AdapterChoice::Hardware, "only the software adapter"));
        }
        Err(error) => {
            assert_eq!((error, adapter_list()), (GpuError::NoAdapter, Vec::new()));
            cases.push((AdapterChoice::Hardware, "no GPU was found; install"));
            cases.push((AdapterChoice::Any, "no GPU was found; install"));
        }
    }
    for (choice, said) in cases {
        let mut auto = auto(DecideBy::Turns, &choice);
        auto.wait_for_device(700);
        let details = live_through(&mut auto, |_| {});
        assert_eq!(frames_of_gpu(&details), 0, "{details:?}");
        assert!(details[0].contains("gpu left out: ") && details[0].contains(said), "{details:?}");
        assert!(auto.device_trouble().unwrap().contains(said), "{details:?}");
    }
}

#[test]
fn measured_or_not_chosen_the_pairs_are_those_of_the_cpu() {
    let n = 60_000;
    let mut auto = auto(DecideBy::Time, &AdapterChoice::Any);
    let mut sweep = Sweep::default();
    let settings = FindSettings { changes: true, ..FindSettings::default() };
    let mut stream = BoxStream::new(StreamKind::Fast, n, 3);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    for frame in 0..16 {
        // The device is opened beside the first frames, and ready in the others.
        if frame == 4 {
            auto.wait_for_device(n);
            assert_eq!(auto.device_trouble(), None);
        }
        let detail = auto.update(&boxes, &settings).unwrap().detail.unwrap();
        sweep.update(&boxes, &settings).unwrap();
        assert!(auto.pairs().as_slice() == sweep.pairs().as_slice(), "frame {frame}: {detail}");
        assert!(auto.pairs().added() == sweep.pairs().added(), "frame {frame}: {detail}");
        assert!(auto.pairs().removed() == sweep.pairs().removed(), "frame {frame}: {detail}");
        stream.advance();
        boxes.update(Moved::All, stream.boxes()).unwrap();
    }
}

#[test]
fn without_any_adapter_as_well() {
    // The test above again, where no driver is to be found.
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "without_a_gpu_auto_works_on_the_cpu_and_says_why"])
        .env("VK_DRIVER_FILES", NO_DRIVERS)
        .env("VK_ICD_FILENAMES", NO_DRIVERS)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn the_catalogue_has_an_auto_that_may_choose_it() {
    let mut catalog = Catalog::builtin();
    register(&mut catalog, &AdapterChoice::Any);
    let entry = catalog.get("auto").unwrap();
    assert!(entry.about.contains("GPU"), "{}", entry.about);
    assert_eq!(catalog.iter().filter(|entry| entry.name == "auto").count(), 1);
    let boxes = Boxes::from_aabbs(BoxStream::new(StreamKind::Pile, 300, 1).boxes()).unwrap();
    let mut finder = entry.make();
    let report = finder.update(&boxes, &FindSettings::default()).unwrap();
    assert_eq!(report.detail.unwrap().split(':').next(), Some("bvh"), "so few boxes are no work for a GPU");
}
