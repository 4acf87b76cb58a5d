//! `auto` with a finder from outside: whatever becomes of the device, the pairs and their changes are those of brute
//! force, and what failed is told. The device here is a made-up one that fails on command; `jostle-gpu` has the same
//! tests with a real interface.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{
    Auto, Boxes, Brute, DecideBy, FindError, FindReport, FindSettings, Moved, PairBuffer, PairFinder,
    RelayFinder, Sweep,
};

/// A finder on the CPU that calls itself a device.
struct Device {
    finder: Sweep,
    fails: Arc<AtomicBool>,
}

fn trouble(reason: &str) -> FindError {
    FindError::Device { finder: "made-up".to_string(), reason: reason.to_string() }
}

impl PairFinder for Device {
    fn name(&self) -> &str {
        "made-up"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        if self.fails.load(Ordering::Relaxed) {
            return Err(trouble("the device was lost"));
        }
        self.finder.update(boxes, settings)
    }

    fn pairs(&self) -> &PairBuffer {
        self.finder.pairs()
    }

    fn bytes(&self) -> usize {
        self.finder.bytes()
    }
}

impl RelayFinder for Device {
    fn hand_over(&mut self) -> PairBuffer {
        self.finder.hand_over()
    }

    fn take_over(&mut self, pairs: PairBuffer) {
        self.finder.take_over(pairs);
    }
}

fn auto(decide_by: DecideBy, fails: &Arc<AtomicBool>) -> Auto {
    let fails = Arc::clone(fails);
    Auto::with_device(decide_by, "made-up", move || Ok(Box::new(Device { finder: Sweep::default(), fails })))
}

/// What was told in each frame, while pairs and changes are compared with brute force.
fn details(auto: &mut Auto, frames: usize, mut before_frame: impl FnMut(usize)) -> Vec<String> {
    let settings = FindSettings { changes: true, ..FindSettings::default() };
    let mut stream = BoxStream::new(StreamKind::Fast, 400, 5);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut brute = Brute::default();
    let mut details = Vec::new();
    for frame in 0..frames {
        before_frame(frame);
        let report = auto.update(&boxes, &settings).unwrap();
        brute.update(&boxes, &settings).unwrap();
        let detail = report.detail.unwrap();
        assert_eq!(auto.pairs().as_slice(), brute.pairs().as_slice(), "frame {frame}: {detail}");
        assert_eq!(auto.pairs().added(), brute.pairs().added(), "frame {frame}: {detail}");
        assert_eq!(auto.pairs().removed(), brute.pairs().removed(), "frame {frame}: {detail}");
        details.push(detail);
        stream.advance();
        boxes.update(Moved::All, stream.boxes()).unwrap();
    }
    details
}

fn frames_of(details: &[String], name: &str) -> usize {
    details.iter().filter(|detail| detail.split(':').next() == Some(name)).count()
}

#[test]
fn switching_to_a_device_and_back_is_invisible_in_the_pairs() {
    let mut auto = auto(DecideBy::Turns, &Arc::default());
    auto.wait_for_device(400);
    let details = details(&mut auto, 40, |_| {});
    for name in ["sweep", "bvh", "made-up"] {
        assert!(frames_of(&details, name) >= 12, "{name}: {details:?}");
    }
    assert_eq!(auto.device_trouble(), None);
}

#[test]
fn a_device_that_fails_in_mid_run_is_given_up_in_the_same_frame() {
    // At its first real frame, in the middle of its turn, and where another one is at work.
    for fails_at in [6, 8, 10] {
        let fails = Arc::new(AtomicBool::new(false));
        let mut auto = auto(DecideBy::Turns, &fails);
        auto.wait_for_device(400);
        let details = details(&mut auto, 30, |frame| fails.store(frame >= fails_at, Ordering::Relaxed));
        let told: Vec<usize> = (0..30).filter(|&frame| details[frame].contains("given up")).collect();
        let noticed = if fails_at < 9 { fails_at } else { 15 };
        assert_eq!(told, [noticed], "{details:?}");
        assert!(details[noticed].starts_with("sweep: made-up given up: the device was lost"), "{details:?}");
        assert_eq!(frames_of(&details[noticed..], "made-up"), 0, "{details:?}");
        assert_eq!(auto.device_trouble(), Some("the device was lost"));
    }
}

#[test]
fn a_device_that_does_not_open_or_rehearse_is_left_out_and_told_once() {
    let lost = Arc::new(AtomicBool::new(true));
    let absent = || Err(trouble("there is none"));
    let broken = || -> Result<Box<dyn RelayFinder>, FindError> { panic!("the driver went down") };
    for (mut auto, reason) in [
        (auto(DecideBy::Turns, &lost), "the device was lost"),
        (Auto::with_device(DecideBy::Turns, "made-up", absent), "there is none"),
        (Auto::with_device(DecideBy::Turns, "made-up", broken), "it panicked while opening"),
    ] {
        auto.wait_for_device(400);
        let details = details(&mut auto, 10, |_| {});
        assert!(details[0].contains(&format!("made-up left out: {reason}")), "{details:?}");
        assert_eq!(details.iter().filter(|detail| detail.contains("left out")).count(), 1, "{details:?}");
        assert_eq!(frames_of(&details, "made-up"), 0, "{details:?}");
        assert_eq!(auto.device_trouble(), Some(reason));
    }
}

#[test]
fn a_device_with_wrong_pairs_does_not_pass_the_rehearsal() {
    /// Forgets the pairs it was told to find.
    struct Blind(PairBuffer);
    impl PairFinder for Blind {
        fn name(&self) -> &str {
            "blind"
        }
        fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
            self.0.replace([], settings)?;
            Ok(FindReport { boxes: boxes.len(), ..FindReport::default() })
        }
        fn pairs(&self) -> &PairBuffer {
            &self.0
        }
        fn bytes(&self) -> usize {
            0
        }
    }
    impl RelayFinder for Blind {
        fn hand_over(&mut self) -> PairBuffer {
            std::mem::take(&mut self.0)
        }
        fn take_over(&mut self, pairs: PairBuffer) {
            self.0 = pairs;
        }
    }
    let mut auto = Auto::with_device(DecideBy::Turns, "blind", || Ok(Box::new(Blind(PairBuffer::default()))));
    auto.wait_for_device(400);
    assert!(auto.device_trouble().unwrap().contains("wrong pairs"));
    details(&mut auto, 8, |_| {});
}

#[test]
fn by_counted_work_there_is_no_device_and_few_boxes_open_none() {
    for decide_by in [DecideBy::Work, DecideBy::Time] {
        let mut auto = Auto::with_device(decide_by, "made-up", || panic!("nobody asked for it"));
        if decide_by == DecideBy::Work {
            auto.wait_for_device(1_000_000);
        }
        details(&mut auto, 12, |_| {});
        assert_eq!(auto.device_trouble(), None);
    }
}

#[test]
fn a_limit_on_pairs_is_the_callers_affair_and_no_failure_of_the_device() {
    let mut auto = auto(DecideBy::Turns, &Arc::default());
    auto.wait_for_device(400);
    let boxes = Boxes::from_aabbs(BoxStream::new(StreamKind::Pile, 400, 5).boxes()).unwrap();
    let narrow = FindSettings { pair_limit: Some(3), ..FindSettings::default() };
    for _ in 0..9 {
        let error = auto.update(&boxes, &narrow).unwrap_err();
        assert!(matches!(error, FindError::TooManyPairs { limit: 3, .. }), "{error}");
    }
    assert_eq!(auto.device_trouble(), None);
}
