//! Boxes linked into one cell each, and pairs found box by box.
//!
//! The parallel hierarchical grid of 'Parallel techniques for collision detection' (seed 001, section 4.1): a hash table
//! keyed by cell and level holds doubly linked lists (algorithms 6 to 8), a box lives in the cell of its min corner on
//! the finest level that contains it, and every box looks for partners on its own and all coarser levels, in parallel
//! over boxes (algorithms 9 and 10). Two errors of the listings are not repeated here: algorithm 8 leaves the head of a
//! list pointing at the box it removed, and algorithm 10 looks into too few cells, losing pairs across levels.
//!
//! **Where to look.** A box on level m reaches over at most two cells per axis of that level (`Scale::home` sees to it).
//! So whatever overlaps box a has its min corner, on each axis of level m, between one cell before that of a.min and the
//! cell of a.max: one of 27 cells or fewer.
//!
//! **Exactly once.** Across levels only the box on the finer level looks. On one level a box looks only into cells that
//! come before its own in the order of (x, y, z), and in its own cell at lower slots. Every box is in one cell, and
//! boxes of other cells that share a bucket are told apart by their cell, so nobody is met twice.

use super::cells::Cell;
use super::large::LargeList;
use super::levels::Scale;
use crate::finder::StageClock;
use crate::{Aabb, Boxes, Changes, Dimensions, FindSettings, PairRun, Revision};

/// End of a list.
const NONE: u32 = u32::MAX;
/// `Node::level` of slots that are free, and of large boxes, which are in no list.
const FREE: u32 = u32::MAX;
const LARGE: u32 = u32::MAX - 1;
/// Buckets per task.
const CHUNK: usize = 4096;

/// The hash table, kept from frame to frame: only boxes that changed are linked anew.
#[derive(Debug, Default)]
pub(super) struct SingleCell {
    /// Per slot.
    nodes: Vec<Node>,
    /// Per bucket, the first slot of its list. A power of two, at least as many as slots.
    heads: Vec<u32>,
    /// Boxes per level.
    population: Vec<u32>,
    scale: Option<Scale>,
    large: LargeList,
    /// Large boxes came, left or changed slots.
    large_changed: bool,
    tasks: Vec<Task>,
    /// The boxes the table holds.
    seen: Option<Revision>,
}

/// A box in the table: all that a test needs, in one place.
#[derive(Clone, Copy, Debug)]
struct Node {
    aabb: Aabb,
    cell: Cell,
    level: u32,
    next: u32,
    previous: u32,
}

const UNUSED: Node = Node { aabb: Aabb::NOWHERE, cell: [0; 3], level: FREE, next: NONE, previous: NONE };

#[derive(Debug, Default)]
struct Task {
    run: PairRun,
    tests: u64,
}

impl SingleCell {
    /// Brings the table up to date and finds all pairs. Returns how many boxes were looked at because they changed, and
    /// the number of tests.
    pub(super) fn find(
        &mut self,
        boxes: &Boxes,
        scale: &Scale,
        settings: &FindSettings,
        clock: &mut StageClock,
    ) -> (usize, u64) {
        let moved = self.link_changes(boxes, scale);
        clock.end("link");
        self.tasks.resize_with(self.heads.len().div_ceil(CHUNK), Task::default);
        let mut tasks = std::mem::take(&mut self.tasks);
        let depth = i32::from(boxes.settings().dimensions == Dimensions::Three);
        settings.executor.for_each(&mut tasks, |index, task| {
            task.run.reset(settings.pair_limit);
            task.tests = 0;
            // Box after box in the order of the buckets: neighbours follow each other and find the same boxes in the
            // cache.
            for &head in self.heads.iter().skip(index * CHUNK).take(CHUNK) {
                let mut slot = head;
                while slot != NONE {
                    self.look_around(slot, scale, depth, boxes, task);
                    slot = self.nodes[slot as usize].next;
                }
            }
        });
        self.tasks = tasks;
        let tests = self.tasks.iter().map(|task| task.tests).sum::<u64>();
        let large_tests = self.large.find(boxes, settings);
        clock.end("test");
        (moved, tests + large_tests)
    }

    /// What was found, by task.
    pub(super) fn runs(&self) -> impl Iterator<Item = &PairRun> {
        self.tasks.iter().map(|task| &task.run).chain(self.large.runs())
    }

    /// How many boxes are too large for all levels.
    pub(super) fn large(&self) -> usize {
        self.large.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.heads.capacity() * 4
            + self.large.bytes()
            + self.tasks.iter().map(|task| task.run.bytes()).sum::<usize>()
    }

    fn link_changes(&mut self, boxes: &Boxes, scale: &Scale) -> usize {
        let changes = match boxes.changes_since(self.seen) {
            Changes::These(changes)
                if self.scale.as_ref() == Some(scale) && boxes.slots() <= self.heads.len() =>
            {
                self.nodes.resize(boxes.slots(), UNUSED);
                changes
            }
            _ => {
                self.link_all(boxes, scale);
                return boxes.len();
            }
        };
        self.seen = Some(boxes.revision());
        for change in changes {
            self.link(change.slot(), boxes, scale);
        }
        self.list_large();
        changes.len().min(boxes.slots())
    }

    fn link_all(&mut self, boxes: &Boxes, scale: &Scale) {
        self.seen = Some(boxes.revision());
        self.scale = Some(scale.clone());
        self.nodes.clear();
        self.nodes.resize(boxes.slots(), UNUSED);
        self.heads.clear();
        // Room to grow before the table has to.
        self.heads.resize((2 * boxes.slots()).next_power_of_two().max(64), NONE);
        self.population.clear();
        self.population.resize(scale.maps().len(), 0);
        self.large_changed = true;
        for slot in 0..boxes.slots() as u32 {
            self.link(slot, boxes, scale);
        }
        self.list_large();
    }

    /// Brings one slot up to date: from whatever it was to whatever it is.
    fn link(&mut self, slot: u32, boxes: &Boxes, scale: &Scale) {
        let aabb = *boxes.aabb(slot);
        let (level, cell) = if !boxes.is_live(slot) {
            (FREE, [0; 3])
        } else if let Some(level) = scale.home(&aabb) {
            (level as u32, scale.maps()[level].cell(aabb.min))
        } else {
            (LARGE, [0; 3])
        };
        let node = &mut self.nodes[slot as usize];
        node.aabb = aabb;
        if (node.level, node.cell) != (level, cell) {
            self.remove(slot);
            let node = &mut self.nodes[slot as usize];
            (node.level, node.cell) = (level, cell);
            self.add(slot);
        }
    }

    /// Algorithm 6: the box becomes the head of its bucket's list.
    fn add(&mut self, slot: u32) {
        let Node { level, cell, .. } = self.nodes[slot as usize];
        if level >= LARGE {
            self.large_changed |= level == LARGE;
            return;
        }
        let bucket = bucket(level, cell, self.heads.len());
        let next = std::mem::replace(&mut self.heads[bucket], slot);
        if next != NONE {
            self.nodes[next as usize].previous = slot;
        }
        let node = &mut self.nodes[slot as usize];
        (node.next, node.previous) = (next, NONE);
        self.population[level as usize] += 1;
    }

    /// Algorithm 8, with the head of the list moved on if it is the box that leaves.
    fn remove(&mut self, slot: u32) {
        let Node { level, cell, next, previous, .. } = self.nodes[slot as usize];
        if level >= LARGE {
            self.large_changed |= level == LARGE;
            return;
        }
        if previous != NONE {
            self.nodes[previous as usize].next = next;
        } else {
            let bucket = bucket(level, cell, self.heads.len());
            self.heads[bucket] = next;
        }
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
        self.population[level as usize] -= 1;
    }

    fn list_large(&mut self) {
        if std::mem::take(&mut self.large_changed) {
            self.large.clear();
            let large = self.nodes.iter().enumerate().filter(|(_, node)| node.level == LARGE);
            large.for_each(|(slot, _)| self.large.push(slot as u32));
        }
    }

    /// Algorithm 10: tests a box against those it may overlap on its own level and on coarser ones. `depth` is 0 in two
    /// dimensions, where cells have no neighbours along z.
    fn look_around(&self, slot: u32, scale: &Scale, depth: i32, boxes: &Boxes, task: &mut Task) {
        let node = &self.nodes[slot as usize];
        let levels = (node.level..).zip(&scale.maps()[node.level as usize..]);
        for (level, map) in levels.filter(|(level, _)| self.population[*level as usize] > 0) {
            let range = map.range(&node.aabb);
            let own = level == node.level;
            // On the own level, nothing after the own cell.
            let last_x = if own { node.cell[0] } else { range.high[0] };
            for x in range.low[0] - 1..=last_x {
                let in_own_x = own && x == node.cell[0];
                let last_y = if in_own_x { node.cell[1] } else { range.high[1] };
                for y in range.low[1] - 1..=last_y {
                    let in_own_row = in_own_x && y == node.cell[1];
                    let last_z = if in_own_row { node.cell[2] } else { range.high[2] };
                    for z in range.low[2] - depth..=last_z {
                        let below = if in_own_row && z == node.cell[2] { slot } else { NONE };
                        self.test_cell(slot, level, [x, y, z], below, boxes, task);
                    }
                }
            }
        }
    }

    /// Tests a box against those of a cell whose slots are lower than `below`.
    #[inline]
    fn test_cell(&self, slot: u32, level: u32, cell: Cell, below: u32, boxes: &Boxes, task: &mut Task) {
        let aabb = &self.nodes[slot as usize].aabb;
        let mut other = self.heads[bucket(level, cell, self.heads.len())];
        while other != NONE {
            let node = &self.nodes[other as usize];
            if node.cell == cell && node.level == level && other < below {
                task.tests += 1;
                if node.aabb.overlaps(aabb) {
                    boxes.report(slot, other, &mut task.run);
                }
            }
            other = node.next;
        }
    }
}

/// Algorithm 7, with a better hash than a sum. Blocks of 4 x 4 x 4 cells share a stretch of 64 buckets, because the
/// cells that are looked at together are neighbours; where in it a cell is differs from block to block, so that boxes on
/// a lattice do not all meet in one bucket in 64.
#[inline]
fn bucket(level: u32, cell: Cell, buckets: usize) -> usize {
    let [x, y, z] = cell.map(|c| c as u32);
    let block = [x >> 2, y >> 2, z >> 2].into_iter().fold(u64::from(level), |hash, part| {
        (hash ^ u64::from(part)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    });
    let within = (x & 3) << 4 | (y & 3) << 2 | z & 3;
    (block as usize ^ within as usize) & (buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Levels;
    use crate::grid::census::Census;
    use crate::scene::{BoxStream, StreamKind};
    use crate::{Filter, Moved};

    /// Walks every list: linked both ways, every box once and in the bucket of its cell, nobody else.
    fn validate(table: &SingleCell, boxes: &Boxes, scale: &Scale) {
        let mut found = 0;
        for (index, &head) in table.heads.iter().enumerate() {
            let (mut previous, mut slot) = (NONE, head);
            while slot != NONE {
                let node = &table.nodes[slot as usize];
                assert_eq!(node.previous, previous);
                assert_eq!(node.aabb, *boxes.aabb(slot));
                assert_eq!(scale.home(&node.aabb), Some(node.level as usize));
                assert_eq!(scale.maps()[node.level as usize].cell(node.aabb.min), node.cell);
                assert_eq!(bucket(node.level, node.cell, table.heads.len()), index);
                found += 1;
                (previous, slot) = (slot, node.next);
            }
        }
        assert_eq!(found + table.large.len(), boxes.len());
        assert_eq!(table.population.iter().sum::<u32>() as usize, found);
    }

    #[test]
    fn lists_stay_linked_while_boxes_move_come_and_leave() {
        let mut stream = BoxStream::new(StreamKind::Disparity, 300, 5);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        let mut census = Census::default();
        census.take(&boxes);
        let scale = Scale::new(&census, Levels::ByRule);
        let mut table = SingleCell::default();
        for frame in 0..20u32 {
            let moved = table.link_changes(&boxes, &scale);
            validate(&table, &boxes, &scale);
            assert_eq!(moved < boxes.len(), frame % 2 == 1, "in odd frames only some have changed");
            if frame % 2 == 0 {
                boxes.set(frame, Aabb::EVERYWHERE).unwrap();
                boxes.remove(frame + 30).unwrap();
                boxes.insert(1000 + frame, stream.boxes()[frame as usize], Filter::default()).unwrap();
            } else {
                boxes.remove(1000 + frame - 1).unwrap();
                boxes.insert(frame + 29, Aabb::EVERYWHERE, Filter::default()).unwrap();
                stream.advance();
                boxes.update(Moved::Ids(stream.moved()), stream.boxes()).unwrap();
            }
        }
    }
}
