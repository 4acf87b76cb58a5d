//! Every kernel on every instruction set gives the bits of the scalar one.

use super::accumulate;
use super::{
    BLOCK, Binned, BinnedRecords, Block, CellGrid, Dealing, HOME, HOME_A, HOME_B, Hits, Lanes, Meeting,
    NearBlocks, OwnBlock, PADDING, Record, Spots, Steps,
};
use crate::Aabb;
use crate::arrays::BoxArrays;
use crate::scene::{BoxStream, Random, StreamKind};

#[test]
fn lanes_are_chosen_by_name_and_refused_by_name() {
    for lanes in Lanes::available() {
        assert_eq!(Lanes::named(lanes.name()), Ok(lanes));
    }
    let refused = Lanes::named("altivec").unwrap_err().to_string();
    assert!(refused.contains("altivec") && refused.contains("scalar"), "{refused}");
}

/// Miri is some thousand times slower than the machine: it gets smaller scenes.
const MIRI_SHRINKS: usize = if cfg!(miri) { 7 } else { 1 };

#[test]
fn scan_gives_the_same_hits_on_every_width() {
    let n = 301 / MIRI_SHRINKS;
    let stream = BoxStream::new(StreamKind::Disparity, n, 7);
    let mut arrays = BoxArrays::default();
    arrays.extend(stream.boxes().iter().copied());
    for query in stream.boxes().iter().step_by(13) {
        for (from, to) in [(0, n), (5, 6), (17, 17), (1, 33), (n - 11, n)] {
            let mut expected = vec![];
            Lanes::scalar().scan(&arrays, from, to, query, &mut expected);
            let plain = (from..to).filter(|&i| stream.boxes()[i].overlaps(query)).map(|i| i as u32);
            assert!(plain.eq(expected.iter().copied()));
            for lanes in Lanes::available() {
                let mut hits = vec![];
                lanes.scan(&arrays, from, to, query, &mut hits);
                assert_eq!(hits, expected, "{lanes} on {from}..{to}");
            }
        }
    }
}

#[test]
fn boxes_that_are_none_are_found_on_every_width() {
    let all = BoxStream::new(StreamKind::Brownian, 27, 7).boxes().to_vec();
    for lanes in Lanes::available() {
        for len in 0..all.len() {
            assert!(lanes.are_boxes(&all[..len]), "{len} boxes, {lanes}");
            for (bad, number) in (0..len).flat_map(|bad| (0..6).map(move |number| (bad, number))) {
                for value in [f32::NAN, if number < 3 { f32::INFINITY } else { f32::NEG_INFINITY }] {
                    let mut boxes = all[..len].to_vec();
                    bytemuck::cast_mut::<Aabb, [f32; 6]>(&mut boxes[bad])[number] = value;
                    assert!(!lanes.are_boxes(&boxes), "number {number} of box {bad} of {len}, {lanes}");
                    assert!(!lanes.are_plain_boxes(&boxes), "number {number} of box {bad} of {len}, {lanes}");
                }
                let mut around_zero = all[..len].to_vec();
                around_zero[bad] = Aabb::new(glam::Vec3::ZERO, glam::Vec3::ZERO);
                assert!(lanes.are_plain_boxes(&around_zero), "box {bad} of {len}, {lanes}");
                bytemuck::cast_mut::<Aabb, [f32; 6]>(&mut around_zero[bad])[number] = -0.0;
                assert!(lanes.are_boxes(&around_zero), "number {number} of box {bad} of {len}, {lanes}");
                assert!(
                    !lanes.are_plain_boxes(&around_zero),
                    "number {number} of box {bad} of {len}, {lanes}"
                );
            }
        }
        assert!(lanes.are_boxes(&[Aabb::EVERYWHERE; 20]), "{lanes}");
    }
}

/// Records of a stream, with bins of half a box's length along an axis, at home from a floor on.
fn records(kind: StreamKind, n: usize, along: usize, floor: [f32; 2], bins: u32) -> Vec<Record> {
    let stream = BoxStream::new(kind, n, 11);
    let bin = |coordinate: f32| (coordinate.max(0.0) * 2.0).min(bins as f32 - 1.0) as u32;
    let record = |(aabb, key): (&Aabb, u32)| {
        let home_a = if aabb.min[(along + 1) % 3] >= floor[0] { HOME_A } else { 0 };
        let home_b = if aabb.min[(along + 2) % 3] >= floor[1] { HOME_B } else { 0 };
        let tail = Record::tail(bin(aabb.min[along]), bin(aabb.max[along])) & (home_a | home_b | !HOME);
        Record { aabb: *aabb, key, tail }
    };
    stream.boxes().iter().zip(0..).map(record).collect()
}

/// The keys of all pairs that a sweep finds, sorted.
fn swept(lanes: Lanes, binned: &Binned<'_>, hits: &mut Hits) -> Vec<[u32; 2]> {
    let (mut windows, mut found, mut from) = (vec![], vec![], 0);
    lanes.windows(binned, &mut windows);
    while from < binned.len() {
        from = lanes.sweep(binned, &windows, from, hits);
        found.extend_from_slice(hits.keys());
    }
    found.sort_unstable();
    found
}

#[test]
fn sweep_gives_the_same_pairs_on_every_width() {
    for (n, along, floor) in [
        (203 / MIRI_SHRINKS, 2, [2.0, 3.0]),
        (203 / MIRI_SHRINKS, 0, [4.0, 1.0]),
        (64 / MIRI_SHRINKS, 1, [f32::NEG_INFINITY, 3.0]),
        (17, 0, [1.0; 2]),
        (1, 0, [0.0; 2]),
        (0, 0, [0.0; 2]),
    ] {
        let boxes = records(StreamKind::Brownian, n, along, floor, 40);
        let mut expected = vec![];
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[i + 1..] {
                let corner = a.aabb.min.max(b.aabb.min);
                let here = corner[(along + 1) % 3] >= floor[0] && corner[(along + 2) % 3] >= floor[1];
                assert_eq!(a.meets_here(b), here);
                if a.aabb.overlaps(&b.aabb) && here {
                    expected.push([a.key, b.key]);
                }
            }
        }
        let (some, others) = boxes.split_at(n / 3);
        for lanes in Lanes::available() {
            let mut memory = BinnedRecords::default();
            let binned = memory.fill([some, others].into_iter(), 40, lanes);
            let mut hits = Hits::default();
            // Twice: the second time over what the first one left.
            for _ in 0..2 {
                assert_eq!(swept(lanes, &binned, &mut hits), expected, "{lanes}, {n} boxes along {along}");
            }
        }
    }
}

/// What follows a region in memory is another region: nothing of it may be found.
#[test]
fn a_sweep_stops_where_its_region_ends() {
    let everywhere = Record { aabb: Aabb::EVERYWHERE, key: 7, tail: Record::tail(0, 0) };
    for len in [1, 5, 8, 9, 16, 17, 40] {
        let mut all = vec![everywhere; 3 + len + PADDING];
        all.iter_mut().zip(0..).for_each(|(record, key)| record.key = key);
        let ends = [3 + len as u32];
        let binned = Binned::new(&all[3..], len, &ends, 3);
        let mut windows = vec![];
        for lanes in Lanes::available() {
            let found = swept(lanes, &binned, &mut Hits::default());
            assert_eq!(found.len(), len * (len - 1) / 2, "{lanes}");
            assert!(
                found.iter().flatten().all(|&key| (3..3 + len as u32).contains(&key)),
                "{lanes}: {found:?}"
            );
            let tests = lanes.windows(&binned, &mut windows);
            assert_eq!(tests, Lanes::scalar().windows(&binned, &mut vec![]), "{lanes}");
            assert!(windows.iter().all(|&end| end == len as u32), "{lanes}: {windows:?}");
        }
    }
}

/// Every two of 600 boxes overlap: more hits than a sweep finds in one go.
#[test]
#[cfg_attr(
    miri,
    ignore = "a hundred thousand hits take Miri minutes, and nothing here differs from a short sweep"
)]
fn a_sweep_pauses_after_very_many_hits_and_goes_on() {
    let record = |key| Record { aabb: Aabb::EVERYWHERE, key, tail: Record::tail(0, 0) };
    let all: Vec<Record> = (0..600).map(record).collect();
    for lanes in Lanes::available() {
        let mut memory = BinnedRecords::default();
        let binned = memory.fill([all.as_slice()].into_iter(), 1, lanes);
        let (mut from, mut pieces, mut pairs, mut windows) = (0, 0, vec![], vec![]);
        let mut hits = Hits::default();
        lanes.windows(&binned, &mut windows);
        while from < 600 {
            from = lanes.sweep(&binned, &windows, from, &mut hits);
            pairs.extend_from_slice(hits.keys());
            pieces += 1;
        }
        assert!(pieces > 1);
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), 600 * 599 / 2, "{lanes}");
    }
}

#[test]
fn records_are_scanned_alike_on_every_width_and_reached_by_their_bins() {
    let n = 150 / MIRI_SHRINKS;
    let boxes = records(StreamKind::Disparity, n, 0, [0.0; 2], 60);
    for lanes in Lanes::available() {
        let mut memory = BinnedRecords::default();
        let binned = memory.fill([boxes.as_slice()].into_iter(), 60, lanes);
        for query in &boxes {
            let (from, to) = binned.reach(query, binned.longest());
            let overlapping = |range: std::ops::Range<usize>| -> Vec<u32> {
                let hit = |&position: &u32| binned.get(position).aabb.overlaps(&query.aabb);
                (range.start as u32..range.end as u32).filter(hit).collect()
            };
            assert_eq!(overlapping(from..to), overlapping(0..n), "out of reach");
            let mut hits = vec![];
            lanes.scan_records(&binned, from, to, &query.aabb, &mut hits);
            assert_eq!(hits, overlapping(from..to), "{lanes}");
        }
    }
}

/// Boxes of a stream with some that are hard to place, and free slots.
fn boxes_to_deal() -> Vec<Aabb> {
    let mut boxes = BoxStream::new(StreamKind::Disparity, 100, 3).boxes().to_vec();
    let mut ray = boxes[5];
    ray.max.y = f32::INFINITY;
    boxes.extend([Aabb::EVERYWHERE, ray, Aabb::NOWHERE]);
    boxes.splice(20..20, [Aabb::NOWHERE, Aabb::new(glam::Vec3::splat(-1e30), glam::Vec3::splat(-1e30))]);
    boxes
}

/// Every way to deal, all widths: which buckets, which tails, which boxes are left over.
#[test]
fn dealt_records_are_the_same_on_every_width() {
    let boxes = boxes_to_deal();
    let grid = CellGrid::new([0.0, 1.0, 2.0], [0.02, 0.015, 0.04], [6, 5, 40]);
    let keys: Vec<u32> = (1000..).take(boxes.len()).collect();
    // As they are, and as records of which some are not at home.
    let record = |(index, aabb): (usize, &Aabb)| Record { aabb: *aabb, key: 0, tail: index as u32 & HOME };
    let as_records: Vec<Record> = boxes.iter().enumerate().map(record).collect();
    let forms: [(&[f32], usize); 2] =
        [(bytemuck::cast_slice(&boxes), 6), (bytemuck::cast_slice(&as_records), 8)];
    let axes = [([0, 1], 2, 7 * 6, 6), ([1, 2], 0, 6 * 41, 41)];
    let fine = [true, false];
    for ((numbers, stride), (across, along, columns, width)) in
        forms.iter().flat_map(|form| axes.iter().map(move |axes| (*form, *axes)))
    {
        for (fine, all_wide) in fine.iter().flat_map(|&fine| [(fine, false), (fine, true)]) {
            let per_column = if fine { 50 } else { 1 };
            let steps = Steps {
                a: width * per_column,
                b: per_column,
                bin: u32::from(fine),
                buckets: columns * per_column,
            };
            let dealing = Dealing { numbers, stride, grid: &grid, across, along, steps, all_wide };
            let dealt = |lanes: Lanes| {
                let (mut spots, mut ends) = (Spots::default(), vec![0; steps.buckets as usize + 2]);
                lanes.count(&dealing, &mut spots, &mut ends);
                accumulate(&mut ends);
                let mut records = vec![Record::NOTHING; *ends.last().unwrap() as usize];
                lanes.deal(&dealing, &keys, &spots, &mut ends, &mut records);
                let bits: Vec<[u32; 8]> = records.into_iter().map(bytemuck::cast).collect();
                (bits, ends, spots.wide)
            };
            let (records, ends, wide) = dealt(Lanes::scalar());
            for lanes in Lanes::available() {
                assert_eq!(dealt(lanes), (records.clone(), ends.clone(), wide.clone()), "{lanes}");
            }
            // Against the plain words: each box that is not wide, in each of its columns.
            let mut expected = vec![];
            for (index, aabb) in boxes.iter().enumerate() {
                let cell = |axis: usize, number: f32| grid.cell(axis, number);
                let [a, b] = across.map(|axis| cell(axis, aabb.min[axis])..=cell(axis, aabb.max[axis]));
                let is_wide =
                    all_wide || aabb.min.x.is_nan() || a.clone().count() > 2 || b.clone().count() > 2;
                assert_eq!(wide.contains(&(index as u32)), is_wide);
                let home = if stride == 8 { index as u32 & HOME } else { HOME };
                let (first, last) = (cell(along, aabb.min[along]), cell(along, aabb.max[along]));
                for (column_a, column_b) in a.clone().flat_map(|a| b.clone().map(move |b| (a, b))) {
                    let here = u32::from(column_a == *a.start()) | u32::from(column_b == *b.start()) << 1;
                    let tail = Record::tail(first, last) & (here & home | !HOME);
                    let bucket = column_a * steps.a + column_b * steps.b + first * steps.bin;
                    if !is_wide {
                        expected.push((bucket, keys[index], tail));
                    }
                }
            }
            expected.sort_unstable();
            let bucket_of = |at: usize| ends.partition_point(|&end| end as usize <= at) as u32;
            let found = records.iter().enumerate().map(|(at, record)| (bucket_of(at), record[6], record[7]));
            let mut found: Vec<_> = found.filter(|&(bucket, ..)| bucket < steps.buckets).collect();
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn cells_never_decrease_and_stay_inside() {
    let grid = CellGrid::new([3.0, 0.0, 0.0], [0.7, 0.0, 1e30], [8, 0, 5]);
    let coordinates = [f32::NEG_INFINITY, -1e30, 0.0, 3.0, 3.5, 4.4, 4.5, 10.0, 1e30, f32::INFINITY];
    for (axis, last) in [(0, 8), (1, 0), (2, 5)] {
        let cells: Vec<u32> = coordinates.iter().map(|&c| grid.cell(axis, c)).collect();
        assert!(cells.is_sorted() && cells[0] == 0 && cells[9] == last, "{cells:?}");
    }
}

/// Endpoints with many ties, filled up to whole registers; the tags of equal values in no order.
fn endpoints(len: usize, values: usize, random: &mut Random) -> (Vec<f32>, Vec<u32>) {
    let special = [f32::NEG_INFINITY, -1e-45, 0.0, 1e-45, f32::INFINITY];
    let value = |random: &mut Random| match random.below(values + 5) {
        few if few < 5 => special[few],
        other => other as f32 - 10.0,
    };
    let mut sorted: Vec<f32> = (0..len).map(|_| value(random)).collect();
    let mut tags: Vec<u32> = (0..len as u32).map(|i| (i / 2) | ((i % 2) << 31)).collect();
    for i in (1..len).rev() {
        tags.swap(i, random.below(i + 1));
    }
    sorted.resize(len.next_multiple_of(16), f32::INFINITY);
    tags.resize(len.next_multiple_of(16), (1 << 31) - 1);
    (sorted, tags)
}

fn bits(values: &[f32], tags: &[u32]) -> Vec<(u32, u32)> {
    values.iter().map(|value| value.to_bits()).zip(tags.iter().copied()).collect()
}

#[test]
fn insertion_sort_gives_the_one_sorted_order_on_every_width() {
    let mut random = Random::new(11);
    for len in (0..70).step_by(MIRI_SHRINKS) {
        for distinct in [1, 4, 1000] {
            let (values, tags) = endpoints(len, distinct, &mut random);
            let mut expected: Vec<(f32, u32)> = values.iter().copied().zip(tags.iter().copied()).collect();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cast_signed().cmp(&b.1.cast_signed())));
            let (sorted, in_order): (Vec<f32>, Vec<u32>) = expected.into_iter().unzip();
            for lanes in Lanes::available() {
                let (mut values, mut tags) = (values.clone(), tags.clone());
                assert!(lanes.insertion_sort(&mut values, &mut tags, usize::MAX));
                assert_eq!(bits(&values, &tags), bits(&sorted, &in_order), "{lanes}, {len} of {distinct}");
                assert!(lanes.insertion_sort(&mut values, &mut tags, 0), "sorted already: no step needed");
            }
        }
    }
}

#[test]
fn insertion_sort_that_gives_up_loses_nothing() {
    for lanes in Lanes::available() {
        let mut values: Vec<f32> = (0..640).rev().map(|i| i as f32).collect();
        let mut tags: Vec<u32> = (0..640).collect();
        assert!(!lanes.insertion_sort(&mut values, &mut tags, 2), "{lanes}: the opposite order takes more");
        let mut left = bits(&values, &tags);
        left.sort_unstable_by_key(|&(_, tag)| tag);
        let before = (0..640u32).map(|tag| (((639 - tag) as f32).to_bits(), tag));
        assert!(left.into_iter().eq(before), "{lanes}");
    }
}

/// Blocks with infinite boxes, empty lanes and an empty block among them.
#[test]
fn blocks_are_the_same_on_every_width() {
    let stream = BoxStream::new(StreamKind::Disparity, 200 / MIRI_SHRINKS, 5);
    let mut boxes = stream.boxes().to_vec();
    boxes[3].max.x = f32::INFINITY;
    boxes[7] = Aabb::EVERYWHERE;
    boxes[11] = Aabb::NOWHERE;
    let mut slots: Vec<u32> = (0..boxes.len() as u32).rev().collect();
    slots.insert(5, u32::MAX);
    slots.resize(slots.len().next_multiple_of(BLOCK) + BLOCK, u32::MAX);
    let count = slots.len() / BLOCK;
    let filled = |lanes: Lanes| {
        let (mut blocks, mut bounds) = (vec![Block::EMPTY; count], vec![Aabb::EMPTY; count]);
        lanes.fetch(&boxes, &slots, &mut blocks, &mut bounds);
        (blocks, bounds)
    };
    let (expected, expected_bounds) = filled(Lanes::scalar());
    for (place, &slot) in slots.iter().enumerate() {
        let there = expected[place / BLOCK].get(place % BLOCK);
        let given = boxes.get(slot as usize).unwrap_or(&Aabb::NOWHERE);
        assert_eq!(format!("{there:?}"), format!("{given:?}"));
    }
    assert_eq!(expected_bounds[count - 1], Aabb::EMPTY);
    // Blocks without an empty lane or the last box, and a store of one box.
    for (boxes, slots) in [(&boxes[..], (0..BLOCK as u32).rev().collect()), (&boxes[..1], vec![0; BLOCK])] {
        for lanes in Lanes::available() {
            let (mut blocks, mut bounds) = (vec![Block::EMPTY], vec![Aabb::EMPTY]);
            lanes.fetch(boxes, &slots, &mut blocks, &mut bounds);
            for (lane, &slot) in slots.iter().enumerate() {
                let (there, given) = (blocks[0].get(lane), boxes[slot as usize]);
                assert_eq!(format!("{there:?}"), format!("{given:?}"), "{lanes}");
            }
            assert_eq!(bounds[0], lanes.bounds(&blocks[0]), "{lanes}");
        }
    }
    let others: Vec<u32> = (0..count as u32).collect();
    let crossed = |lanes: Lanes, blocks: &[Block], bounds: &[Aabb]| {
        let (mut near, mut meetings) = (vec![], vec![]);
        for own in 0..count as u32 {
            let (others, own) = (&others[own as usize..], OwnBlock { block: own, in_stretch: own });
            let so_far = meetings.len();
            lanes.cross(blocks, bounds, own, others, &mut near, &mut meetings);
            let mut in_parts = vec![];
            lanes.meet_itself(blocks, own, &mut in_parts);
            lanes.list_near(blocks, bounds, own.block, others, &mut near);
            lanes.meet_near(blocks, own, &near, &mut in_parts);
            assert_eq!(meetings[so_far..], in_parts, "{lanes}");
        }
        meetings
    };
    let meetings = crossed(Lanes::scalar(), &expected, &expected_bounds);
    assert!(!meetings.is_empty() && meetings.is_sorted());
    for lanes in Lanes::available() {
        let (blocks, bounds) = filled(lanes);
        assert_eq!(bytes_of(&blocks), bytes_of(&expected), "{lanes}");
        assert_eq!(bounds, expected_bounds, "{lanes}");
        assert_eq!(crossed(lanes, &blocks, &bounds), meetings, "{lanes}");
        assert!(blocks.iter().zip(&bounds).all(|(block, bounds)| lanes.bounds(block) == *bounds));
        let levels = [blocks];
        // All blocks are near, in which case a search among those is a search.
        let mut near = NearBlocks::default();
        near.places_mut().extend(0..count as u32);
        let mut above = vec![Block::EMPTY; count.div_ceil(BLOCK)];
        bounds.iter().enumerate().for_each(|(at, bounds)| above[at / BLOCK].set(at % BLOCK, bounds));
        near.fill(&above);
        for query in boxes.iter().step_by(5) {
            let searched = |lanes: Lanes| {
                let (mut hits, mut spare) = (vec![], vec![]);
                lanes.search(&levels, query, 7, &mut hits, &mut spare);
                hits
            };
            assert_eq!(searched(lanes), searched(Lanes::scalar()), "{lanes}");
            let (mut hits, mut spare) = (vec![], vec![]);
            lanes.search_near(&near, &levels[0], query, 7, &mut hits, &mut spare);
            let all =
                |place: &u32| levels[0][*place as usize / BLOCK].get(*place as usize % BLOCK).overlaps(query);
            assert!(hits.iter().copied().eq((7..(count * BLOCK) as u32).filter(all)), "{lanes}");
        }
    }
}

/// The bits of all numbers: NaN has many, and all are to be the same.
fn bytes_of(blocks: &[Block]) -> Vec<u32> {
    blocks.iter().flat_map(|block| block.0.iter().flatten().map(|number| number.to_bits())).collect()
}

/// Lists that have all, much, little or nothing in common, with an end of one before that of the other.
#[test]
fn comparing_meetings_gives_what_came_and_went_on_every_width() {
    let mut random = Random::new(11);
    for (len, stays, same) in
        [(0, 50, 50), (9, 90, 90), (70, 0, 0), (70, 95, 95), (70, 100, 90), (70, 100, 100)]
    {
        for _ in 0..20 / MIRI_SHRINKS {
            let (mut old, mut new) = (vec![], vec![]);
            for index in 0..random.below(len + 1) as u32 {
                let mut one =
                    || Meeting::new(index / 9, index / 3, index % 3, 1 + random.below(0xffff) as u32);
                let (a, b) = (one(), one());
                let both = random.below(100) < stays;
                let first = random.below(2) == 0;
                old.extend((both || first).then_some(a));
                new.extend((both || !first).then_some(if random.below(100) < same { a } else { b }));
            }
            let pairs = |list: &[Meeting]| -> Vec<(usize, usize)> {
                list.iter().flat_map(|one| one.others().map(|other| (one.place(), other))).collect()
            };
            let (before, after) = (pairs(&old), pairs(&new));
            let without = |from: &[(usize, usize)], those: &[(usize, usize)]| -> Vec<(usize, usize)> {
                from.iter().filter(|pair| !those.contains(pair)).copied().collect()
            };
            for lanes in Lanes::available() {
                let (mut gone, mut come) = (vec![], vec![]);
                lanes.compare(&old, &new, &mut gone, &mut come);
                assert_eq!(pairs(&gone), without(&before, &after), "{lanes}");
                assert_eq!(pairs(&come), without(&after, &before), "{lanes}");
                assert!(gone.iter().chain(&come).all(|meeting| meeting.count() > 0), "{lanes}");
            }
        }
    }
}

#[test]
fn meetings_keep_what_they_are_made_of() {
    let most = (Meeting::MOST_IN_STRETCH as u32 - 1, Meeting::MOST_BLOCKS as u32 - 1, 15);
    for (in_stretch, other, lane) in [(0, 0, 0), most] {
        let meeting = Meeting::new(in_stretch, other, lane, 0x8001);
        assert_eq!((meeting.own(), meeting.count()), (in_stretch as usize, 2));
        assert_eq!(meeting.place(), in_stretch as usize * BLOCK + lane as usize);
        let first = other as usize * BLOCK;
        assert!(meeting.others().eq([first, first + 15]));
        assert_eq!(meeting.retain(|place| place == first), Some(Meeting::new(in_stretch, other, lane, 1)));
        assert_eq!(meeting.retain(|_| false), None);
    }
}
