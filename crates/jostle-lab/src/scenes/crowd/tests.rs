//! What each rule of a crowd does, frame by frame.

use jostle_broad::glam::Vec3;
use jostle_broad::verify::true_pairs;

use super::*;
use crate::scene::{Rules, Scene};
use crate::scenes::paths::ABSENT;

fn stream(crowd: Crowd) -> CrowdStream {
    CrowdStream::new(&crowd)
}

fn small() -> Crowd {
    Crowd { objects: 2000, ..Crowd::default() }
}

/// Overlapping pairs per object.
fn density(crowd: &Crowd) -> f64 {
    let rules = Rules { dimensions: crowd.dimensions, ..Rules::default() };
    true_pairs(&rules.store(stream(crowd.clone()).boxes()).unwrap()).len() as f64 / crowd.objects as f64
}

/// Ids that changed in the next frame.
fn changed(stream: &mut CrowdStream) -> Vec<u32> {
    let mut ids = Vec::new();
    stream.advance(|id, before, now| {
        assert!(before != now);
        ids.push(id);
    });
    ids
}

#[test]
fn worlds_are_as_dense_as_asked_for() {
    use Arrangement::{Clusters, Layer, LineX, LineY, LineZ, Uniform};
    for arrangement in [Uniform, Layer, Clusters, LineX, LineY, LineZ] {
        for pairs in [1.5, 6.0] {
            let found = density(&Crowd { arrangement, pairs, ..small() });
            assert!(
                (0.7 * pairs..1.3 * pairs).contains(&found),
                "{arrangement:?}: {found} instead of {pairs}"
            );
        }
    }
    let flat = density(&Crowd { dimensions: Dimensions::Two, ..small() });
    assert!((1.1..1.9).contains(&flat), "{flat}");
    let mixed = density(&Crowd { disparity: 100.0, ..small() });
    assert!((0.9..2.1).contains(&mixed), "{mixed}");
}

#[test]
fn lines_and_layers_are_such() {
    let line = stream(Crowd { arrangement: Arrangement::LineY, ..small() });
    assert!(line.boxes().iter().all(|aabb| aabb.center().x.abs() < 1e-6 && aabb.center().z.abs() < 1e-6));
    let layer = stream(Crowd { arrangement: Arrangement::Layer, ..small() });
    assert!(layer.boxes().iter().all(|aabb| aabb.min.y.abs() < 1e-6));
    let mut moving = stream(Crowd { arrangement: Arrangement::LineY, motion: Motion::Jump, ..small() });
    changed(&mut moving);
    assert!(moving.boxes().iter().all(|aabb| aabb.center().x.abs() < 1e-6), "they stay in line");
}

#[test]
fn clusters_leave_most_of_their_world_empty() {
    let crowd = Crowd { arrangement: Arrangement::Clusters, spread: 100.0, ..small() };
    let boxes = stream(crowd);
    let around = boxes.boxes().iter().fold(ABSENT, |around, aabb| around.union(aabb));
    let volume: f32 = boxes.boxes().iter().map(|aabb| aabb.extents().element_product()).sum();
    assert!(around.extents().element_product() > 1e4 * volume);
}

#[test]
fn motions_move_what_they_should() {
    let all = |motion| {
        let mut stream = stream(Crowd { motion, ..small() });
        (0..5).map(|_| changed(&mut stream).len()).collect::<Vec<_>>()
    };
    assert_eq!(all(Motion::Still), [0; 5]);
    for motion in [Motion::Jump, Motion::Wander, Motion::Bounce] {
        assert_eq!(all(motion), [2000; 5], "{motion:?}");
    }
    assert!(all(Motion::Sway).iter().all(|count| *count > 1990));
    let mut tenth = stream(Crowd { moving: 0.1, ..small() });
    let first = changed(&mut tenth);
    assert!((150..250).contains(&first.len()), "{}", first.len());
    assert_eq!(changed(&mut tenth), first, "always the same ones");
}

#[test]
fn steps_are_as_long_as_asked_for_and_stay_in_the_world() {
    for motion in [Motion::Jump, Motion::Wander, Motion::Bounce] {
        let mut stream = stream(Crowd { motion, speed: 1.0, size: Distribution::constant(1.0), ..small() });
        let around = stream.boxes().iter().fold(ABSENT, |around, aabb| around.union(aabb)).inflate(0.5);
        for _ in 0..50 {
            stream.advance(|id, before, now| {
                let step = (now.center() - before.center()).length();
                assert!(step < 1.51, "{motion:?} {id}: {step}");
                assert!(around.contains(now), "{motion:?} {id}: {now:?}");
            });
        }
    }
}

#[test]
fn swaying_boxes_come_back() {
    let mut stream = stream(Crowd { motion: Motion::Sway, period: 8, speed: 0.1, ..small() });
    let start = stream.boxes().to_vec();
    let mut farthest = 0f32;
    for _ in 0..8 {
        changed(&mut stream);
        for (before, now) in start.iter().zip(stream.boxes()) {
            farthest = farthest.max((before.center() - now.center()).length());
        }
    }
    assert!((0.02..0.5).contains(&farthest), "{farthest}");
    for (before, now) in start.iter().zip(stream.boxes()) {
        assert!((before.center() - now.center()).length() < 1e-4);
    }
}

#[test]
fn coincident_boxes_are_the_same_in_every_frame() {
    let mut stream = stream(Crowd { coincident: 8, motion: Motion::Jump, ..small() });
    for _ in 0..3 {
        for group in stream.boxes().chunks(8) {
            assert!(group.iter().all(|aabb| *aabb == group[0]));
        }
        assert_eq!(changed(&mut stream).len(), 2000);
    }
}

#[test]
fn spanning_boxes_reach_from_end_to_end() {
    let stream = stream(Crowd { spanning: 3, extent: 100.0, ..small() });
    for (axis, aabb) in stream.boxes()[..3].iter().enumerate() {
        assert!((aabb.extents()[axis] - 100.0).abs() < 1e-3, "{aabb:?}");
        assert!(aabb.min[axis].abs() < 1e-3, "{aabb:?}");
        assert!((aabb.extents() * Vec3::ONE).min_element() < 6.0);
    }
    assert!(stream.boxes()[3..].iter().all(|aabb| aabb.longest_side() < 2.0));
}

/// What appears and disappears is taken in by a store as by one that is made anew.
#[test]
fn flickering_boxes_come_and_go() {
    let crowd = Crowd { flicker: 0.1, moving: 0.5, objects: 300, ..Crowd::default() };
    let mut scene = Scene::crowd("test".to_string(), Rules::default(), CrowdStream::new(&crowd));
    let mut store = scene.store().unwrap();
    let executor = jostle_broad::Executor::serial();
    let (mut came, mut went) = (0, 0);
    let mut array = Vec::new();
    for _ in 0..20 {
        let before = scene.boxes().to_vec();
        scene.advance().unwrap();
        scene.write_boxes(&mut array);
        scene.update(&executor, &mut store, &mut array).unwrap();
        let there = scene.boxes().iter().filter(|aabb| **aabb != ABSENT).count();
        assert_eq!(store.len(), there);
        assert_eq!(true_pairs(&store), true_pairs(&scene.store().unwrap()));
        for (before, now) in before.iter().zip(scene.boxes()) {
            came += usize::from(*before == ABSENT && *now != ABSENT);
            went += usize::from(*before != ABSENT && *now == ABSENT);
        }
    }
    for count in [came, went] {
        assert!((200..400).contains(&count), "{count} of about 300");
    }
}

#[test]
fn the_same_seed_gives_the_same_frames() {
    let crowd = Crowd { motion: Motion::Wander, flicker: 0.01, ..small() };
    let (mut a, mut b) = (stream(crowd.clone()), stream(crowd.clone()));
    for _ in 0..3 {
        assert_eq!(a.boxes(), b.boxes());
        changed(&mut a);
        changed(&mut b);
    }
    assert_ne!(stream(Crowd { seed: 2, ..crowd.clone() }).boxes(), stream(crowd).boxes());
}
