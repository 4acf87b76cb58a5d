//! The hierarchical grid: levels of cells for boxes of very different sizes, with two policies of where a box goes.

use super::all_cells::AllCells;
use super::cells::CellMap;
use super::census::Census;
use super::levels::{Levels, Scale};
use super::single_cell::SingleCell;
use crate::finder::StageClock;
use crate::{Boxes, Changes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, Revision};

/// Which cells a box is entered in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InsertionPolicy {
    /// One: that of its min corner, on the finest level that contains it. Cheap to keep from frame to frame, but every
    /// box has to look into many cells (seed 001).
    #[default]
    SingleCell,
    /// All it overlaps, on all levels that contain it. Built anew when anything changed, but only cells have to be
    /// looked at that hold several boxes (seed 003).
    AllCells,
}

/// Finds pairs by a hierarchical grid: for boxes of very different sizes.
#[derive(Debug, Default)]
pub struct HierarchicalGrid {
    /// Which cells a box is entered in. Default: a single one.
    pub policy: InsertionPolicy,
    /// How many levels there are. Default: by rule.
    pub levels: Levels,
    census: Census,
    scale: Option<Scale>,
    single_cell: SingleCell,
    all_cells: AllCells,
    pairs: PairBuffer,
    /// The boxes `pairs` are the pairs of.
    found: Option<Revision>,
}

impl HierarchicalGrid {
    /// A grid of this policy, with levels by rule.
    pub fn new(policy: InsertionPolicy) -> Self {
        Self { policy, ..Self::default() }
    }

    fn choose_levels(&mut self, boxes: &Boxes) -> Scale {
        self.census.take(boxes);
        match self.scale.take() {
            Some(scale) if scale.serves(&self.census, self.levels) => scale,
            _ => Scale::new(&self.census, self.levels),
        }
    }

    fn detail(&self, scale: &Scale) -> String {
        let (policy, large) = match self.policy {
            InsertionPolicy::SingleCell => ("single cell", self.single_cell.large()),
            InsertionPolicy::AllCells => ("all cells", self.all_cells.large()),
        };
        let (levels, maps) = (scale.maps().len(), scale.maps());
        let (finest, coarsest) = (maps[0].size(), maps[levels - 1].size());
        format!("{policy}, {levels} levels of cells from {finest} to {coarsest}, {large} large boxes")
    }

    fn find(&mut self, boxes: &Boxes, settings: &FindSettings, clock: &mut StageClock) -> FindReport {
        let scale = self.choose_levels(boxes);
        let (moved, tests) = match self.policy {
            InsertionPolicy::SingleCell => {
                clock.end("choose");
                self.single_cell.find(boxes, &scale, settings, clock)
            }
            InsertionPolicy::AllCells => {
                let center = self.census.center();
                let maps: Vec<CellMap> =
                    scale.maps().iter().map(|map| CellMap::around(map.size(), center)).collect();
                let home = |aabb: &_| scale.home(aabb);
                (boxes.len(), self.all_cells.find(boxes, &maps, home, settings, clock))
            }
        };
        let detail = Some(self.detail(&scale));
        self.scale = Some(scale);
        FindReport { boxes: boxes.len(), moved, tests, detail, ..FindReport::default() }
    }
}

impl PairFinder for HierarchicalGrid {
    fn name(&self) -> &str {
        match self.policy {
            InsertionPolicy::SingleCell => "hgrid",
            InsertionPolicy::AllCells => "hgrid-cells",
        }
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut clock = StageClock::start();
        let report = if matches!(boxes.changes_since(self.found), Changes::These([])) {
            self.pairs.apply(&[], &[], settings)?;
            let detail = self.scale.as_ref().map(|scale| self.detail(scale));
            FindReport { boxes: boxes.len(), detail, ..FindReport::default() }
        } else {
            let report = self.find(boxes, settings, &mut clock);
            match self.policy {
                InsertionPolicy::SingleCell => {
                    self.pairs.replace(self.single_cell.runs(), settings)?;
                }
                InsertionPolicy::AllCells => {
                    self.pairs.replace(self.all_cells.runs(), settings)?;
                }
            }
            self.found = Some(boxes.revision());
            report
        };
        clock.end("order");
        Ok(FindReport { pairs: self.pairs.len(), bytes: self.bytes(), stages: clock.stages(), ..report })
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        self.census.bytes() + self.single_cell.bytes() + self.all_cells.bytes() + self.pairs.bytes()
    }
}
