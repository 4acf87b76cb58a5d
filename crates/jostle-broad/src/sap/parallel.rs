//! Parallel sweep and prune (seed 000, section 4.2): the three axes sorted at once by vector instructions, the change
//! lists of the axes made one, and only changed boxes tested again.
//!
//! The seed marks pairs one after another when the parallel part is done, and cannot tell that a collision has ended.
//! Here the pairs of changed boxes are forgotten and found anew, by tasks that write runs of their own. One axis, the
//! one on which the fewest boxes overlap, is enough to find candidates; the boxes themselves decide on the others.

use super::endpoint_arrays::{EndpointArrays, Suspects};
use super::sweep::Sweep;
use super::{MOVED, STRUCTURAL, apply_changes};
use crate::finder::StageClock;
use crate::{
    Boxes, Changes, FindError, FindReport, FindSettings, Pair, PairBuffer, PairFinder, PairRun, Revision,
};

/// How the pairs of a changed box are found (seed 000, section 4.2.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverlapMethod {
    /// Among the boxes that begin between its minimum and its maximum in the sorted order, and those that enclose it.
    #[default]
    BetweenEndpoints,
    /// Among all boxes. The cost is quadratic where all boxes change.
    ChangedAgainstAll,
}

/// Sweep and prune in parallel and with vector instructions: cost by how many boxes change.
#[derive(Debug, Default)]
pub struct SapSimd {
    /// How the pairs of a changed box are found. Default: between its endpoints.
    pub method: OverlapMethod,
    /// Refuses more boxes than this. Default: no limit between endpoints, 50,000 (about a second on one core, all
    /// boxes moving) against all.
    pub size_limit: Option<usize>,
    axes: [EndpointArrays; 3],
    seen: Option<Revision>,
    /// By slot: [`MOVED`], [`STRUCTURAL`] or 0.
    marks: Vec<u8>,
    /// The slots marked [`STRUCTURAL`].
    structural: Vec<u32>,
    /// The slots of boxes to find anew, each once.
    changed: Vec<u32>,
    added: Vec<Pair>,
    removed: Vec<Pair>,
    sweep: Sweep,
    pairs: PairBuffer,
}

impl SapSimd {
    /// A finder of this method, with the method's limit of size.
    pub fn new(method: OverlapMethod) -> Self {
        let size_limit = match method {
            OverlapMethod::BetweenEndpoints => None,
            OverlapMethod::ChangedAgainstAll => Some(50_000),
        };
        Self { method, size_limit, ..Self::default() }
    }

    /// Sorts the three axes at once. Says whether anything is known of the pairs before.
    fn sort_axes(&mut self, boxes: &Boxes, settings: &FindSettings) -> bool {
        self.marks.clear();
        self.marks.resize(boxes.slots(), 0);
        self.structural.clear();
        let suspects = match boxes.changes_since(self.seen) {
            Changes::These(changes) => {
                for change in changes {
                    let mark = &mut self.marks[change.slot() as usize];
                    if change.is_structural() && *mark != STRUCTURAL {
                        *mark = STRUCTURAL;
                        self.structural.push(change.slot());
                    } else if *mark == 0 {
                        *mark = MOVED;
                    }
                }
                Suspects::Marked(&self.marks, &self.structural)
            }
            Changes::Everything if boxes.only_moves_since(self.seen) => Suspects::AnyMoved,
            Changes::Everything => Suspects::Unknown,
        };
        let lanes = settings.lanes;
        settings.executor.for_each(&mut self.axes, |index, axis| axis.update(index, boxes, suspects, lanes));
        !matches!(suspects, Suspects::Unknown)
    }

    /// Makes one list of the lists of the axes, each slot once, and marks what is in it.
    fn join_changes(&mut self, boxes: &Boxes, is_known: bool) {
        self.changed.clear();
        if !is_known {
            self.changed.extend(boxes.live_slots());
            return;
        }
        // From here on a mark says: pairs of this slot are not known.
        for (slot, mark) in self.marks.iter_mut().enumerate() {
            if *mark == STRUCTURAL && boxes.is_live(slot as u32) {
                self.changed.push(slot as u32);
            }
            *mark = u8::from(*mark == STRUCTURAL);
        }
        for &slot in self.axes.iter().flat_map(|axis| &axis.changes) {
            if self.marks[slot as usize] == 0 {
                self.marks[slot as usize] = 1;
                self.changed.push(slot);
            }
        }
    }

    fn find(&mut self, boxes: &Boxes, settings: &FindSettings) {
        if self.changed.is_empty() {
            return self.sweep.find_none();
        }
        let is_all = self.changed.len() == boxes.len();
        match self.method {
            OverlapMethod::BetweenEndpoints => {
                let fewest = (0..3).min_by_key(|&axis| self.axes[axis].overlaps).unwrap_or(0);
                self.sweep.arrange(boxes, self.axes[fewest].iter());
                if is_all {
                    self.sweep.find_all(boxes, settings);
                } else {
                    let marks = &self.marks;
                    self.sweep.find_changed(boxes, settings, |slot| marks[slot as usize] != 0);
                }
            }
            OverlapMethod::ChangedAgainstAll => {
                // Changed boxes first, each against all after it: every pair of theirs once.
                let marks = &self.marks;
                let others = boxes.live_slots().filter(|&slot| !is_all && marks[slot as usize] == 0);
                self.sweep.arrange_all_against_all(boxes, self.changed.iter().copied().chain(others));
                self.sweep.find_rows(boxes, settings, self.changed.len());
            }
        }
    }

    /// Puts together what is still known of the pairs before and what was found.
    fn join_pairs(
        &mut self,
        boxes: &Boxes,
        settings: &FindSettings,
        is_known: bool,
    ) -> Result<(), FindError> {
        let marks = &self.marks;
        let is_kept = |id: u32| boxes.slot_of(id).is_some_and(|slot| marks[slot as usize] == 0);
        let is_kept = |pair: &&Pair| is_known && is_kept(pair.low) && is_kept(pair.high);
        let before = self.pairs.as_slice();
        if is_known && self.changed.len() < boxes.len() / 8 && self.sweep.holds_all() {
            self.removed.clear();
            self.removed.extend(before.iter().filter(|pair| !is_kept(pair)));
            self.added.clear();
            self.sweep.append_to(&mut self.added);
            return apply_changes(&mut self.pairs, &mut self.added, &mut self.removed, settings);
        }
        let mut kept = PairRun::new(settings.pair_limit);
        before.iter().filter(is_kept).for_each(|pair| kept.push(pair.low, pair.high));
        self.sweep.replace(&mut self.pairs, kept, settings)
    }
}

impl PairFinder for SapSimd {
    fn name(&self) -> &str {
        "sap-simd"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        if let Some(limit) = self.size_limit {
            FindError::check_boxes("sap-simd", limit, boxes)?;
        }
        let mut clock = StageClock::start();
        let is_known = self.sort_axes(boxes, settings);
        clock.end("sort");
        self.join_changes(boxes, is_known);
        clock.end("compare");
        self.find(boxes, settings);
        clock.end("test");
        let result = self.join_pairs(boxes, settings, is_known);
        // Where the pairs were refused, nothing is known of those before the next update.
        self.seen = result.is_ok().then(|| boxes.revision());
        result?;
        clock.end("order");

        let anew = self.axes.iter().filter(|axis| axis.sorted_anew).count();
        Ok(FindReport {
            boxes: boxes.len(),
            moved: self.changed.len(),
            tests: self.sweep.tests(),
            pairs: self.pairs.len(),
            bytes: self.bytes(),
            stages: clock.stages(),
            detail: Some(format!("{anew} of 3 axes sorted anew")),
            ..FindReport::default()
        })
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        self.axes.iter().map(EndpointArrays::bytes).sum::<usize>()
            + self.marks.capacity()
            + (self.structural.capacity() + self.changed.capacity()) * size_of::<u32>()
            + (self.added.capacity() + self.removed.capacity()) * size_of::<Pair>()
            + self.sweep.bytes()
            + self.pairs.bytes()
    }

    fn size_limit(&self) -> Option<usize> {
        self.size_limit
    }
}
