//! Looking at a sample of the scene and choosing columns and bins. A bad choice costs time, never a pair.

use glam::Vec3;

use crate::simd::{CellGrid, Record, Steps};
use crate::{Aabb, Boxes};

/// A grid: cells across two axes make the columns, cells along the third make the bins of a sweep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The axis along which columns are swept.
    pub(super) along: usize,
    /// The axes of the grid of columns.
    pub(super) across: [usize; 2],
    /// Per axis, how many cells.
    pub(super) cells: [u32; 3],
    /// Coordinates to cells.
    pub(super) grid: CellGrid,
}

impl Default for Plan {
    fn default() -> Self {
        let survey = Survey { low: Vec3::ZERO, high: Vec3::ZERO, width: Vec3::ONE, count: 0 };
        Self::choose(&survey, 1.0, None)
    }
}

/// What a sample says about a set of boxes.
struct Survey {
    /// Where the middle 98 % of the minimum corners lie.
    low: Vec3,
    high: Vec3,
    /// Typical width of a box: the mean, without the largest few.
    width: Vec3,
    count: usize,
}

const SAMPLES: usize = 1024;
/// Of small scenes, where looking could take as long as finding.
const LEAST_SAMPLES: usize = 96;
/// Candidates in the window of a sweep that fill the vector registers without wasting tests.
const WINDOW: f32 = 16.0;
/// Boxes of a column whose records, copies included, still fit in the nearest cache while they are sorted.
const LARGEST_COLUMN: f32 = 1100.0;
/// Columns narrower than this many boxes cost more in copies than they save in tests.
const NARROWEST: f32 = 2.5;
/// Past this many, the columns being filled no longer fit in the nearest caches.
const MOST_COLUMNS: f32 = 4096.0;
/// The same for columns inside a column.
const MOST_INNER_COLUMNS: f32 = 256.0;
/// Boxes per bin, about: enough bins to keep windows tight, few enough to stay in the nearest cache.
const PER_BIN: f32 = 1.5;
const MOST_BINS: f32 = 4096.0;

impl Plan {
    /// A plan for all boxes of a store, with columns or with a single one.
    pub(super) fn of_boxes(boxes: &Boxes, columns: bool) -> Self {
        let samples = (boxes.slots() / 32).clamp(LEAST_SAMPLES, SAMPLES);
        let step = (boxes.slots() / samples).max(1);
        let sample = boxes.aabbs().iter().step_by(step).filter(|aabb| aabb.is_finite());
        let most = if columns { MOST_COLUMNS } else { 1.0 };
        Self::choose(&Survey::of(sample.copied(), boxes.len()), most, None)
    }

    /// The plan for a crowded region, swept along the same axis; none where columns would not help.
    pub(super) fn of_records<'a>(
        records: impl Iterator<Item = &'a Record>,
        count: usize,
        along: usize,
    ) -> Option<Self> {
        let sample = records.step_by((count / SAMPLES).max(1));
        let finite = sample.map(|record| record.aabb).filter(Aabb::is_finite);
        let plan = Self::choose(&Survey::of(finite, count), MOST_INNER_COLUMNS, Some(along));
        (plan.columns() >= 4).then_some(plan)
    }

    fn choose(survey: &Survey, most_columns: f32, along: Option<usize>) -> Self {
        let count = survey.count as f32;
        let spread = (survey.high - survey.low).max(Vec3::ZERO);
        // Boxes of no width are taken to be as wide as their number leaves room for.
        let floor = spread * (0.25 / count.max(1.0).cbrt());
        let width = survey.width.max(floor).max(Vec3::splat(f32::MIN_POSITIVE));
        let in_boxes = spread / width;
        let along = along.unwrap_or_else(|| longest(in_boxes));
        let across = [(along + 1) % 3, (along + 2) % 3];

        // Boxes in the window of one sweep through everything, and the columns it takes to bring that down.
        let window = count * 1.5 / in_boxes[along].max(1.5);
        let wanted = (window / WINDOW)
            .max(count / LARGEST_COLUMN)
            .clamp(1.0, most_columns)
            .min((count / 32.0).max(1.0));
        let most = across.map(|axis| (in_boxes[axis] / NARROWEST).max(1.0));
        // As square as the two axes allow.
        let mut columns = [wanted.sqrt(); 2];
        if columns[0] > most[0] {
            columns = [most[0], wanted / most[0]];
        } else if columns[1] > most[1] {
            columns = [wanted / most[1], most[1]];
        }
        let mut cells = [1.0; 3];
        cells[across[0]] = columns[0].min(most[0]).floor().max(1.0);
        cells[across[1]] = columns[1].min(most[1]).floor().max(1.0);
        let per_column = count / (cells[across[0]] * cells[across[1]]);
        cells[along] = (per_column / PER_BIN).clamp(1.0, MOST_BINS).floor();
        Self::new(along, across, cells, survey.low, spread)
    }

    fn new(along: usize, across: [usize; 2], mut cells: [f32; 3], low: Vec3, spread: Vec3) -> Self {
        let mut scale = [0.0; 3];
        for axis in 0..3 {
            scale[axis] = cells[axis] / spread[axis];
            if cells[axis] <= 1.0 || !scale[axis].is_finite() {
                (cells[axis], scale[axis]) = (1.0, 0.0);
            }
        }
        let grid = CellGrid::new(low.to_array(), scale, cells.map(|cells| cells as u16 - 1));
        Self { along, across, cells: cells.map(|cells| cells as u32), grid }
    }

    /// The same with half the columns along the finer axis.
    pub(super) fn coarser(&self) -> Self {
        let [a, b] = self.across;
        let finer = if self.cells[b] > self.cells[a] { b } else { a };
        let mut plan = *self;
        plan.cells[finer] = (plan.cells[finer] / 2).max(1);
        let scale = if plan.cells[finer] > 1 { self.grid.scale(finer) * 0.5 } else { 0.0 };
        plan.grid.set_axis(finer, scale, plan.cells[finer] as u16 - 1);
        plan
    }

    /// The same with one column only.
    pub(super) fn single_column(&self) -> Self {
        let mut plan = *self;
        for axis in self.across {
            plan.cells[axis] = 1;
            plan.grid.set_axis(axis, 0.0, 0);
        }
        plan
    }

    pub(super) fn columns(&self) -> usize {
        (self.cells[self.across[0]] * self.cells[self.across[1]]) as usize
    }

    pub(super) fn bins(&self) -> usize {
        const { assert!(MOST_BINS as u32 <= Record::MOST_BINS) };
        self.cells[self.along] as usize
    }

    /// How columns are numbered, and their bins where each is a bucket of its own.
    pub(super) fn steps(&self, fine: bool) -> Steps {
        let width = self.cells[self.across[1]];
        let per_column = if fine { self.cells[self.along] } else { 1 };
        Steps {
            a: width * per_column,
            b: per_column,
            bin: u32::from(fine),
            buckets: self.columns() as u32 * per_column,
        }
    }
}

fn longest(extents: Vec3) -> usize {
    (0..3).max_by(|&a, &b| extents[a].total_cmp(&extents[b])).expect("there are three")
}

impl Survey {
    fn of(sample: impl Iterator<Item = Aabb>, count: usize) -> Self {
        let sample: Vec<Aabb> = sample.collect();
        if sample.is_empty() {
            return Self { low: Vec3::ZERO, high: Vec3::ZERO, width: Vec3::ONE, count };
        }
        let outliers = (sample.len() / 100).max(usize::from(sample.len() >= 32));
        let mut lowest = [Largest::new(outliers); 3];
        let mut highest = [Largest::new(outliers); 3];
        let mut widest = [Largest::new(outliers); 3];
        for aabb in &sample {
            for axis in 0..3 {
                lowest[axis].offer(-aabb.min[axis]);
                highest[axis].offer(aabb.min[axis]);
                widest[axis].offer(aabb.max[axis] - aabb.min[axis]);
            }
        }
        let [low, high, most] = [lowest, highest, widest].map(|each| Vec3::from(each.map(|of| of.last())));
        // Not the sum of all less the largest: these may be so large that nothing else is left of it.
        let sum: Vec3 = sample.iter().map(|aabb| (aabb.max - aabb.min).min(most)).sum();
        Self { low: -low, high, width: sum / sample.len() as f32, count }
    }
}

/// The few largest of many numbers, in descending order.
#[derive(Clone, Copy)]
struct Largest {
    numbers: [f32; Self::MOST + 1],
    outliers: usize,
}

impl Largest {
    /// Numbers that may be set aside.
    const MOST: usize = SAMPLES / 100;

    fn new(outliers: usize) -> Self {
        Self { numbers: [f32::NEG_INFINITY; Self::MOST + 1], outliers: outliers.min(Self::MOST) }
    }

    #[inline(always)]
    fn offer(&mut self, number: f32) {
        // Rarely so: most are smaller than the largest few.
        if number > self.last() {
            self.insert(number);
        }
    }

    #[cold]
    fn insert(&mut self, number: f32) {
        let mut at = self.outliers;
        while at > 0 && self.numbers[at - 1] < number {
            self.numbers[at] = self.numbers[at - 1];
            at -= 1;
        }
        self.numbers[at] = number;
    }

    /// The largest without the outliers.
    #[inline]
    fn last(&self) -> f32 {
        self.numbers[self.outliers]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Random;
    use crate::scene::{BoxStream, StreamKind};

    #[test]
    fn columns_follow_the_scene() {
        let plan = |kind| {
            let boxes = Boxes::from_aabbs(BoxStream::new(kind, 50_000, 1).boxes()).unwrap();
            Plan::of_boxes(&boxes, true)
        };
        let (cube, pile) = (plan(StreamKind::Brownian), plan(StreamKind::Pile));
        assert!((50..2000).contains(&cube.columns()), "{cube:?}");
        assert_ne!(pile.along, 1, "a pile is not swept upwards: {pile:?}");
        assert!(cube.coarser().columns() < cube.columns());
    }
    #[test]
    fn the_survey_leaves_outliers_aside() {
        let random = &mut Random::new(5);
        for count in [1, 31, 40, 250, 1024] {
            let mut boxes: Vec<Aabb> = (0..count)
                .map(|_| {
                    let corner = random.vector() * 10.0;
                    Aabb::new(corner, corner + 1.0 + random.vector())
                })
                .collect();
            let few = if count >= 32 { (count / 100).max(1) } else { 0 };
            for aabb in &mut boxes[..few] {
                *aabb = Aabb::new(Vec3::splat(-1e30), Vec3::splat(1e30));
            }
            let survey = Survey::of(boxes.iter().copied(), count);
            let inside = |point: Vec3| point.cmpge(Vec3::ZERO).all() && point.cmple(Vec3::splat(10.0)).all();
            assert!(inside(survey.low) && inside(survey.high), "{count}: {} {}", survey.low, survey.high);
            assert!(survey.low.cmple(survey.high).all());
            let (narrow, wide) = (Vec3::splat(1.0 - 1e-6), Vec3::splat(2.0 + 1e-6));
            assert!(survey.width.cmpge(narrow).all() && survey.width.cmple(wide).all(), "{}", survey.width);
        }
    }

    #[test]
    fn the_largest_are_those_of_a_sorted_list() {
        let random = &mut Random::new(6);
        for (count, outliers) in [(1, 0), (7, 3), (500, 0), (500, 4), (500, Largest::MOST)] {
            let mut numbers: Vec<f32> = (0..count).map(|_| (random.unit() * 50.0).floor()).collect();
            let mut largest = Largest::new(outliers);
            numbers.iter().for_each(|&number| largest.offer(number));
            numbers.sort_by(|a, b| b.total_cmp(a));
            assert_eq!(largest.last(), numbers[outliers]);
        }
    }
}
