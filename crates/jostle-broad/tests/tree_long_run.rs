//! A tree that is kept for hundreds of frames stays whole, right, and about as good as a fresh one.

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::verify::verify;
use jostle_broad::{
    Boxes, Executor, Filter, FindSettings, Moved, Pair, PairFinder, Tree, TreeFinder, TreeSettings,
};

/// How many times worse the tree is than one built anew around the same fat boxes.
fn wear(tree: &Tree) -> f64 {
    let mut fresh = tree.clone();
    fresh.rebuild(&Executor::serial());
    tree.quality() / fresh.quality()
}

#[test]
fn the_finder_stays_right_and_its_tree_good() {
    let settings = FindSettings { changes: true, ..FindSettings::default() };
    for kind in [StreamKind::Fast, StreamKind::Brownian, StreamKind::Still10, StreamKind::Disparity] {
        let mut stream = BoxStream::new(kind, 500, 11);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        let mut finder = TreeFinder::default();
        for frame in 0..300 {
            finder.update(&boxes, &settings).unwrap();
            let context = format!("{} in frame {frame}", kind.name());
            finder.tree().validate().unwrap_or_else(|defect| panic!("{context}: {defect}"));
            if frame % 7 == 0 {
                verify(&boxes, finder.pairs().as_slice())
                    .unwrap_or_else(|wrong| panic!("{context}: {wrong}"));
                let wear = wear(finder.tree());
                assert!(wear < 2.0, "{context}: {wear} times as bad as a fresh tree");
            }
            stream.advance();
            let moved = if frame % 3 == 0 { Moved::All } else { Moved::Ids(stream.moved()) };
            boxes.update(moved, stream.boxes()).unwrap();
        }
    }
}

#[test]
fn a_tree_on_its_own_stays_good_when_tended() {
    for kind in [StreamKind::Fast, StreamKind::Brownian] {
        let mut stream = BoxStream::new(kind, 500, 12);
        let mut tree = Tree::new(TreeSettings { margin: 0.1, ..TreeSettings::default() }).unwrap();
        for (key, aabb) in stream.boxes().iter().enumerate() {
            tree.insert(key as u32, *aabb).unwrap();
        }
        for frame in 0..300 {
            stream.advance();
            for &key in stream.moved() {
                tree.set(key, stream.boxes()[key as usize]).unwrap();
            }
            tree.tend(&Executor::serial());
            tree.validate().unwrap_or_else(|defect| panic!("{} in frame {frame}: {defect}", kind.name()));
            let wear = wear(&tree);
            assert!(wear < 2.0, "{} in frame {frame}: {wear} times as bad as a fresh tree", kind.name());
        }
    }
}

/// After an update that failed, the next one gives the right pairs, and the right changes since the last good one.
#[test]
fn a_pair_limit_does_not_put_the_finder_out_of_step() {
    let mut stream = BoxStream::new(StreamKind::Brownian, 400, 13);
    let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let good = FindSettings { changes: true, ..FindSettings::default() };
    let tight = FindSettings { pair_limit: Some(10), ..good.clone() };
    let mut finder = TreeFinder::default();
    assert!(finder.update(&boxes, &tight).is_err());
    assert!(finder.pairs().is_empty());
    let mut before: Vec<Pair> = Vec::new();
    for frame in 0..60 {
        if frame % 3 == 1 {
            assert!(finder.update(&boxes, &tight).is_err());
            assert_eq!(finder.pairs().as_slice(), before, "as before the call");
        }
        if frame % 6 != 1 {
            finder.update(&boxes, &good).unwrap();
            let now = finder.pairs().as_slice().to_vec();
            verify(&boxes, &now).unwrap();
            let only_in = |a: &[Pair], b: &[Pair]| -> Vec<Pair> {
                a.iter().filter(|pair| b.binary_search(pair).is_err()).copied().collect()
            };
            assert_eq!(finder.pairs().added(), only_in(&now, &before), "frame {frame}");
            assert_eq!(finder.pairs().removed(), only_in(&before, &now), "frame {frame}");
            before = now;
        }
        stream.advance();
        boxes.update(Moved::Ids(&stream.moved()[..40]), stream.boxes()).unwrap();
        // An id that moves to another slot keeps its pairs.
        let (first, second) = (2 * frame, 2 * frame + 1);
        let (a, b) = (boxes.remove(first).unwrap(), boxes.remove(second).unwrap());
        boxes.insert(first, a, Filter::default()).unwrap();
        boxes.insert(second, b, Filter::default()).unwrap();
    }
}

#[test]
fn a_frame_in_which_nothing_changed_makes_no_tests() {
    let stream = BoxStream::new(StreamKind::Brownian, 1000, 14);
    let boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
    let mut finder = TreeFinder::default();
    let first = finder.update(&boxes, &FindSettings::default()).unwrap();
    let second = finder.update(&boxes, &FindSettings::default()).unwrap();
    assert!(first.tests > 0 && first.moved == 1000);
    assert_eq!((second.tests, second.moved, second.pairs), (0, 0, first.pairs));
}
