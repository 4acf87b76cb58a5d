//! Boxes entered in all cells they overlap, and pairs found cell by cell.
//!
//! The four stages of 'Collision detection using hierarchical grid spatial partitioning on the GPU' (seed 003, section
//! 3.2): `initialise` enters every box in all cells it overlaps, on its own level and all coarser ones; `sort` brings the
//! entries of a cell together; `construct` lists the cells in which there is something to test; `traverse` tests, in
//! parallel over cells. A uniform grid is the case of one level.
//!
//! The source keeps a matrix of the pairs already tested. Here every pair is found exactly once by a local rule instead:
//! it is decided on the coarser of the two boxes' own levels, where at least one of them is at home (the others are
//! guests there), and in the cell that holds the component-wise larger of the two min corners. Both boxes are entered in
//! that cell (see `cells.rs`), and since both reach it, it is that cell exactly if on each axis one of them begins in it.

use super::cells::{CellMap, CellRange};
use super::entries::{Entries, Layout, Word};
use super::large::LargeList;
use super::traverse::Traversal;
use crate::finder::StageClock;
use crate::{Aabb, Boxes, FindSettings, PairRun};

/// Marks a slot that is free or holds a large box.
const NO_LEVEL: u8 = u8::MAX;

/// The structure of one frame. Nothing but memory is kept from frame to frame.
#[derive(Debug, Default)]
pub(super) struct AllCells {
    /// Per slot, the level the box is at home on.
    homes: Vec<u8>,
    /// Entries where 64 bits are enough for one, and where they are not.
    narrow: Entries<u64>,
    wide: Entries<u128>,
    traversal: Traversal,
    large: LargeList,
}

impl AllCells {
    /// Finds all pairs. `levels` are the grids, finest first; `home` says on which of them a box is at home, `None` for
    /// boxes too large for all. Returns the number of tests.
    pub(super) fn find(
        &mut self,
        boxes: &Boxes,
        levels: &[CellMap],
        home: impl Fn(&Aabb) -> Option<usize>,
        settings: &FindSettings,
        clock: &mut StageClock,
    ) -> u64 {
        let used = self.find_homes(boxes, levels, home);
        let layout = Layout::new(boxes.slots(), &used.iter().map(|level| level.cells).collect::<Vec<_>>());
        let Self { homes, narrow, wide, traversal, large } = self;
        if layout.is_narrow() {
            *wide = Entries::default();
            stages(boxes, homes, &used, &layout, narrow, traversal, settings, clock);
        } else {
            *narrow = Entries::default();
            stages(boxes, homes, &used, &layout, wide, traversal, settings, clock);
        }
        let tests = traversal.tests() + large.find(boxes, settings);
        clock.end("traverse");
        tests
    }

    /// What was found, by task.
    pub(super) fn runs(&self) -> impl Iterator<Item = &PairRun> {
        self.traversal.runs().chain(self.large.runs())
    }

    /// How many boxes are too large for all levels.
    pub(super) fn large(&self) -> usize {
        self.large.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.homes.capacity()
            + self.narrow.bytes()
            + self.wide.bytes()
            + self.traversal.bytes()
            + self.large.bytes()
    }

    /// Puts down the level of every box, and returns the levels on which any box is at home: no pair is decided on the
    /// others.
    fn find_homes(
        &mut self,
        boxes: &Boxes,
        levels: &[CellMap],
        home: impl Fn(&Aabb) -> Option<usize>,
    ) -> Vec<UsedLevel> {
        self.homes.clear();
        self.large.clear();
        let mut bounds = Aabb::EMPTY;
        let mut inhabited = vec![false; levels.len()];
        for (slot, aabb) in boxes.aabbs().iter().enumerate() {
            let level = if boxes.is_live(slot as u32) { home(aabb) } else { None };
            match level {
                Some(level) => {
                    bounds = bounds.union(aabb);
                    inhabited[level] = true;
                }
                None if boxes.is_live(slot as u32) => self.large.push(slot as u32),
                None => {}
            }
            self.homes.push(level.map_or(NO_LEVEL, |level| level as u8));
        }
        let used = levels.iter().zip(inhabited).enumerate().filter(|(_, (_, inhabited))| *inhabited);
        used.map(|(level, (map, _))| UsedLevel { level: level as u8, map: *map, cells: map.range(&bounds) })
            .collect()
    }
}

/// A level on which boxes are at home.
#[derive(Clone, Copy, Debug)]
struct UsedLevel {
    level: u8,
    map: CellMap,
    /// All cells of the level that boxes overlap lie in here.
    cells: CellRange,
}

#[allow(clippy::too_many_arguments)]
fn stages<W: Word>(
    boxes: &Boxes,
    homes: &[u8],
    levels: &[UsedLevel],
    layout: &Layout,
    entries: &mut Entries<W>,
    traversal: &mut Traversal,
    settings: &FindSettings,
    clock: &mut StageClock,
) {
    entries.list.clear();
    for (slot, &home) in homes.iter().enumerate().filter(|(_, home)| **home != NO_LEVEL) {
        let aabb = boxes.aabb(slot as u32);
        for (index, level) in levels.iter().enumerate().filter(|(_, level)| level.level >= home) {
            enter(&mut entries.list, layout, index as u32, level, aabb, level.level > home, slot as u32);
        }
    }
    clock.end("initialise");
    entries.sort(layout);
    clock.end("sort");
    traversal.construct(&entries.list, layout);
    clock.end("construct");
    traversal.traverse(&entries.list, layout, boxes, settings);
}

/// Enters a box in all cells of a level that it overlaps.
#[inline]
fn enter<W: Word>(
    list: &mut Vec<W>,
    layout: &Layout,
    index: u32,
    level: &UsedLevel,
    aabb: &Aabb,
    guest: bool,
    slot: u32,
) {
    let CellRange { low, high } = level.map.range(aabb);
    let origin = level.cells.low;
    for x in low[0]..=high[0] {
        let begins_x = u32::from(x == low[0]);
        for y in low[1]..=high[1] {
            let begins_xy = begins_x | u32::from(y == low[1]) << 1;
            let row = layout.row(index, (x - origin[0]) as u32, (y - origin[1]) as u32);
            for z in low[2]..=high[2] {
                let begins = begins_xy | u32::from(z == low[2]) << 2;
                list.push(layout.entry(row, (z - origin[2]) as u32, guest, begins, slot));
            }
        }
    }
}
