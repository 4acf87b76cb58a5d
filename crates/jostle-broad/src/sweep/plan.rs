//! Looking at a sample of the scene and choosing the columns. A bad choice costs time, never a pair.

use glam::Vec3;

use super::Record;
use crate::{Aabb, Boxes};

/// A grid of columns over two axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) axes: [GridAxis; 2],
}

/// One axis of the grid: `cells` cells, the first and last of which reach to infinity.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridAxis {
    axis: usize,
    origin: f32,
    /// Cells per unit of length; 0 where there is only one.
    scale: f32,
    pub(super) cells: u32,
}

impl GridAxis {
    /// The cells of a box's minimum and maximum. Never decreases with the coordinate: see the module's head.
    #[inline(always)]
    pub(super) fn span(&self, aabb: &Aabb) -> (u32, u32) {
        (self.cell(aabb.min[self.axis]), self.cell(aabb.max[self.axis]))
    }

    #[inline(always)]
    fn cell(&self, coordinate: f32) -> u32 {
        // `as` saturates, and turns the NaN of infinity times zero into 0: right, there is only one cell then.
        (((coordinate - self.origin) * self.scale) as u32).min(self.cells - 1)
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
/// Candidates in the window of a sweep that fill the vector registers without wasting tests. Measured: 8 to 20 are
/// much alike.
const WINDOW: f32 = 12.0;
/// Columns narrower than this many boxes cost more in copies than they save in tests.
const NARROWEST: f32 = 2.5;
/// Past this many, the columns being filled no longer fit in the nearest caches.
const MOST_COLUMNS: f32 = 4096.0;

impl Plan {
    pub(super) fn of_boxes(boxes: &Boxes) -> Self {
        let slots = boxes.slots();
        let step = (slots / SAMPLES).max(1);
        let sample = boxes.aabbs().iter().step_by(step).filter(|aabb| aabb.is_finite());
        Self::choose(&Survey::of(sample.copied(), boxes.len()), MOST_COLUMNS)
    }

    /// The plan for a crowded region, or none where columns would not help.
    pub(super) fn of_records(segments: &[&[Record]], count: usize) -> Option<Self> {
        let step = (count / SAMPLES).max(1);
        let sample = segments.iter().flat_map(|segment| segment.iter()).step_by(step);
        let finite = sample.map(|record| record.aabb).filter(Aabb::is_finite);
        let plan = Self::choose(&Survey::of(finite, count), 256.0);
        (plan.axes[0].cells * plan.axes[1].cells >= 4).then_some(plan)
    }

    fn choose(survey: &Survey, most_columns: f32) -> Self {
        let spread = (survey.high - survey.low).max(Vec3::ZERO);
        // In units of boxes; a box of no width is as wide as the spread allows for its number.
        let floor = spread * (0.25 / (survey.count.max(1) as f32).cbrt());
        let width = survey.width.max(floor).max(Vec3::splat(f32::MIN_POSITIVE));
        let in_boxes = spread / width;
        let sweep_axis = if in_boxes.x >= in_boxes.y && in_boxes.x >= in_boxes.z {
            0
        } else if in_boxes.y >= in_boxes.z {
            1
        } else {
            2
        };
        let (a, b) = ((sweep_axis + 1) % 3, (sweep_axis + 2) % 3);
        // Boxes in the window of one sweep through everything, and the columns it takes to bring it down.
        let window = survey.count as f32 * 1.5 / in_boxes[sweep_axis].max(1.5);
        let wanted = (window / WINDOW).clamp(1.0, most_columns).min((survey.count as f32 / 32.0).max(1.0));
        let most = [(in_boxes[a] / NARROWEST).max(1.0), (in_boxes[b] / NARROWEST).max(1.0)];
        // As square as the two axes allow.
        let mut cells = [wanted.sqrt(); 2];
        if cells[0] > most[0] {
            cells = [most[0], wanted / most[0]];
        } else if cells[1] > most[1] {
            cells = [wanted / most[1], most[1]];
        }
        let axes = [(a, cells[0].min(most[0])), (b, cells[1].min(most[1]))].map(|(axis, cells)| {
            let cells = cells.max(1.0).floor();
            let scale = if cells > 1.0 { cells / spread[axis] } else { 0.0 };
            let scale = if scale.is_finite() { scale } else { 0.0 };
            GridAxis {
                axis,
                origin: survey.low[axis],
                scale,
                cells: if scale > 0.0 { cells as u32 } else { 1 },
            }
        });
        Self { axes }
    }

    /// The same with half the columns along the finer axis.
    pub(super) fn coarser(mut self) -> Self {
        let finer = usize::from(self.axes[1].cells > self.axes[0].cells);
        let axis = &mut self.axes[finer];
        axis.cells = (axis.cells / 2).max(1);
        axis.scale = if axis.cells > 1 { axis.scale * 0.5 } else { 0.0 };
        self
    }

    pub(super) fn columns(&self) -> usize {
        (self.axes[0].cells * self.axes[1].cells) as usize
    }
}

impl Survey {
    fn of(sample: impl Iterator<Item = Aabb>, count: usize) -> Self {
        let sample: Vec<Aabb> = sample.collect();
        if sample.is_empty() {
            return Self { low: Vec3::ZERO, high: Vec3::ZERO, width: Vec3::ONE, count };
        }
        let (mut low, mut high, mut width) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        let edge = sample.len() / 100;
        let mut numbers = vec![0.0f32; sample.len()];
        for axis in 0..3 {
            numbers.iter_mut().zip(&sample).for_each(|(number, aabb)| *number = aabb.min[axis]);
            low[axis] = *numbers.select_nth_unstable_by(edge, f32::total_cmp).1;
            high[axis] = *numbers.select_nth_unstable_by(sample.len() - 1 - edge, f32::total_cmp).1;
            numbers
                .iter_mut()
                .zip(&sample)
                .for_each(|(number, aabb)| *number = aabb.max[axis] - aabb.min[axis]);
            let (most, largest, _) = numbers.select_nth_unstable_by(sample.len() - 1 - edge, f32::total_cmp);
            width[axis] = (most.iter().sum::<f32>() + *largest) / (most.len() + 1) as f32;
        }
        Self { low, high, width, count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BoxStream, StreamKind};

    #[test]
    fn spans_never_decrease_and_stay_inside() {
        let axis = GridAxis { axis: 0, origin: 3.0, scale: 0.7, cells: 9 };
        let coordinates = [f32::NEG_INFINITY, -1e30, 0.0, 3.0, 3.5, 4.4, 4.5, 10.0, 1e30, f32::INFINITY];
        let cells: Vec<u32> = coordinates.iter().map(|&c| axis.cell(c)).collect();
        assert!(cells.is_sorted() && cells[0] == 0 && cells[9] == 8, "{cells:?}");
        let one = GridAxis { axis: 0, origin: 0.0, scale: 0.0, cells: 1 };
        assert!(coordinates.iter().all(|&c| one.cell(c) == 0));
    }

    #[test]
    fn columns_follow_the_scene() {
        let plan =
            |kind| Plan::of_boxes(&Boxes::from_aabbs(BoxStream::new(kind, 50_000, 1).boxes()).unwrap());
        let (cube, pile) = (plan(StreamKind::Brownian), plan(StreamKind::Pile));
        assert!((50..2000).contains(&cube.columns()), "{cube:?}");
        assert!(pile.axes.iter().any(|axis| axis.axis == 1), "a pile is not swept upwards: {pile:?}");
        assert!(cube.coarser().columns() < cube.columns());
    }
}
