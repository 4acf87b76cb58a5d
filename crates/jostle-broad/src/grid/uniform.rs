//! The uniform grid: one cell size for all boxes, built anew in every frame in which anything changed.
//!
//! The cells are sparse: only those with boxes in them exist, as runs of a sorted list. The size is chosen so that the
//! list stays linear in the number of boxes whatever their sizes are: a box of at most four cells' length is entered in
//! 125 cells at most, and few boxes are longer than half a cell.

use super::all_cells::AllCells;
use super::cells::CellMap;
use super::census::Census;
use crate::finder::StageClock;
use crate::{Aabb, Boxes, Changes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, Revision};

/// Cells are this many times as wide as the quantile of the sizes. Below, boxes are entered in too many cells, which
/// shows; above, too many boxes share one, which vector tests make up for up to about four.
const WIDTHS: f32 = 2.0;
/// Boxes longer than this many cells are large: tested against all instead of entered.
const LARGE_CELLS: f32 = 4.0;
/// Per this many boxes, one may be large; and some always may.
const BOXES_PER_LARGE: usize = 4096;
const ALWAYS_LARGE: usize = 64;
/// Cells are not smaller than this part of the region the boxes lie in, which matters only where they have no size.
const SMALLEST_PART: f32 = 1.0 / (1 << 20) as f32;

/// How the size of the cells is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellSize {
    /// From the sizes of the boxes: about twice the longest side that this part of the boxes (0 to 1) does not exceed,
    /// and more where too many boxes would be larger than some cells.
    Quantile(f32),
    /// This size, in units of length. Boxes longer than four cells are tested against all others: choose it too small,
    /// and the cost is quadratic.
    Fixed(f32),
}

/// Finds pairs by a sparse uniform grid. Hard to beat where boxes are of similar size and many of them move.
#[derive(Debug)]
pub struct UniformGrid {
    /// How the size of the cells is chosen. Default: from the 0.9 quantile of the sizes.
    pub cell_size: CellSize,
    census: Census,
    cells: AllCells,
    pairs: PairBuffer,
    /// The boxes `pairs` are the pairs of.
    found: Option<Revision>,
}

impl Default for UniformGrid {
    fn default() -> Self {
        Self {
            cell_size: CellSize::Quantile(0.9),
            census: Census::default(),
            cells: AllCells::default(),
            pairs: PairBuffer::default(),
            found: None,
        }
    }
}

impl UniformGrid {
    fn choose_size(&self) -> f32 {
        match self.cell_size {
            CellSize::Fixed(size) => size,
            CellSize::Quantile(part) => {
                let most = self.census.quantile(part) * WIDTHS;
                // So many large boxes that testing each against all would show: rather larger cells.
                let allowed = ALWAYS_LARGE + self.census.finite() / BOXES_PER_LARGE;
                let few_large = self.census.largest_but(allowed) / LARGE_CELLS;
                most.max(few_large).max(self.census.spread() * SMALLEST_PART)
            }
        }
    }
}

impl PairFinder for UniformGrid {
    fn name(&self) -> &str {
        "grid"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut clock = StageClock::start();
        let mut report = FindReport { boxes: boxes.len(), ..FindReport::default() };
        if matches!(boxes.changes_since(self.found), Changes::These([])) {
            self.pairs.apply(&[], &[], settings)?;
        } else {
            self.census.take(boxes);
            let map = CellMap::around(self.choose_size(), self.census.center());
            let longest = map.size() * LARGE_CELLS;
            let home = |aabb: &Aabb| (aabb.longest_side() <= longest).then_some(0);
            report.moved = boxes.len();
            report.tests = self.cells.find(boxes, &[map], home, settings, &mut clock);
            report.detail = Some(format!("cells of {}, {} large boxes", map.size(), self.cells.large()));
            self.pairs.replace(self.cells.runs(), settings)?;
            self.found = Some(boxes.revision());
        }
        clock.end("order");
        Ok(FindReport { pairs: self.pairs.len(), bytes: self.bytes(), stages: clock.stages(), ..report })
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        self.census.bytes() + self.cells.bytes() + self.pairs.bytes()
    }
}
