//! A stretch of blocks: what overlaps there, now and in the frame before.

use super::blocks::{Blocks, places_of};
use super::roster::Roster;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Boxes, FindSettings, Pair, PairRun};

/// Blocks that one task crosses.
pub(super) const TASK_BLOCKS: usize = 64;

/// The pairs of a stretch of blocks, each with the lower of its two blocks.
#[derive(Debug, Default)]
pub(super) struct Task {
    /// The pairs of all of its blocks as [`Blocks::cross`] gives them, and where those of each block end.
    hits: Vec<u32>,
    ends: Vec<usize>,
    /// The same of the frame before.
    hits_before: Vec<u32>,
    ends_before: Vec<usize>,
    others: Vec<u32>,
    spare: Vec<u32>,
    /// What changed.
    pub(super) added: Vec<Pair>,
    pub(super) removed: Vec<Pair>,
    /// All pairs, where none are known.
    pub(super) run: PairRun,
    /// How many times a block was looked at.
    pub(super) visited: usize,
}

/// What the tasks of a frame read.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) blocks: &'a Blocks,
    pub(super) roster: &'a Roster,
    pub(super) boxes: &'a Boxes,
    pub(super) settings: &'a FindSettings,
    /// How many pairs all tasks have found in this frame.
    pub(super) found: &'a AtomicUsize,
}

impl Scene<'_> {
    /// Counts pairs that a task found: how many are there now?
    fn count(&self, more: usize) -> usize {
        self.found.fetch_add(more, Ordering::Relaxed) + more
    }

    fn blocks_of(&self, task: usize) -> std::ops::Range<usize> {
        task * TASK_BLOCKS..((task + 1) * TASK_BLOCKS).min(self.blocks.count())
    }

    #[inline]
    fn pair_of(&self, block: usize, hit: u32) -> Pair {
        let (a, b) = places_of(block as u32, hit);
        Pair::new(self.roster.ids[a as usize], self.roster.ids[b as usize])
    }
}

impl Task {
    /// All pairs, where nothing is known of the frame before.
    pub(super) fn find_all(&mut self, index: usize, scene: Scene<'_>) {
        self.run.reset(scene.settings.pair_limit);
        self.begin();
        for block in scene.blocks_of(index) {
            let first = self.hits.len();
            self.cross(block, scene);
            self.run.extend_by(self.hits[first..].iter().map(|&hit| {
                let pair = scene.pair_of(block, hit);
                (pair.low, pair.high)
            }));
            let found = scene.count(self.hits.len() - first);
            if scene.settings.pair_limit.is_some_and(|limit| found > limit) {
                // They will be refused: then there is no need to keep any.
                self.run.only_count();
                self.hits.clear();
            }
        }
    }

    /// The pairs of its blocks, and how they differ from those of the frame before. Where there are marks, only marked
    /// blocks can differ. Gives up, and says so, when all tasks together have more than `most_hits`.
    pub(super) fn follow(
        &mut self,
        index: usize,
        marked: Option<&[bool]>,
        most_hits: usize,
        scene: Scene<'_>,
    ) -> bool {
        self.begin();
        let first = index * TASK_BLOCKS;
        for block in scene.blocks_of(index) {
            let so_far = self.hits.len();
            match marked {
                Some(marked) if !marked[block] => {
                    let before = self.before(block - first);
                    self.hits.extend_from_slice(&self.hits_before[before]);
                    self.ends.push(self.hits.len());
                }
                _ => self.cross(block, scene),
            }
            if scene.count(self.hits.len() - so_far) > most_hits {
                return false;
            }
        }
        self.compare(first, scene);
        true
    }

    /// Begins a frame: what was found last is now what was before.
    fn begin(&mut self) {
        std::mem::swap(&mut self.hits, &mut self.hits_before);
        std::mem::swap(&mut self.ends, &mut self.ends_before);
        self.hits.clear();
        self.ends.clear();
        self.forget_changes();
    }

    /// Nothing changed here.
    pub(super) fn forget_changes(&mut self) {
        self.added.clear();
        self.removed.clear();
        self.visited = 0;
    }

    /// Finds the pairs of one block.
    fn cross(&mut self, block: usize, scene: Scene<'_>) {
        let first = self.hits.len();
        let Self { hits, others, spare, .. } = self;
        self.visited += scene.blocks.cross(scene.settings.lanes, block as u32, hits, others, spare);
        if !scene.boxes.admits_all() {
            let slots = &scene.roster.slots;
            let mut kept = first;
            for at in first..hits.len() {
                let (a, b) = places_of(block as u32, hits[at]);
                hits[kept] = hits[at];
                kept += usize::from(scene.boxes.may_pair(slots[a as usize], slots[b as usize]));
            }
            hits.truncate(kept);
        }
        self.ends.push(self.hits.len());
    }

    /// Where the hits of a block of the frame before are. There may be more blocks now than there were.
    fn before(&self, index: usize) -> std::ops::Range<usize> {
        let end = |index: usize| self.ends_before.get(index).copied().unwrap_or(self.hits_before.len());
        if index == 0 { 0..end(0) } else { end(index - 1)..end(index) }
    }

    /// Compares the pairs of all blocks with those of the frame before.
    fn compare(&mut self, first_block: usize, scene: Scene<'_>) {
        let mut begin = 0;
        for index in 0..self.ends.len() {
            let end = self.ends[index];
            let (new, old) = (&self.hits[begin..end], &self.hits_before[self.before(index)]);
            begin = end;
            // Both ascend, and are nearly the same: each difference is followed by a stretch without one.
            let (mut i, mut j) = (0, 0);
            loop {
                let same = common_prefix(&old[i..], &new[j..]);
                (i, j) = (i + same, j + same);
                match (old.get(i), new.get(j)) {
                    (None, None) => break,
                    (Some(&before), now) if now.is_none_or(|&now| before < now) => {
                        self.removed.push(scene.pair_of(first_block + index, before));
                        i += 1;
                    }
                    (_, Some(&now)) => {
                        self.added.push(scene.pair_of(first_block + index, now));
                        j += 1;
                    }
                    (Some(_), None) => unreachable!("taken by the case before"),
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let numbers = [&self.hits, &self.hits_before, &self.others, &self.spare];
        numbers.iter().map(|list| list.capacity() * size_of::<u32>()).sum::<usize>()
            + (self.ends.capacity() + self.ends_before.capacity()) * size_of::<usize>()
            + (self.added.capacity() + self.removed.capacity()) * size_of::<Pair>()
            + self.run.bytes()
    }
}

/// How many numbers at the front of two lists are the same.
#[inline]
fn common_prefix(a: &[u32], b: &[u32]) -> usize {
    // Several at a time, which vector instructions compare at once.
    const STEP: usize = 8;
    let steps = a.chunks_exact(STEP).zip(b.chunks_exact(STEP)).take_while(|(a, b)| a == b).count();
    let from = steps * STEP;
    from + a[from..].iter().zip(&b[from..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_prefix_ends_where_lists_differ_or_end() {
        let list: Vec<u32> = (0..40).collect();
        for len in 0..40 {
            assert_eq!(common_prefix(&list, &list[..len]), len);
            let mut other = list.clone();
            other[len] = 99;
            assert_eq!(common_prefix(&list, &other), len);
            assert_eq!(common_prefix(&other, &list), len);
        }
    }
}
