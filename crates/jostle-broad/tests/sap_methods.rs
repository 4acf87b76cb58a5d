//! What the two sweep-and-prune finders promise beyond agreement: they notice when repairing costs too much, they
//! touch only what moved, and a refused update leaves them usable.

use glam::Vec3;
use jostle_broad::scene::{BoxStream, Random, StreamKind};
use jostle_broad::verify::true_pairs;
use jostle_broad::{
    Aabb, Boxes, Filter, FindError, FindReport, FindSettings, Moved, OverlapMethod, PairFinder, Sap, SapSimd,
};

fn finders() -> Vec<Box<dyn PairFinder>> {
    vec![
        Box::new(Sap::default()),
        Box::new(SapSimd::new(OverlapMethod::BetweenEndpoints)),
        Box::new(SapSimd::new(OverlapMethod::ChangedAgainstAll)),
    ]
}

fn check(finder: &mut dyn PairFinder, boxes: &Boxes, context: &str) -> FindReport {
    let settings = FindSettings { changes: true, ..FindSettings::default() };
    let before = finder.pairs().as_slice().to_vec();
    let report = finder.update(boxes, &settings).unwrap();
    let truth = true_pairs(boxes);
    assert_eq!(finder.pairs().as_slice(), truth, "{context}: {report:?}");
    let added: Vec<_> = truth.iter().filter(|pair| !before.contains(pair)).copied().collect();
    let removed: Vec<_> = before.iter().filter(|pair| !truth.contains(pair)).copied().collect();
    assert_eq!((finder.pairs().added(), finder.pairs().removed()), (&added[..], &removed[..]), "{context}");
    report
}

fn detail(report: &FindReport) -> &str {
    report.detail.as_deref().unwrap()
}

#[test]
fn a_pair_limit_leaves_the_finder_usable() {
    for mut finder in finders() {
        let mut stream = BoxStream::new(StreamKind::Brownian, 400, 5);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        check(&mut *finder, &boxes, "before the limit");
        let held = finder.pairs().as_slice().to_vec();
        // First all move, then a few: both ways of handing over pairs are refused.
        for moved in [400, 5] {
            stream.advance();
            let ids: Vec<u32> = (0..moved).collect();
            boxes.update(Moved::Ids(&ids), stream.boxes()).unwrap();
            let settings = FindSettings { pair_limit: Some(3), ..FindSettings::default() };
            let need = true_pairs(&boxes).len();
            let refused = finder.update(&boxes, &settings).unwrap_err();
            assert_eq!(refused, FindError::TooManyPairs { limit: 3, need }, "{moved} moved");
            assert_eq!(finder.pairs().as_slice(), held, "{moved} moved");
        }
        check(&mut *finder, &boxes, "after the limit");
        boxes.remove(7).unwrap();
        check(&mut *finder, &boxes, "and on");
    }
}

#[test]
fn boxes_come_and_go_in_a_large_scene() {
    for mut finder in finders() {
        let mut random = Random::new(3);
        let mut stream = BoxStream::new(StreamKind::Disparity, 3000, 9);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        check(&mut *finder, &boxes, "first frame");
        for round in 0..12u32 {
            stream.advance();
            for _ in 0..20 {
                let id = random.below(3000) as u32;
                match random.below(4) {
                    0 => drop(boxes.remove(id)),
                    1 => drop(boxes.insert(id, stream.boxes()[id as usize], Filter::default())),
                    2 => drop(boxes.set_filter(id, Filter::sensor())),
                    _ => drop(boxes.set(id, stream.boxes()[random.below(3000)])),
                }
            }
            // Large boxes that rest enclose small ones that move.
            if round == 4 {
                let ground = Aabb::new(Vec3::splat(-1e6), Vec3::new(1e6, 20.0, 1e6));
                boxes.insert(9000, ground, Filter::fixed()).unwrap();
            }
            let report = check(&mut *finder, &boxes, &format!("round {round}"));
            assert!(report.moved <= 21, "{report:?}");
        }
    }
}

#[test]
fn persistent_lists_are_repaired_while_boxes_move_little() {
    for (kind, most_moved) in [(StreamKind::Brownian, 1000), (StreamKind::Still10, 150)] {
        let mut stream = BoxStream::new(kind, 1000, 2);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        let mut finder = Sap::default();
        assert!(detail(&check(&mut finder, &boxes, "first")).contains("swept anew"));
        for moved in [Moved::All, Moved::Ids(&(0..1000).collect::<Vec<u32>>())] {
            stream.advance();
            boxes.update(moved, stream.boxes()).unwrap();
            let report = check(&mut finder, &boxes, kind.name());
            assert!(detail(&report).contains("swaps"), "{report:?}");
            assert!(report.moved > 0 && report.moved <= most_moved, "{report:?}");
        }
        let report = check(&mut finder, &boxes, "again");
        assert_eq!((report.moved, report.tests, detail(&report)), (0, 0, "nothing changed"));
    }
}

#[test]
fn scenes_without_coherence_are_swept_and_coherence_is_taken_up_again() {
    let mut random = Random::new(8);
    let mut boxes = Boxes::default();
    for id in 0..2000 {
        boxes.insert(id, Aabb::new(Vec3::ZERO, Vec3::ONE), Filter::default()).unwrap();
    }
    let mut finder = Sap::default();
    let mut simd = SapSimd::default();
    let (mut details, mut simd_details) = (Vec::new(), Vec::new());
    for frame in 0..30 {
        for id in 0..2000 {
            let corner = if frame < 10 {
                random.vector() * 12.0
            } else {
                boxes.get(id).unwrap().min + random.vector() * 1e-4
            };
            boxes.set(id, Aabb::new(corner, corner + 1.0)).unwrap();
        }
        let settings = FindSettings::default();
        let truth = true_pairs(&boxes);
        let report = finder.update(&boxes, &settings).unwrap();
        assert_eq!(finder.pairs().as_slice(), truth, "frame {frame}: {report:?}");
        details.push(detail(&report).to_string());
        let report = simd.update(&boxes, &settings).unwrap();
        assert_eq!(simd.pairs().as_slice(), truth, "frame {frame}: {report:?}");
        simd_details.push(detail(&report).to_string());
    }
    // Once too many swaps, then swept without trying, then tried again.
    assert!(details[1].contains("too many swaps"), "{details:?}");
    assert!(details[2].contains("move far"), "{details:?}");
    assert!(details[3].contains("too many swaps"), "{details:?}");
    assert!(details[29].contains("swaps on x"), "{details:?}");
    assert!(simd_details[..10].iter().all(|detail| detail.starts_with('3')), "{simd_details:?}");
    assert!(simd_details[29].starts_with('0'), "{simd_details:?}");
}

#[test]
fn against_all_refuses_more_boxes_than_it_can_test() {
    let stream = BoxStream::new(StreamKind::Brownian, 20, 1);
    let boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut finder = SapSimd::new(OverlapMethod::ChangedAgainstAll);
    assert_eq!(PairFinder::size_limit(&finder), Some(50_000));
    finder.size_limit = Some(19);
    let refused = finder.update(&boxes, &FindSettings::default()).unwrap_err();
    assert_eq!(refused, FindError::TooManyBoxes { finder: "sap-simd".to_string(), limit: 19, need: 20 });
    assert_eq!(PairFinder::size_limit(&SapSimd::default()), None);
}
