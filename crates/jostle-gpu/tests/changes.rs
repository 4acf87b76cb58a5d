//! Where only changes come back from the device, pairs, added and removed are those of brute force, whatever happens in
//! between: limits, frames without order, filters, other ids, other stores, nothing at all.

use jostle_broad::glam::Vec3;
use jostle_broad::scene::Random;
use jostle_broad::{Aabb, Boxes, Brute, Filter, FindReport, FindSettings, PairFinder};
use jostle_gpu::{AdapterChoice, Gpu, GpuFinder, ReadBack};

/// What a report says where only changes came back.
const ALONE: &str = "changes read back";

fn somewhere(random: &mut Random) -> Aabb {
    Aabb::from_center(random.vector() * 12.0, random.vector() + 0.2)
}

/// Something happens to the boxes.
fn happen(boxes: &mut Boxes, random: &mut Random) -> String {
    let ids: Vec<u32> = boxes.ids().collect();
    let any = |random: &mut Random| ids[random.below(ids.len())];
    match random.below(20) {
        0 => return "nothing".to_string(),
        1 if ids.len() < 500 => {
            // The next free slot, or an id that is not a slot.
            let id = if random.below(6) == 0 { 5_000_000 + ids.len() as u32 } else { boxes.slots() as u32 };
            if boxes.contains(id) {
                return format!("{id} is there");
            }
            let filter =
                if random.below(8) == 0 { Filter::default().groups(2, 1) } else { Filter::default() };
            boxes.insert(id, somewhere(random), filter).unwrap();
            return format!("{id} comes");
        }
        2 if !ids.is_empty() => {
            let id = any(random);
            boxes.remove(id).unwrap();
            return format!("{id} leaves");
        }
        3 if !ids.is_empty() => {
            // From here on, or not any more.
            let id = any(random);
            let filter = if random.below(2) == 0 { Filter::fixed() } else { Filter::default() };
            boxes.set_filter(id, filter).unwrap();
            return format!("another filter of {id}");
        }
        4 | 10 => {
            ids.iter().for_each(|&id| boxes.set_filter(id, Filter::default()).unwrap());
            return "no filters".to_string();
        }
        5 => {
            ids.iter().for_each(|&id| boxes.set(id, somewhere(random)).unwrap());
            return "everybody jumps".to_string();
        }
        6 | 9 => {
            *boxes = scene(random, 300);
            return "another store".to_string();
        }
        7 if random.below(4) == 0 => {
            *boxes = Boxes::default();
            return "an empty store".to_string();
        }
        8 => *boxes = boxes.clone(),
        _ => {}
    }
    for &id in &ids {
        let aabb = boxes.get(id).unwrap();
        let way = (random.vector() - 0.5) * 0.2;
        boxes.set(id, Aabb::new(aabb.min + way, aabb.max + way)).unwrap();
    }
    "small moves".to_string()
}

fn scene(random: &mut Random, n: usize) -> Boxes {
    let list: Vec<Aabb> = (0..n).map(|_| somewhere(random)).collect();
    Boxes::from_aabbs(&list).unwrap()
}

#[test]
fn whatever_happens_in_between_changes_are_those_of_brute_force() {
    let gpu = Gpu::open(&AdapterChoice::Any).expect("tests need an adapter: install Mesa's Vulkan drivers");
    for (seed, read_back) in [ReadBack::Fewer, ReadBack::Changes, ReadBack::Pairs].into_iter().enumerate() {
        let mut random = Random::new(31 + seed as u64);
        let mut finder = GpuFinder::new(&gpu).unwrap();
        finder.set_read_back(read_back);
        let mut brute = Brute::default();
        let mut boxes = scene(&mut random, 400);
        let (mut refused, mut alone) = (0, 0);
        let mut what = "the first frame".to_string();
        for frame in 0..70 {
            let settings = FindSettings {
                changes: random.below(4) > 0,
                canonical: random.below(4) > 0,
                pair_limit: (random.below(6) == 0).then(|| brute.pairs().len()),
                ..FindSettings::default()
            };
            let context = format!("{read_back:?}, frame {frame}, {what}, {settings:?}");
            let results = [finder.update(&boxes, &settings), brute.update(&boxes, &settings)];
            let said = |report: &FindReport| report.detail.clone().unwrap_or_default();
            alone += usize::from(results[0].as_ref().is_ok_and(|report| said(report).contains(ALONE)));
            let [ours, theirs] = results.map(|result| result.map(|report| report.pairs));
            assert_eq!(ours, theirs, "{context}");
            refused += usize::from(ours.is_err());
            let mut pairs = finder.pairs().as_slice().to_vec();
            let mut truth = brute.pairs().as_slice().to_vec();
            if !finder.pairs().is_canonical() || !brute.pairs().is_canonical() {
                pairs.sort_unstable();
                truth.sort_unstable();
            }
            assert!(pairs == truth, "{context}");
            assert_eq!(finder.pairs().added(), brute.pairs().added(), "{context}");
            assert_eq!(finder.pairs().removed(), brute.pairs().removed(), "{context}");
            what = happen(&mut boxes, &mut random);
        }
        assert!(refused >= 3, "{refused} refused: too quiet a life");
        assert_eq!(alone >= 10, read_back != ReadBack::Pairs, "{read_back:?}: {alone} times changes alone");
    }
}

#[test]
fn few_changes_come_back_alone() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap();
    let mut random = Random::new(5);
    let mut boxes = scene(&mut random, 3000);
    let mut finder = GpuFinder::new(&gpu).unwrap();
    let settings = FindSettings { changes: true, ..FindSettings::default() };
    let mut brute = Brute::default();
    // More at a time than were read ahead, fewer, and none.
    for (frame, moved) in [0, 1, 40, 900, 40, 3000, 3000, 1, 2].into_iter().enumerate() {
        for id in 0..moved {
            let aabb = boxes.get(id).unwrap();
            boxes.set(id, Aabb::new(aabb.min + Vec3::X * 0.3, aabb.max + Vec3::X * 0.3)).unwrap();
        }
        let report = finder.update(&boxes, &settings).unwrap();
        brute.update(&boxes, &settings).unwrap();
        assert_eq!(report.detail.unwrap().contains(ALONE), frame > 0, "{moved}");
        assert!(finder.pairs().as_slice() == brute.pairs().as_slice(), "{moved}");
        assert!(finder.pairs().added() == brute.pairs().added(), "{moved}");
        assert!(finder.pairs().removed() == brute.pairs().removed(), "{moved}");
    }
}
