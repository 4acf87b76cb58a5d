//! `auto` changes its mind when the scene does, and nobody can tell from the pairs.

use std::collections::BTreeSet;

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::verify::true_pairs;
use jostle_broad::{Auto, Boxes, DecideBy, Filter, FindSettings, Moved, Pair, PairFinder};

/// One store that lives through several kinds of motion, with boxes coming and going in between.
fn live_through(decide_by: DecideBy) -> BTreeSet<&'static str> {
    let settings = FindSettings { changes: true, ..FindSettings::default() };
    let mut auto = Auto::new(decide_by);
    let mut boxes = Boxes::default();
    let mut before: Vec<Pair> = Vec::new();
    let mut chosen = BTreeSet::new();
    let phases = [
        (StreamKind::Brownian, 60, 40),
        (StreamKind::Still10, 900, 60),
        (StreamKind::Fast, 900, 60),
        (StreamKind::Still, 900, 3),
        (StreamKind::Pile, 500, 40),
        (StreamKind::Brownian, 0, 2),
        (StreamKind::Disparity, 1700, 20),
    ];
    for (kind, n, frames) in phases {
        let mut stream = BoxStream::new(kind, n, 4);
        for id in 0..boxes.slots().max(n) as u32 {
            match (boxes.contains(id), (id as usize) < n) {
                (false, true) => boxes.insert(id, stream.boxes()[id as usize], Filter::default()).unwrap(),
                (true, true) => boxes.set(id, stream.boxes()[id as usize]).unwrap(),
                (true, false) => drop(boxes.remove(id).unwrap()),
                (false, false) => {}
            }
        }
        for frame in 0..frames {
            let report = auto.update(&boxes, &settings).unwrap();
            let truth = true_pairs(&boxes);
            let context = format!("{} frame {frame} by {:?}", kind.name(), auto.chosen());
            assert_eq!(auto.pairs().as_slice(), truth, "{context}");
            let only_in = |a: &[Pair], b: &[Pair]| -> Vec<Pair> {
                a.iter().filter(|pair| b.binary_search(pair).is_err()).copied().collect()
            };
            assert_eq!(auto.pairs().added(), only_in(&truth, &before), "{context}");
            assert_eq!(auto.pairs().removed(), only_in(&before, &truth), "{context}");
            assert!(report.detail.unwrap().starts_with(auto.chosen().unwrap()));
            before = truth;
            chosen.extend(auto.chosen());
            stream.advance();
            boxes.update(Moved::Ids(stream.moved()), stream.boxes()).unwrap();
        }
    }
    chosen
}

#[test]
fn switching_by_counted_work_is_invisible_in_the_pairs() {
    let chosen = live_through(DecideBy::Work);
    assert!(chosen.len() >= 2, "only {chosen:?} was ever used");
}

#[test]
fn switching_by_time_is_invisible_in_the_pairs() {
    let chosen = live_through(DecideBy::Time);
    assert!(chosen.len() >= 2, "only {chosen:?} was ever used");
}
