//! Few boxes changed, boxes that stray, boxes of all sizes.

use jostle_broad::glam::Vec3;
use jostle_broad::scene::{BoxStream, Random, StreamKind};
use jostle_broad::verify::{true_pairs, verify};
use jostle_broad::{Aabb, Boxes, Bvh, Filter, FindError, FindSettings, Moved, PairFinder};

use super::{Follower, check_all};

#[test]
fn few_changes_among_many_boxes() {
    const N: usize = 2600;
    let stream = BoxStream::new(StreamKind::Disparity, N, 5);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut random = Random::new(9);
    let mut next_id = N as u32;
    let mut followers = Follower::all();
    check_all(&mut followers, &boxes);
    for frame in 0..30 {
        // Few and many: some look around, or all blocks are crossed.
        let changes = [random.below(12), N / 32, N / 5, 5, N / 3][frame % 5];
        for _ in 0..changes {
            let ids: Vec<u32> = boxes.ids().collect();
            let id = ids[random.below(ids.len())];
            let other = ids[random.below(ids.len())];
            match random.below(12) {
                0 => {
                    boxes.remove(id).unwrap();
                }
                // Into the slot of one that left, as a rule.
                1 => {
                    let there = boxes.get(id).unwrap();
                    boxes.insert(next_id, there.inflate(1.0), Filter::default()).unwrap();
                    next_id += 1;
                }
                2 => boxes.set_filter(id, Filter::fixed()).unwrap(),
                3 => boxes.set_filter(id, Filter::default()).unwrap(),
                4 => {
                    boxes.exclude(id, other);
                    boxes.include(ids[0], ids[1]);
                }
                // To the other end of the world.
                5 => boxes.set(id, boxes.get(other).unwrap()).unwrap(),
                6 if random.below(20) == 0 => boxes.set(id, Aabb::EVERYWHERE).unwrap(),
                _ => {
                    let there = boxes.get(id).unwrap();
                    let by = random.direction() * if there.is_finite() { 3.0 } else { 0.0 };
                    boxes.set(id, Aabb::new(there.min + by, there.max + by)).unwrap();
                }
            }
        }
        if frame % 7 == 3 {
            // Refused, the pairs stay, and the next update is right.
            for follower in &mut followers {
                let limited = FindSettings { pair_limit: Some(3), ..follower.settings.clone() };
                follower.finder.update(&boxes, &limited).unwrap_err();
                assert_eq!(follower.finder.pairs().as_slice(), follower.before);
            }
        }
        if frame == 9 {
            // The same boxes in another store.
            boxes = boxes.clone();
        }
        check_all(&mut followers, &boxes);
    }
}

/// Frames in which few boxes move do not write down what overlaps; those in which all do compare with it.
#[test]
fn few_and_all_boxes_move_in_turns() {
    const N: usize = 1500;
    let mut stream = BoxStream::new(StreamKind::Brownian, N, 5);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    for id in (0..N as u32).step_by(3) {
        boxes.set_filter(id, Filter::fixed()).unwrap();
    }
    let mut random = Random::new(4);
    let mut followers = Follower::all();
    for frame in 0..24 {
        match frame % 6 {
            // One, some, as many as just count as few, and more.
            share @ 0..4 => {
                for _ in 0..[1, 20, N / 6, N / 5][share] {
                    let id = random.below(N) as u32;
                    let there = boxes.get(id).unwrap();
                    let by = random.direction() * 0.3;
                    boxes.set(id, Aabb::new(there.min + by, there.max + by)).unwrap();
                }
                if let (3, [pair, ..]) = (share, followers[0].before.as_slice()) {
                    // It goes, whatever overlaps: what overlapped is to be recalled as the filters were.
                    boxes.exclude(pair.low, pair.high);
                }
            }
            _ => {
                stream.advance();
                boxes.update(Moved::All, stream.boxes()).unwrap();
            }
        }
        check_all(&mut followers, &boxes);
    }
}

/// A frame in which few boxes move may find more pairs than are allowed, too.
#[test]
fn few_movers_that_are_worth_several_threads() {
    let mut stream = BoxStream::new(StreamKind::Still10, 60_000, 5);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut followers = Follower::all();
    for _ in 0..4 {
        check_all(&mut followers, &boxes);
        stream.advance();
        assert!(stream.moved().len() > 5000);
        boxes.update(Moved::Ids(stream.moved()), stream.boxes()).unwrap();
    }
}

#[test]
fn few_movers_keep_to_the_limit() {
    let stream = BoxStream::new(StreamKind::Brownian, 3000, 5);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut finder = Bvh::default();
    finder.update(&boxes, &FindSettings::default()).unwrap();
    let before = finder.pairs().as_slice().to_vec();
    let settings = FindSettings { pair_limit: Some(before.len()), ..FindSettings::default() };
    // A few more than there may be, and so many that they are not even listed.
    for everywhere in [1, 40] {
        let mut crowded = boxes.clone();
        let mut finder = Bvh::default();
        finder.update(&crowded, &settings).unwrap();
        for id in 0..everywhere {
            crowded.set(id * 7, Aabb::EVERYWHERE).unwrap();
        }
        let need = true_pairs(&crowded).len();
        let refused = finder.update(&crowded, &settings).unwrap_err();
        assert_eq!(refused, FindError::TooManyPairs { limit: before.len(), need });
        assert_eq!(finder.pairs().as_slice(), before);
    }
    boxes.set(0, Aabb::EVERYWHERE).unwrap();
    finder.update(&boxes, &FindSettings::default()).unwrap();
    assert_eq!(finder.pairs().as_slice(), true_pairs(&boxes));
}

/// A few boxes that go to the other end of the world, or become as large as it, may not cost more than all boxes do.
#[test]
fn few_movers_that_go_far_or_reach_far_cost_no_more_than_all() {
    const N: usize = 20_000;
    let stream = BoxStream::new(StreamKind::Brownian, N, 5);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut random = Random::new(4);
    let (mut finder, settings) = (Bvh::default(), FindSettings::default());
    let all = finder.update(&boxes, &settings).unwrap();
    // Each tenth and each hundredth box to any other's place.
    for movers in [N / 10, N / 100] {
        for _ in 0..movers {
            let (id, other) = (random.below(N) as u32, random.below(N) as u32);
            boxes.set(id, boxes.get(other).unwrap()).unwrap();
        }
        let report = finder.update(&boxes, &settings).unwrap();
        assert_eq!(finder.pairs().as_slice(), true_pairs(&boxes), "{movers} movers");
        let times = report.tests as f64 / all.tests as f64;
        assert!(times < 3.0, "{movers} movers took {times:.1} times the tests of all");
        assert!(report.bytes < 2 * all.bytes, "{} bytes, {} for all", report.bytes, all.bytes);
    }
    let limited = FindSettings { pair_limit: Some(60_000), ..settings };
    finder.update(&boxes, &limited).unwrap();
    for id in 0..N as u32 / 100 {
        boxes.set(id * 100, Aabb::EVERYWHERE).unwrap();
    }
    let FindError::TooManyPairs { limit, need } = finder.update(&boxes, &limited).unwrap_err() else {
        panic!("another error");
    };
    assert!(limit == 60_000 && need > 3_000_000, "{limit} {need}");
    assert!(finder.bytes() < 2 * all.bytes, "{} bytes, {} for all", finder.bytes(), all.bytes);
}

#[test]
fn a_limit_of_any_size_is_a_limit() {
    let mut stream = BoxStream::new(StreamKind::Brownian, 500, 5);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    for limit in [usize::MAX, usize::MAX / 2, 1 << 40] {
        let settings = FindSettings { pair_limit: Some(limit), ..FindSettings::default() };
        let mut finder = Bvh::default();
        for _ in 0..2 {
            finder.update(&boxes, &settings).unwrap();
            assert_eq!(finder.pairs().as_slice(), true_pairs(&boxes));
            stream.advance();
            boxes.update(Moved::All, stream.boxes()).unwrap();
        }
    }
}

/// Most boxes leave: neither time nor memory may stay those of the full scene.
#[test]
fn a_scene_that_empties_gives_memory_back() {
    let stream = BoxStream::new(StreamKind::Brownian, 20_000, 5);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut finder = Bvh::default();
    let full = finder.update(&boxes, &FindSettings::default()).unwrap().bytes;
    for id in 500..20_000 {
        boxes.remove(id).unwrap();
    }
    finder.update(&boxes, &FindSettings::default()).unwrap();
    boxes.set(3, Aabb::EVERYWHERE).unwrap();
    let report = finder.update(&boxes, &FindSettings::default()).unwrap();
    assert_eq!(finder.pairs().as_slice(), true_pairs(&boxes));
    assert!(report.bytes < full / 2, "{} of {full}", report.bytes);
}

#[test]
fn boxes_that_stray_get_new_places() {
    let mut stream = BoxStream::new(StreamKind::Fast, 2000, 5);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut followers = Follower::all();
    let mut placed = 0;
    for _ in 0..12 {
        check_all(&mut followers, &boxes);
        stream.advance();
        boxes.update(Moved::All, stream.boxes()).unwrap();
        let Follower { finder, settings, before, .. } = &mut followers[0];
        let report = finder.update(&boxes, settings).unwrap();
        placed += usize::from(report.stages.iter().any(|(stage, _)| *stage == "place"));
        *before = finder.pairs().as_slice().to_vec();
    }
    assert!((1..12).contains(&placed), "new places in {placed} of 12 frames");
}

#[test]
fn one_place_for_all_and_no_place_at_all() {
    for n in [0, 1, 15, 16, 17, 255, 256, 257, 300] {
        let mut boxes = Boxes::from_aabbs(&vec![Aabb::new(Vec3::ZERO, Vec3::ZERO); n]).unwrap();
        let mut followers = Follower::all();
        check_all(&mut followers, &boxes);
        for id in 0..n as u32 {
            if id % 3 == 0 {
                boxes.set(id, Aabb::new(Vec3::splat(1e30), Vec3::splat(1e30))).unwrap();
            }
        }
        check_all(&mut followers, &boxes);
        (0..n as u32).for_each(|id| drop(boxes.remove(id)));
        check_all(&mut followers, &boxes);
    }
}

/// Three, four and five levels of blocks, at last so many that most are far away in memory, with a box that meets all others and places that are empty.
#[test]
fn deep_hierarchies() {
    for n in [4096, 4097, 5000, 140_000] {
        let stream = BoxStream::new(StreamKind::Brownian, n, 2);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        boxes.set(3, Aabb::EVERYWHERE).unwrap();
        let mut finder = Bvh::default();
        let settings = FindSettings { changes: true, ..FindSettings::default() };
        let mut check = |boxes: &Boxes, words: &str| {
            finder.update(boxes, &settings).unwrap();
            if let Err(error) = verify(boxes, finder.pairs().as_slice()) {
                panic!("{n} boxes, {words}: {error}");
            }
        };
        check(&boxes, "first");
        // All, one in ten, few.
        for (every, words) in [(1, "all"), (10, "some"), (n as u32 / 7, "few")] {
            for id in boxes.ids().step_by(every as usize).collect::<Vec<u32>>() {
                let there = boxes.get(id).unwrap();
                boxes.set(id, Aabb::new(there.min + 0.2, there.max + 0.2)).unwrap();
            }
            check(&boxes, words);
            (100..140).for_each(|id| drop(boxes.remove(id + every)));
            check(&boxes, "some left");
        }
    }
}
