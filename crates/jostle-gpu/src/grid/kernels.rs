//! The kernels of the grid, put together from their parts.

use crate::device::Gpu;
use crate::kernel::{Kernel, workgroup_scan};
use crate::scan::Scan;

/// How fine the grid is. None of it changes which pairs are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridTuning {
    /// How many cells wide the widest box of a level is, per axis: 1, 2 or 4. More means fewer candidates and more cells
    /// to look into; along x, cells are neighbours in memory and cost little.
    pub reach: [u32; 3],
    /// How many cells the table has for each box, at most.
    pub cells_per_box: u32,
}

impl Default for GridTuning {
    fn default() -> Self {
        Self { reach: [2, 1, 1], cells_per_box: 4 }
    }
}

/// All kernels of the grid.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) plan: Kernel,
    pub(super) count: Kernel,
    pub(super) scan: Scan,
    pub(super) gather: Kernel,
    pub(super) find: Kernel,
    pub(super) find_heavy: Kernel,
}

impl Kernels {
    pub(super) fn new(gpu: &Gpu, tuning: &GridTuning) -> Self {
        let [x, y, z] = tuning.reach;
        let reach = format!(
            "const REACH_X = {x}u; const REACH_Y = {y}u; const REACH_Z = {z}u;\n\
             const REACH_LOG_X = {}u; const REACH_LOG_Y = {}u; const REACH_LOG_Z = {}u;\n",
            x.ilog2(),
            y.ilog2(),
            z.ilog2(),
        );
        let scan = workgroup_scan(gpu);
        let records = include_str!("../wgsl/records.wgsl");
        let ordered = include_str!("../wgsl/ordered.wgsl");
        let cells = include_str!("../wgsl/cells.wgsl");
        let append = include_str!("../wgsl/append.wgsl");
        let plan = include_str!("../wgsl/plan.wgsl");
        let count = include_str!("../wgsl/count.wgsl");
        let gather = include_str!("../wgsl/gather.wgsl");
        let find = include_str!("../wgsl/find.wgsl");
        let find_heavy = include_str!("../wgsl/find_heavy.wgsl");
        Self {
            plan: Kernel::new(gpu, "plan", &[scan, &reach, records, ordered, cells, plan]),
            count: Kernel::new(gpu, "count", &[&reach, records, ordered, cells, count]),
            scan: Scan::new(gpu),
            gather: Kernel::new(gpu, "gather", &[records, ordered, gather]),
            find: Kernel::new(gpu, "find", &[&reach, records, ordered, cells, append, find]),
            find_heavy: Kernel::new(gpu, "find heavy", &[records, append, find_heavy]),
        }
    }
}
