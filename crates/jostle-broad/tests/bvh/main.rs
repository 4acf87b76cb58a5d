//! `bvh` in the situations it has ways of its own for.

mod scenes;
mod trembling;

use jostle_broad::verify::true_pairs;
use jostle_broad::{Boxes, Bvh, Executor, FindReport, FindSettings, Lanes, Pair, PairFinder};

/// Follows a store through changes, and compares pairs and changes of pairs with the truth.
struct Follower {
    finder: Bvh,
    settings: FindSettings,
    before: Vec<Pair>,
    report: FindReport,
}

impl Follower {
    fn all() -> Vec<Self> {
        let made = |(index, lanes): (usize, Lanes)| Self {
            finder: Bvh::default(),
            settings: FindSettings {
                lanes,
                changes: true,
                executor: Executor::new(1 + index).unwrap(),
                ..FindSettings::default()
            },
            before: vec![],
            report: FindReport::default(),
        };
        Lanes::available().into_iter().enumerate().map(made).collect()
    }

    fn check(&mut self, boxes: &Boxes, truth: &[Pair]) {
        self.report = self.finder.update(boxes, &self.settings).unwrap();
        let pairs = self.finder.pairs();
        assert!(pairs.iter().eq(truth.iter().copied()), "read one by one");
        assert_eq!((pairs.len(), pairs.iter().len()), (truth.len(), truth.len()));
        assert_eq!(pairs.as_slice(), truth);
        let only_in = |a: &[Pair], b: &[Pair]| -> Vec<Pair> {
            a.iter().filter(|pair| b.binary_search(pair).is_err()).copied().collect()
        };
        assert_eq!(pairs.added(), only_in(truth, &self.before));
        assert_eq!(pairs.removed(), only_in(&self.before, truth));
        self.before = truth.to_vec();
    }
}

fn check_all(followers: &mut [Follower], boxes: &Boxes) {
    let truth = true_pairs(boxes);
    followers.iter_mut().for_each(|follower| follower.check(boxes, &truth));
}
