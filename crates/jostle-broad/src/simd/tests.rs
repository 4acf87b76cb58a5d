//! Every kernel on every instruction set gives the bits of the scalar one.

use super::{BinnedRecords, CellGrid, Dealing, Hits, Lanes, Record};
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

/// Records of a stream, with bins of half a box's length along an axis.
fn records(kind: StreamKind, n: usize, along: usize, bins: usize) -> (Vec<Record>, BinnedRecords) {
    let stream = BoxStream::new(kind, n, 11);
    let bin = |coordinate: f32| (coordinate.max(0.0) * 2.0).min(bins as f32 - 1.0) as u16;
    let records: Vec<Record> = (stream.boxes().iter().zip(0..))
        .map(|(aabb, key)| Record { aabb: *aabb, key, bins: [bin(aabb.min[along]), bin(aabb.max[along])] })
        .collect();
    let mut binned = BinnedRecords::default();
    let (some, others) = records.split_at(n / 3);
    binned.fill([some, others].into_iter(), bins);
    (records, binned)
}

#[test]
fn sweep_gives_the_same_pairs_on_every_width() {
    for (n, along, across, floor) in [
        (203 / MIRI_SHRINKS, 2, [0, 1], [2.0, 3.0]),
        (203 / MIRI_SHRINKS, 0, [1, 2], [4.0, 1.0]),
        (64 / MIRI_SHRINKS, 1, [2, 0], [f32::NEG_INFINITY, 3.0]),
        (17, 0, [1, 2], [1.0; 2]),
        (1, 0, [1, 2], [0.0; 2]),
        (0, 0, [1, 2], [0.0; 2]),
    ] {
        let (boxes, binned) = records(StreamKind::Brownian, n, along, 40);
        let mut expected = vec![];
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[i + 1..] {
                let corner = a.aabb.min.max(b.aabb.min);
                if a.aabb.overlaps(&b.aabb) && corner[across[0]] >= floor[0] && corner[across[1]] >= floor[1]
                {
                    expected.push((a.key, b.key));
                }
            }
        }
        for lanes in Lanes::available() {
            let mut hits = Hits::default();
            // Twice: the second time over what the first one left.
            for _ in 0..2 {
                assert_eq!(lanes.sweep(&binned, 0, across, floor, &mut hits), n);
                let keys = hits.iter().map(|(a, b)| (binned.get(a).key, binned.get(b).key));
                let mut found: Vec<(u32, u32)> = keys.map(|(a, b)| (a.min(b), a.max(b))).collect();
                found.sort_unstable();
                assert_eq!(found, expected, "{lanes}, {n} boxes along {along}");
            }
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
    let record = |key| Record { aabb: crate::Aabb::EVERYWHERE, key, bins: [0, 0] };
    let all: Vec<Record> = (0..600).map(record).collect();
    let mut binned = BinnedRecords::default();
    binned.fill([all.as_slice()].into_iter(), 1);
    for lanes in Lanes::available() {
        let (mut from, mut pieces, mut pairs) = (0, 0, vec![]);
        let mut hits = Hits::default();
        while from < 600 {
            from = lanes.sweep(&binned, from, [1, 2], [f32::NEG_INFINITY; 2], &mut hits);
            pairs.extend(hits.iter());
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
    let (boxes, binned) = records(StreamKind::Disparity, n, 0, 60);
    for query in &boxes {
        let (from, to) = binned.reach(query.bins);
        let overlapping = |range: std::ops::Range<usize>| -> Vec<u32> {
            let hit = |&position: &u32| binned.get(position).aabb.overlaps(&query.aabb);
            (range.start as u32..range.end as u32).filter(hit).collect()
        };
        assert_eq!(overlapping(from..to), overlapping(0..n), "out of reach");
        for lanes in Lanes::available() {
            let mut hits = vec![];
            lanes.scan_records(&binned, from, to, &query.aabb, &mut hits);
            assert_eq!(hits, overlapping(from..to), "{lanes}");
        }
    }
}

#[test]
fn dealt_records_are_the_same_on_every_width() {
    let stream = BoxStream::new(StreamKind::Disparity, 100, 3);
    let grid = CellGrid::new([0.0; 3], [0.1, 0.02, 0.02], [30, 4, 6]);
    let keys: Vec<u32> = (1000..1100).collect();
    let dealt = |lanes: Lanes| {
        let mut cells = vec![];
        let numbers = bytemuck::cast_slice(stream.boxes());
        lanes.cells(numbers, 6, &grid, &mut cells);
        let dealing = Dealing {
            numbers,
            stride: 6,
            cells: &cells,
            keys: &keys,
            along: 0,
            across: [1, 2],
            width: 7,
            most_copies: 4,
        };
        // Room for a hundred records in each of the 35 columns.
        let mut ends: Vec<u32> = (0..35).map(|column| column * 100).collect();
        let mut records = vec![Record::NOTHING; 3500];
        lanes.deal(&dealing, &mut ends, &mut records);
        let dealt = (0..35).flat_map(|column| column * 100..ends[column] as usize).map(|at| records[at]);
        dealt.map(bytemuck::cast::<Record, [u32; 8]>).collect::<Vec<_>>()
    };
    let expected = dealt(Lanes::scalar());
    assert!(expected.len() > 100);
    for lanes in Lanes::available() {
        assert_eq!(dealt(lanes), expected, "{lanes}");
    }
}

#[test]
fn cells_are_the_same_on_every_width() {
    let grid = CellGrid::new([0.5, -1e6, 3.0], [1.7, 1e-3, 0.0], [7, 60_000, 0]);
    let mut numbers: Vec<f32> = vec![
        0.0,
        -0.0,
        1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        4.1,
        1e-40,
        -7.0,
        2.0,
        0.5,
        1.0882352,
    ];
    let stream = BoxStream::new(StreamKind::Disparity, 40, 3);
    numbers.extend(bytemuck::cast_slice::<_, f32>(stream.boxes()));
    for stride in [6, 7, 8] {
        let mut expected = vec![];
        Lanes::scalar().cells(&numbers, stride, &grid, &mut expected);
        for (cells, box_numbers) in expected.iter().zip(numbers.chunks(stride)) {
            for axis in 0..3 {
                assert_eq!(cells.min(axis), grid.cell(axis, box_numbers[axis]));
                assert_eq!(cells.max(axis), grid.cell(axis, box_numbers[axis + 3]));
            }
        }
        for lanes in Lanes::available() {
            let mut cells = vec![];
            lanes.cells(&numbers, stride, &grid, &mut cells);
            assert_eq!(cells, expected, "{lanes}, stride {stride}");
        }
    }
}

#[test]
fn cells_never_decrease_and_stay_inside() {
    let grid = CellGrid::new([3.0, 0.0, 0.0], [0.7, 0.0, 1e30], [8, 0, 5]);
    let coordinates = [f32::NEG_INFINITY, -1e30, 0.0, 3.0, 3.5, 4.4, 4.5, 10.0, 1e30, f32::INFINITY];
    for (axis, last) in [(0, 8), (1, 0), (2, 5)] {
        let cells: Vec<u16> = coordinates.iter().map(|&c| grid.cell(axis, c)).collect();
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
