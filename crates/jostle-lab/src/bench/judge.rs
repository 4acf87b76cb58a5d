//! Decides frame by frame whether the finders of a bench are right.
//!
//! Without `--verify` they must find the same number of pairs. With it, pairs and changes of every finder are compared
//! with a reference: the truth, or, in the frames of large scenes for which the truth is not computed, the first
//! finder's pairs. A finder's first trouble is kept; the bench goes on.

use jostle_broad::verify::{BRUTE_LIMIT, true_pairs, verify};
use jostle_broad::{Pair, PairBuffer};

use super::run::Member;

pub(crate) struct Judge {
    verify: bool,
    /// Frames for which the truth is computed. `None`: all.
    chosen: Option<[u32; 3]>,
    true_frames: u32,
    /// The reference of the frame before, and of this one.
    before: Vec<Pair>,
    now: Vec<Pair>,
}

impl Judge {
    pub(crate) fn new(verify: bool, n: usize, frames: u32) -> Self {
        let chosen = (n > BRUTE_LIMIT).then(|| [0, frames / 2, frames.saturating_sub(1)]);
        Self { verify, chosen, true_frames: 0, before: Vec::new(), now: Vec::new() }
    }

    pub(crate) fn verifies(&self) -> bool {
        self.verify
    }

    pub(crate) fn true_frames(&self) -> u32 {
        self.true_frames
    }

    /// Looks at the pairs of all finders after a frame.
    pub(crate) fn look(&mut self, frame: u32, members: &mut [Member]) {
        if !self.verify {
            return compare_counts(frame, members);
        }
        std::mem::swap(&mut self.before, &mut self.now);
        let known = self.chosen.is_none_or(|frames| frames.contains(&frame));
        self.now = if known { self.truth(&members[0]) } else { sorted(members[0].finder.pairs()) };
        let (added, removed) = (only_in(&self.now, &self.before), only_in(&self.before, &self.now));
        for member in members {
            let pairs = member.finder.pairs();
            let wrong = if sorted(pairs) != self.now {
                Some(match verify(&member.store, pairs.as_slice()) {
                    Err(mismatch) => mismatch.to_string(),
                    Ok(()) => "its pairs are right, but those of the first finder are not".to_string(),
                })
            } else if member.settings.changes && pairs.added() != added {
                Some(format!(
                    "reports {} added pairs, but other {} are new",
                    pairs.added().len(),
                    added.len()
                ))
            } else if member.settings.changes && pairs.removed() != removed {
                Some(format!(
                    "reports {} removed pairs, but other {} are gone",
                    pairs.removed().len(),
                    removed.len()
                ))
            } else if member.settings.wants_order() && !pairs.as_slice().is_sorted() {
                Some("its pairs are not in canonical order".to_string())
            } else {
                None
            };
            if let Some(wrong) = wrong {
                complain(member, frame, &wrong);
            }
        }
    }

    /// The true pairs. The first finder's stand for them once they are verified, which saves finding them twice.
    fn truth(&mut self, first: &Member) -> Vec<Pair> {
        self.true_frames += 1;
        match verify(&first.store, first.finder.pairs().as_slice()) {
            Ok(()) => sorted(first.finder.pairs()),
            Err(_) => true_pairs(&first.store),
        }
    }
}

fn compare_counts(frame: u32, members: &mut [Member]) {
    let (first, others) = members.split_first_mut().expect("a bench runs at least one finder");
    let count = first.finder.pairs().len();
    for member in others {
        let found = member.finder.pairs().len();
        if found != count {
            complain(member, frame, &format!("found {found} pairs, but {} found {count}", first.name));
        }
    }
}

fn complain(member: &mut Member, frame: u32, wrong: &str) {
    let threads = member.settings.executor.threads();
    member.trouble.get_or_insert_with(|| {
        format!(
            "{} with {} lanes and {threads} threads, {} boxes, frame {frame}: {wrong}",
            member.name,
            member.settings.lanes,
            member.store.len()
        )
    });
}

fn sorted(pairs: &PairBuffer) -> Vec<Pair> {
    let mut list = pairs.as_slice().to_vec();
    list.sort_unstable();
    list
}

fn only_in(a: &[Pair], b: &[Pair]) -> Vec<Pair> {
    a.iter().filter(|pair| b.binary_search(pair).is_err()).copied().collect()
}

#[cfg(test)]
mod tests {
    use jostle_broad::scene::StreamKind;
    use jostle_broad::{Boxes, Brute, FindError, FindReport, FindSettings, PairFinder, PairRun};

    use super::*;
    use crate::scene::Scene;

    /// What a finder may get wrong.
    #[derive(Clone, Copy, Debug)]
    enum Lie {
        None,
        LosesOne,
        SwapsOne,
        HidesChanges,
    }

    /// Brute force that lies from its second frame on.
    struct Liar {
        lie: Lie,
        frame: usize,
        brute: Brute,
        pairs: PairBuffer,
    }

    impl PairFinder for Liar {
        fn name(&self) -> &str {
            "liar"
        }

        fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
            let report = self.brute.update(boxes, settings)?;
            let lie = if self.frame == 0 { Lie::None } else { self.lie };
            self.frame += 1;
            let mut list = self.brute.pairs().as_slice().to_vec();
            if matches!(lie, Lie::LosesOne | Lie::SwapsOne) {
                list.pop();
            }
            if matches!(lie, Lie::SwapsOne) {
                list.push(Pair::new(u32::MAX - 1, u32::MAX));
            }
            let mut run = PairRun::new(None);
            list.iter().for_each(|pair| run.push(pair.low, pair.high));
            let changes = settings.changes && !matches!(lie, Lie::HidesChanges);
            self.pairs.replace([&run], &FindSettings { changes, ..settings.clone() })?;
            Ok(report)
        }

        fn pairs(&self) -> &PairBuffer {
            &self.pairs
        }

        fn bytes(&self) -> usize {
            self.pairs.bytes()
        }
    }

    fn troubles(verify: bool, lies: [Lie; 2]) -> [Option<String>; 2] {
        let mut scene = Scene::stream(StreamKind::Fast, 200, 1);
        let mut judge = Judge::new(verify, 200, 3);
        let mut members = lies.map(|lie| {
            let finder = Liar { lie, frame: 0, brute: Brute::default(), pairs: PairBuffer::default() };
            let settings = FindSettings { changes: true, ..FindSettings::default() };
            Member::new(format!("{lie:?}"), Box::new(finder), settings)
        });
        for frame in 0..3 {
            if frame > 0 {
                scene.advance().unwrap();
            }
            members.iter_mut().for_each(|member| member.step(&scene, frame).unwrap());
            judge.look(frame, &mut members);
        }
        members.map(|member| member.trouble)
    }

    #[test]
    fn wrong_finders_are_found_out() {
        // (verify, the two finders, what is said of the first, what is said of the second)
        let table = [
            (false, [Lie::None, Lie::None], [None, None]),
            (true, [Lie::None, Lie::None], [None, None]),
            (false, [Lie::None, Lie::LosesOne], [None, Some("but None found")]),
            (false, [Lie::LosesOne, Lie::None], [None, Some("but LosesOne found")]),
            (true, [Lie::None, Lie::LosesOne], [None, Some("1 pairs are missing")]),
            (true, [Lie::LosesOne, Lie::None], [Some("1 pairs are missing"), None]),
            (true, [Lie::SwapsOne, Lie::SwapsOne], [Some("1 are extra"), Some("1 are extra")]),
            (true, [Lie::None, Lie::HidesChanges], [None, Some("reports 0 added pairs")]),
            (true, [Lie::HidesChanges, Lie::None], [Some("reports 0 added pairs"), None]),
        ];
        for (verify, lies, expected) in table {
            for (trouble, expected) in troubles(verify, lies).into_iter().zip(expected) {
                assert_eq!(trouble.is_some(), expected.is_some(), "{lies:?}: {trouble:?}");
                let said = trouble.unwrap_or_default();
                assert!(said.contains(expected.unwrap_or_default()), "{lies:?}: {said}");
                assert!(said.is_empty() || said.contains("frame 1"), "the first frame that is wrong: {said}");
            }
        }
    }

    #[test]
    fn the_truth_of_large_scenes_is_found_for_three_frames() {
        let judge = Judge::new(true, BRUTE_LIMIT + 1, 20);
        assert_eq!(judge.chosen, Some([0, 10, 19]));
        assert_eq!(Judge::new(true, BRUTE_LIMIT, 20).chosen, None);
    }
}
