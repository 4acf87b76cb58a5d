//! Every kernel on every instruction set gives the bits of the scalar one.

use super::{CellGrid, Hits, Lanes};
use crate::arrays::BoxArrays;
use crate::scene::{BoxStream, StreamKind};

#[test]
fn lanes_are_chosen_by_name_and_refused_by_name() {
    for lanes in Lanes::available() {
        assert_eq!(Lanes::named(lanes.name()), Ok(lanes));
    }
    let refused = Lanes::named("altivec").unwrap_err().to_string();
    assert!(refused.contains("altivec") && refused.contains("scalar"), "{refused}");
}

#[test]
fn scan_gives_the_same_hits_on_every_width() {
    let stream = BoxStream::new(StreamKind::Disparity, 301, 7);
    let mut arrays = BoxArrays::default();
    arrays.extend(stream.boxes().iter().copied());
    for query in stream.boxes().iter().step_by(13) {
        for (from, to) in [(0, 301), (5, 6), (17, 17), (1, 33), (290, 301)] {
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
fn sweep_gives_the_same_hits_on_every_width() {
    let stream = BoxStream::new(StreamKind::Brownian, 203, 11);
    let boxes = stream.boxes();
    let mut arrays = BoxArrays::default();
    arrays.extend(boxes.iter().copied());
    for (window, across, floor) in [
        (0, [0, 1], [2.0, 3.0]),
        (1, [1, 2], [4.0, 1.0]),
        (15, [2, 0], [f32::NEG_INFINITY, 3.0]),
        (203, [1, 2], [3.0; 2]),
    ] {
        let ends: Vec<u32> = (0..203).map(|i| (i + 1 + window).min(203)).collect();
        let mut expected = vec![];
        for i in 0..203usize {
            for j in i + 1..ends[i] as usize {
                let begins = |k: usize| boxes[i].min[across[k]].max(boxes[j].min[across[k]]) >= floor[k];
                if boxes[i].overlaps(&boxes[j]) && begins(0) && begins(1) {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        for lanes in Lanes::available() {
            let mut hits = Hits::default();
            // Twice: the second time over what the first one left.
            for _ in 0..2 {
                lanes.sweep(&arrays, &ends, across, floor, &mut hits);
                assert_eq!(hits.iter().collect::<Vec<_>>(), expected, "{lanes}, window {window}");
            }
        }
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
