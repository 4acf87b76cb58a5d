//! Every kernel on every instruction set gives the bits of the scalar one.

use super::Lanes;
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
    let mut arrays = BoxArrays::default();
    arrays.extend(stream.boxes().iter().copied());
    let homes: Vec<u32> = (0..203).map(|i| i % 4).collect();
    for window in [0, 1, 15, 16, 17, 203] {
        let ends: Vec<u32> = (0..203).map(|i| (i + 1 + window).min(203)).collect();
        let mut expected = vec![];
        for i in 0..203u32 {
            for j in i + 1..ends[i as usize] {
                let (a, b) = (i as usize, j as usize);
                if (homes[a] | homes[b]) & 3 == 3 && stream.boxes()[a].overlaps(&stream.boxes()[b]) {
                    expected.push([i, j]);
                }
            }
        }
        for lanes in Lanes::available() {
            let mut hits = vec![];
            lanes.sweep(&arrays, &ends, &homes, 3, &mut hits);
            assert_eq!(hits, expected, "{lanes}, window {window}");
        }
    }
}
