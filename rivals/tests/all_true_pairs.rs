//! Every rival knows all pairs that overlap, on all streams; otherwise its times would mean nothing.

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::verify::true_pairs;
use jostle_broad::{Boxes, Pair};
use jostle_rivals::adapters;

const BOXES: usize = 300;
const FRAMES: usize = 5;

#[test]
fn every_rival_knows_all_true_pairs() {
    for rival in adapters::all() {
        for kind in StreamKind::ALL {
            for threads in [1, 2] {
                let mut stream = BoxStream::new(kind, BOXES, 1);
                let mut contestant = (rival.make)(stream.boxes(), threads).unwrap();
                contestant.note();
                for frame in 0..FRAMES {
                    if frame > 0 {
                        stream.advance();
                        contestant.update(stream.boxes(), stream.moved()).unwrap();
                        contestant.note();
                    }
                    let mut listed = contestant.pairs();
                    listed.sort_unstable();
                    let truth = true_pairs(&Boxes::from_aabbs(stream.boxes()).unwrap());
                    let missing: Vec<&Pair> =
                        truth.iter().filter(|pair| listed.binary_search(pair).is_err()).collect();
                    assert!(
                        missing.is_empty(),
                        "{} misses {} of {} pairs on {}, frame {frame}, {threads} threads: {:?} ...",
                        rival.name,
                        missing.len(),
                        truth.len(),
                        kind.name(),
                        missing[0],
                    );
                    let mut once = listed.clone();
                    once.dedup();
                    assert_eq!(
                        once.len(),
                        listed.len(),
                        "{} lists pairs twice on {}",
                        rival.name,
                        kind.name()
                    );
                    // Margins add pairs, but a rival that lists everything would say nothing.
                    assert!(
                        listed.len() < 3 * truth.len(),
                        "{} lists {} pairs where {} overlap on {}",
                        rival.name,
                        listed.len(),
                        truth.len(),
                        kind.name(),
                    );
                }
            }
        }
    }
}
