//! Boxes that tremble around their homes, and what else may happen to them meanwhile.

use jostle_broad::glam::Vec3;
use jostle_broad::scene::{BoxStream, Random, StreamKind};
use jostle_broad::{
    Aabb, Boxes, BoxesSettings, Dimensions, Executor, Filter, FindSettings, Moved, PairFinder,
};

use super::{Follower, check_all};
use jostle_broad::verify::true_pairs;

/// The frames, counted from the first that trembles, in which homes are found: after one to begin with and four to watch; and found anew, in
/// the middle, after sixteen that are noted.
const SETTLES: usize = 5;
const IS_CENTERED: usize = SETTLES + 16;

/// Is this a frame in which boxes were looked for at their homes?
fn are_at_home(followers: &[Follower]) -> bool {
    let is_at_home = |one: &Follower| one.report.stages.iter().any(|(stage, _)| *stage == "stray");
    let all: Vec<bool> = followers.iter().map(is_at_home).collect();
    assert!(all.iter().all(|one| *one == all[0]), "whatever the width and the number of threads: {all:?}");
    all[0]
}

/// Is this a frame in which homes were found, where boxes are or in the middle of where they were?
fn have_found_homes(followers: &[Follower]) -> bool {
    followers.iter().all(|one| one.report.stages.iter().any(|(stage, _)| *stage == "settle"))
}

/// Boxes around which nothing else happens.
struct Scene {
    homes: Vec<Aabb>,
    by: f32,
    random: Random,
}

impl Scene {
    /// All of them, somewhere around their homes.
    fn array(&mut self) -> Vec<Aabb> {
        let around = |home: &Aabb| {
            let by = (self.random.vector() - 0.5) * (2.0 * self.by);
            Aabb::new(home.min + by, home.max + by)
        };
        self.homes.iter().map(around).collect()
    }

    fn tremble(&mut self, boxes: &mut Boxes) {
        for id in 0..self.homes.len() as u32 {
            let by = (self.random.vector() - 0.5) * (2.0 * self.by);
            let home = &self.homes[id as usize];
            if boxes.contains(id) {
                boxes.set(id, Aabb::new(home.min + by, home.max + by)).unwrap();
            }
        }
    }
}

/// How many of so many frames boxes are at home in, when nothing else happens.
fn frames_at_home(frames: u32, scene: &mut Scene, boxes: &mut Boxes, followers: &mut [Follower]) -> usize {
    let mut at_home = 0;
    for _ in 0..frames {
        scene.tremble(boxes);
        check_all(followers, boxes);
        at_home += usize::from(are_at_home(followers));
    }
    at_home
}

fn a_layer(n: usize, seed: u64) -> Scene {
    let homes = BoxStream::new(StreamKind::Pile, n, seed).boxes().to_vec();
    Scene { homes, by: 0.008, random: Random::new(seed) }
}

/// Squares at random, all of them in one plane.
fn a_plane(n: usize) -> Scene {
    let mut random = Random::new(5);
    let side = (2.0 * n as f32).sqrt();
    let center = |random: &mut Random| random.vector() * Vec3::new(side, side, 0.0);
    let homes = (0..n).map(|_| Aabb::from_center(center(&mut random), Vec3::splat(0.5))).collect();
    Scene { homes, by: 0.008, random }
}

/// Rows of cubes that just touch, or just do not: every pair is unsure, and flips all the time.
fn rows(origin: f32, step: f32) -> Scene {
    let at = |i: usize| Vec3::new((i % 9) as f32, (2 * (i / 9 % 9)) as f32, (2 * (i / 81)) as f32);
    let cube = |i: usize| Aabb::new(at(i) * step + origin, (at(i) + 1.0) * step + origin);
    Scene { homes: (0..9 * 81).map(cube).collect(), by: 0.004 * step, random: Random::new(2) }
}

#[test]
fn pairs_of_boxes_that_tremble_are_exact() {
    let plane = BoxesSettings { dimensions: Dimensions::Two, ..BoxesSettings::default() };
    let wide = BoxesSettings { margin: 0.1, ..BoxesSettings::default() };
    let scenes = [
        (a_layer(900, 3), BoxesSettings::default()),
        (a_layer(900, 4), wide),
        (a_layer(90, 5), plane),
        (a_plane(2500), plane),
        (a_layer(20, 6), BoxesSettings::default()),
        (a_layer(1, 6), BoxesSettings::default()),
    ];
    for (mut scene, settings) in scenes {
        let mut boxes = Boxes::new(settings).unwrap();
        for (id, home) in scene.homes.iter().enumerate() {
            let filter = if id % 7 == 3 { Filter::fixed() } else { Filter::default() };
            boxes.insert(id as u32, *home, filter).unwrap();
        }
        let mut followers = Follower::all();
        let at_home = frames_at_home(40, &mut scene, &mut boxes, &mut followers);
        assert!(at_home >= 30, "{at_home} of 40, {} boxes", boxes.len());
    }
}

/// The store looks at homes while it takes boxes: whatever it is given, it takes and refuses what it would without.
#[test]
fn boxes_that_change_hands_are_exact_and_bad_ones_refused() {
    let mut scene = a_layer(900, 8);
    // Where numbers may become -0.0.
    scene.homes[5] = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
    let mut followers = Follower::all();
    let serial = Executor::serial();
    let mut at_home = 0;
    for frame in 0..60 {
        let mut array = scene.array();
        array[5].min.y = -0.0;
        if frame % 3 == 1 {
            // One that is somewhere else in this frame only, and one for good.
            array[frame] = Aabb::new(array[frame].min + 0.1, array[frame].max + 0.1);
            let gone = &mut scene.homes[100 + frame];
            *gone = Aabb::new(gone.min + 0.5, gone.max + 0.5);
        }
        let spoilt: [fn(&mut Aabb); 5] = [
            |aabb| aabb.min.z = f32::NAN,
            |aabb| aabb.max.x = f32::NAN,
            |aabb| aabb.min.y = aabb.max.y + 0.001,
            |aabb| aabb.min.x = f32::INFINITY,
            |aabb| aabb.max = Vec3::splat(f32::NEG_INFINITY),
        ];
        let (before, revision) = (boxes.aabbs().to_vec(), boxes.revision());
        for spoil in spoilt {
            let mut bad = array.clone();
            spoil(&mut bad[(7 * frame + 13) % 900]);
            assert!(boxes.exchange(&serial, &mut bad).is_err(), "frame {frame}");
            assert_eq!((boxes.aabbs(), boxes.revision()), (before.as_slice(), revision));
        }
        boxes.exchange(&serial, &mut array).unwrap();
        assert!(boxes.aabb(5).min.y.is_sign_positive(), "frame {frame}");
        check_all(&mut followers, &boxes);
        at_home += usize::from(are_at_home(&followers));
    }
    assert!(at_home >= 50, "{at_home} of 60");
}

/// What the store saw while it took boxes counts for these boxes only, and once: whatever else happens before the finder is asked.
#[test]
fn what_the_store_saw_counts_for_the_boxes_it_took() {
    for (index, follower) in Follower::all().into_iter().enumerate() {
        let mut scene = a_layer(700, 10 + index as u64);
        let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
        let mut followers = [follower];
        let executor = Executor::new(1 + index % 2).unwrap();
        let mut at_home = 0;
        for frame in 0..400 {
            // Mostly one exchange, so that homes are found and found again.
            let others = if frame % 40 > 30 { frame % 9 } else { 9 };
            match others {
                0 => (0..2).for_each(|_| boxes.exchange(&executor, &mut scene.array()).unwrap()),
                1 => {
                    boxes.exchange(&executor, &mut scene.array()).unwrap();
                    let there = scene.homes[frame % 700].min + 0.4;
                    boxes.set(frame as u32 % 700, Aabb::new(there, there + 1.0)).unwrap();
                }
                2 => {
                    boxes.exchange(&executor, &mut scene.array()).unwrap();
                    boxes.update(Moved::All, &scene.array()).unwrap();
                }
                3 => {
                    let mut bad = scene.array();
                    bad[frame].max.z = f32::NAN;
                    boxes.exchange(&executor, &mut bad).unwrap_err();
                }
                4 => {
                    boxes.exchange(&executor, &mut scene.array()).unwrap();
                    let mut bad = scene.array();
                    bad[frame].min.x = f32::NAN;
                    boxes.exchange(&executor, &mut bad).unwrap_err();
                }
                5 => {
                    // A slot has another box, which the next look finds at the home of the one before.
                    boxes.remove(frame as u32 % 700).unwrap();
                    let home = scene.homes[frame % 700];
                    boxes.insert(frame as u32 % 700, home, Filter::fixed()).unwrap();
                    boxes.exchange(&executor, &mut scene.array()).unwrap();
                }
                6 => {
                    boxes.exchange(&executor, &mut scene.array()).unwrap();
                    boxes.exclude(frame as u32 % 700, (frame as u32 + 1) % 700);
                }
                7 => {
                    // A limit that is too low: the finder has pairs as they were, and starts over.
                    boxes.exchange(&executor, &mut scene.array()).unwrap();
                    let [follower] = &mut followers;
                    let limited = FindSettings { pair_limit: Some(3), ..follower.settings.clone() };
                    follower.finder.update(&boxes, &limited).unwrap_err();
                    assert_eq!(follower.finder.pairs().as_slice(), follower.before);
                }
                8 => {
                    let mut same = boxes.aabbs().to_vec();
                    boxes.exchange(&executor, &mut same).unwrap();
                }
                _ => boxes.exchange(&executor, &mut scene.array()).unwrap(),
            }
            check_all(&mut followers, &boxes);
            at_home += usize::from(are_at_home(&followers));
        }
        assert!(at_home >= 200, "{at_home} of 400");
    }
}

/// Pairs of boxes that go elsewhere are not in the list of those that come and go; when there are many, there is another list.
#[test]
fn boxes_that_go_elsewhere_one_after_another_are_exact() {
    let mut scene = a_layer(1500, 9);
    let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
    let mut followers = Follower::all();
    let mut at_home = 0;
    for frame in 0..120 {
        if frame > SETTLES {
            for id in (frame * 5..frame * 5 + 5).map(|id| id % 1500) {
                let there = scene.homes[(id * 7 + 11) % 1500].min - scene.homes[id].min + 0.3;
                let home = &mut scene.homes[id];
                *home = Aabb::new(home.min + there, home.max + there);
            }
        }
        boxes.exchange(&Executor::serial(), &mut scene.array()).unwrap();
        check_all(&mut followers, &boxes);
        at_home += usize::from(are_at_home(&followers));
    }
    assert!(at_home >= 100, "{at_home} of 120");
}

#[test]
fn boxes_that_touch_are_exact_though_all_of_them_are_unsure() {
    // Where numbers are far apart, what they tremble by is a few of them.
    for mut scene in [rows(0.0, 1.0), rows(-4.0e5, 8.0), rows(0.0, 1.0e-29)] {
        let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
        let mut followers = Follower::all();
        let (mut frames_at_home, mut flips) = (0, 0);
        for _ in 0..16 {
            scene.tremble(&mut boxes);
            check_all(&mut followers, &boxes);
            frames_at_home += usize::from(are_at_home(&followers));
            flips += followers[0].finder.pairs().added().len();
        }
        assert!(frames_at_home >= 8 && flips > 100, "{frames_at_home} frames, {flips} flips");
    }
}

/// After some frames homes are in the middle of where boxes tremble, and fewer pairs are unsure. That shows in nothing else.
#[test]
fn homes_come_to_be_in_the_middle() {
    for (index, mut scene) in
        [a_layer(2500, 3), rows(0.0, 1.0), rows(-4.0e5, 8.0), rows(0.0, 1.0e-29)].into_iter().enumerate()
    {
        for disturb in [false, true] {
            let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
            let mut random = Random::new(9);
            let mut followers = Follower::all();
            let mut tests = vec![];
            for frame in 0..50 {
                scene.tremble(&mut boxes);
                if disturb && frame > 8 {
                    // One goes on and on, one is now here and now there, one comes, one leaves.
                    let n = scene.homes.len();
                    let Aabb { min, max } = scene.homes[7];
                    scene.homes[7] = Aabb::new(min + 0.5 * scene.by, max + 0.5 * scene.by);
                    scene.homes[70] = scene.homes[random.below(n)];
                    let there = scene.homes[random.below(n)].inflate(2.0 * scene.by);
                    boxes.insert((n + frame) as u32, there, Filter::default()).unwrap();
                    if frame % 2 == 0 {
                        boxes.remove((n + frame - 1) as u32).unwrap();
                    }
                }
                check_all(&mut followers, &boxes);
                assert_eq!(are_at_home(&followers), frame > SETTLES, "frame {frame}");
                // Two that go where they like are too many of those in rows.
                let has_middles = !disturb || index == 0;
                let expected = frame == SETTLES || frame == IS_CENTERED && has_middles;
                assert_eq!(have_found_homes(&followers), expected, "frame {frame}");
                tests.push(followers[0].report.tests);
            }
            // In rows all pairs are unsure wherever homes are.
            if !disturb && index == 0 {
                assert!(tests[40] * 3 < tests[10] * 2, "{tests:?}");
            }
        }
    }
}

/// Some boxes are out, where pairs are no longer unsure that were, when homes come to be in the middle, and come back at once.
#[test]
fn boxes_that_are_out_when_homes_move_are_not_forgotten() {
    const N: usize = 160 * 162;
    let by = 0.008;
    // Twos of cubes that are deeper in each other than boxes go from the middle, and not as deep as they may be out.
    let apart = 1.0 - 3.7 * by;
    let at = |i: usize| Vec3::new((i % 2) as f32 * apart, (2 * (i / 2 % 81)) as f32, (2 * (i / 162)) as f32);
    let homes = (0..N).map(|i| Aabb::new(at(i), at(i) + 1.0)).collect();
    let mut scene = Scene { homes, by, random: Random::new(2) };
    let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
    let mut followers = Follower::all();
    for frame in 0..26 {
        scene.tremble(&mut boxes);
        if frame == IS_CENTERED {
            for id in 0..40 {
                let Aabb { min, max } = scene.homes[id];
                let out = Vec3::X * if id % 2 == 0 { -2.8 * by } else { by };
                boxes.set(id as u32, Aabb::new(min + out, max + out)).unwrap();
            }
        }
        check_all(&mut followers, &boxes);
        assert_eq!(are_at_home(&followers), frame > SETTLES, "frame {frame}");
        assert_eq!(have_found_homes(&followers), [SETTLES, IS_CENTERED].contains(&frame), "frame {frame}");
    }
}

#[test]
fn anything_may_happen_while_others_tremble() {
    const N: usize = 1300;
    let mut scene = a_layer(N, 8);
    let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
    let mut random = Random::new(7);
    let mut next_id = N as u32;
    let mut followers = Follower::all();
    check_all(&mut followers, &boxes);
    let (mut frames_at_home, mut times_at_home, mut was_at_home) = (0, 0, false);
    for frame in 0..150 {
        match frame % 4 {
            // Nobody moves at all; only some do.
            0 if frame % 8 == 0 => {}
            1 => scene.homes.iter().enumerate().step_by(11).for_each(|(id, home)| {
                if boxes.contains(id as u32) {
                    boxes.set(id as u32, Aabb::new(home.min + 0.003, home.max - 0.002)).unwrap();
                }
            }),
            _ => scene.tremble(&mut boxes),
        }
        for _ in 0..random.below(9) {
            let ids: Vec<u32> = boxes.ids().collect();
            let (id, other) = (ids[random.below(ids.len())], ids[random.below(ids.len())]);
            match random.below(10) {
                0 => drop(boxes.remove(id).unwrap()),
                1 => {
                    // Into the slot of one that left, as a rule.
                    let there = boxes.get(other).unwrap();
                    boxes.insert(next_id, there.inflate(0.2), Filter::default()).unwrap();
                    next_id += 1;
                }
                2 => boxes.set_filter(id, Filter::fixed()).unwrap(),
                3 => boxes.set_filter(id, Filter::default()).unwrap(),
                4 => drop(boxes.exclude(id, other)),
                5 => drop(boxes.include(followers[0].before[0].low, followers[0].before[0].high)),
                6 => {
                    let pair = followers[0].before[random.below(followers[0].before.len())];
                    boxes.exclude(pair.low, pair.high);
                }
                // To the other end, and to a new home there.
                7 if (id as usize) < N => {
                    scene.homes[id as usize] = boxes.get(other).unwrap();
                    boxes.set(id, scene.homes[id as usize]).unwrap();
                }
                8 if random.below(30) == 0 => boxes.set(id, Aabb::EVERYWHERE).unwrap(),
                _ => {
                    let there = boxes.get(id).unwrap();
                    let by = random.direction() * if there.is_finite() { 0.3 } else { 0.0 };
                    boxes.set(id, Aabb::new(there.min + by, there.max + by)).unwrap();
                }
            }
        }
        if frame % 50 == 40 {
            // All of them go somewhere else.
            scene.homes.rotate_left(5);
            scene.tremble(&mut boxes);
        }
        if frame % 31 == 25 {
            // Refused, the pairs stay, and the next update is right.
            for follower in &mut followers {
                let limited = FindSettings { pair_limit: Some(3), ..follower.settings.clone() };
                follower.finder.update(&boxes, &limited).unwrap_err();
                assert_eq!(follower.finder.pairs().as_slice(), follower.before);
            }
        }
        check_all(&mut followers, &boxes);
        let at_home = are_at_home(&followers);
        frames_at_home += usize::from(at_home);
        times_at_home += usize::from(at_home && !was_at_home);
        was_at_home = at_home;
    }
    assert!(frames_at_home > 20 && times_at_home >= 3, "{frames_at_home} frames, {times_at_home} times");
}

#[test]
fn many_boxes_at_home_are_looked_at_by_several_tasks() {
    // As many as are worth more than one thread.
    let mut stream = BoxStream::new(StreamKind::Pile, 90_000, 3);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut followers = Follower::all();
    for frame in 0..9 {
        check_all(&mut followers, &boxes);
        assert_eq!(are_at_home(&followers), frame > SETTLES, "frame {frame}");
        stream.advance();
        boxes.update(Moved::All, stream.boxes()).unwrap();
    }
}

#[test]
fn a_floor_as_large_as_the_world_and_boxes_without_end() {
    for floor in [3.0e4, 1.0e30, f32::INFINITY] {
        let mut scene = a_layer(1500, 3);
        let mut boxes = Boxes::default();
        let ground = Aabb::new(Vec3::splat(-floor), Vec3::new(floor, floor, 0.3));
        boxes.insert(9_999, ground, Filter::fixed()).unwrap();
        for (id, home) in (0..).zip(&scene.homes) {
            boxes.insert(id, *home, Filter::default()).unwrap();
        }
        let mut followers = Follower::all();
        // Also after homes have come to be in the middle.
        let at_home = frames_at_home(30, &mut scene, &mut boxes, &mut followers);
        assert!(at_home >= 20, "{at_home} of 30 on a floor of {floor}");
        // The floor itself moves: all that stand on it are looked at anew.
        for step in 0..12 {
            scene.tremble(&mut boxes);
            let top = ground.max + Vec3::Z * (0.1 * step as f32);
            boxes.set(9_999, Aabb::new(ground.min, top)).unwrap();
            check_all(&mut followers, &boxes);
        }
    }
}

/// What strays cost has a limit, whatever they do: then all blocks are crossed.
#[test]
fn strays_that_jump_cost_no_more_than_all() {
    const N: usize = 4000;
    let mut scene = a_layer(N, 3);
    let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
    let mut random = Random::new(3);
    let mut followers = Follower::all();
    let mut frames_at_home = 0;
    for frame in 0..60 {
        scene.tremble(&mut boxes);
        if frame > 8 {
            for _ in 0..N / 150 {
                let (id, other) = (random.below(N), random.below(N));
                scene.homes[id] = scene.homes[other];
                boxes.set(id as u32, scene.homes[id]).unwrap();
            }
        }
        check_all(&mut followers, &boxes);
        let at_home = are_at_home(&followers);
        frames_at_home += usize::from(at_home);
        // Crossing all takes 31 a box and more, and twice as many where homes are found.
        let most = if at_home && !have_found_homes(&followers) { 24 } else { 160 };
        let tests = followers[0].report.tests;
        assert!(tests < most * N as u64, "{tests} tests in frame {frame}");
    }
    assert!(frames_at_home > 12, "{frames_at_home} frames");
}

#[test]
fn strays_that_meet_all_others_keep_to_the_limit() {
    const N: usize = 3000;
    for many in [1, 60] {
        let mut scene = a_layer(N, 3);
        let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
        let mut followers = Follower::all();
        for _ in 0..8 {
            scene.tremble(&mut boxes);
            check_all(&mut followers, &boxes);
        }
        assert!(are_at_home(&followers));
        (0..many).for_each(|id| boxes.set(id, Aabb::EVERYWHERE).unwrap());
        for follower in &mut followers {
            let limited = FindSettings { pair_limit: Some(N), ..follower.settings.clone() };
            follower.finder.update(&boxes, &limited).unwrap_err();
            assert_eq!(follower.finder.pairs().as_slice(), follower.before);
        }
        check_all(&mut followers, &boxes);
        assert!(!are_at_home(&followers));
    }
    // The same where nobody sets a limit.
    let mut scene = a_layer(N, 3);
    let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
    let mut followers = Follower::all();
    for frame in 0..10 {
        scene.tremble(&mut boxes);
        if frame == 9 {
            boxes.set(7, Aabb::EVERYWHERE).unwrap();
        }
        check_all(&mut followers, &boxes);
        assert_eq!(are_at_home(&followers), (6..9).contains(&frame), "frame {frame}");
    }
}

#[test]
fn boxes_that_come_make_room_for_themselves() {
    // One more than sixteen blocks, and one more than sixteen of these, need a level more.
    for n in [250, 4090] {
        let mut scene = a_layer(n, 3);
        let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
        let mut followers = Follower::all();
        // Pairs in any order, and nobody asks for changes.
        followers[0].settings =
            FindSettings { canonical: false, changes: false, ..followers[0].settings.clone() };
        for frame in 0..30 {
            scene.tremble(&mut boxes);
            if frame > 8 {
                let there = boxes.get(frame).unwrap();
                boxes.insert(n as u32 + frame, there.inflate(0.1), Filter::default()).unwrap();
            }
            let truth = true_pairs(&boxes);
            followers[1..].iter_mut().for_each(|follower| follower.check(&boxes, &truth));
            assert_eq!(are_at_home(&followers[1..]), frame as usize > SETTLES, "frame {frame}");
            let Follower { finder, settings, .. } = &mut followers[0];
            finder.update(&boxes, settings).unwrap();
            let mut pairs = finder.pairs().as_slice().to_vec();
            pairs.sort_unstable();
            assert_eq!(pairs, truth);
        }
    }
}

#[test]
fn boxes_that_have_come_to_rest_are_not_looked_at() {
    let mut scene = a_layer(2000, 3);
    let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
    let mut followers = Follower::all();
    for frame in 0..40 {
        match frame {
            0..8 => scene.tremble(&mut boxes),
            _ => boxes.set(frame, scene.homes[frame as usize]).unwrap(),
        }
        check_all(&mut followers, &boxes);
        assert_eq!(are_at_home(&followers), (6..24).contains(&frame), "frame {frame}");
    }
}

#[test]
fn boxes_that_go_somewhere_have_no_homes() {
    for kind in [StreamKind::Brownian, StreamKind::Fast, StreamKind::Disparity, StreamKind::Still10] {
        let mut stream = BoxStream::new(kind, 700, 3);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        let mut followers = Follower::all();
        for _ in 0..30 {
            check_all(&mut followers, &boxes);
            assert!(!are_at_home(&followers), "{kind:?}");
            stream.advance();
            boxes.update(Moved::All, stream.boxes()).unwrap();
        }
    }
    // Slowly, but on and on.
    let mut scene = a_layer(700, 3);
    let mut boxes = Boxes::from_aabbs(&scene.homes).unwrap();
    let mut followers = Follower::all();
    for _ in 0..30 {
        check_all(&mut followers, &boxes);
        assert!(!are_at_home(&followers));
        scene.homes.iter_mut().for_each(|home| *home = Aabb::new(home.min + 0.002, home.max + 0.002));
        boxes.update(Moved::All, &scene.homes).unwrap();
    }
}
