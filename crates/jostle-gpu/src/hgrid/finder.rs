//! The stages, and the finder around them.

use bytemuck::{Pod, Zeroable};
use jostle_broad::{
    Boxes, Changes, Executor, FindError, FindReport, FindSettings, Pair, PairBuffer, PairFinder, PairRun,
    Revision, StageClock,
};
use wgpu::BufferUsages;

use super::plan::{MOST_LEVELS, Plan};
use crate::buffers::{Grown, read_back, staging};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::kernel::Kernel;
use crate::scan::Scan;
use crate::sort::{RadixSort, SortKey};
use crate::timing::{DeviceTimes, StageTimer};
use crate::upload::Upload;

/// How a pair that shares several cells is tested once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestedPairs {
    /// By a matrix where it fits the adapter, else by a local rule.
    #[default]
    MatrixIfItFits,
    /// By a local rule.
    LocalRule,
}

/// Finds pairs on a GPU by levels of grids, after Kroiss' thesis.
#[derive(Debug)]
pub struct HgridFinder {
    levels: u32,
    tested: TestedPairs,
    gpu: Gpu,
    kernels: Kernels,
    buffers: Buffers,
    upload: Upload,
    timer: StageTimer,
    pairs: PairBuffer,
    /// The boxes `pairs` are the pairs of.
    found: Option<Revision>,
}

#[derive(Debug)]
struct Kernels {
    initialise: Kernel,
    sort: RadixSort,
    mark: Kernel,
    scan: Scan,
    list: Kernel,
    traverse: Kernel,
}

#[derive(Debug)]
struct Buffers {
    params: Grown,
    plan: Grown,
    boxes: Grown,
    entries: Grown,
    spare: Grown,
    extent: Grown,
    marks: Grown,
    sums: Grown,
    cells: Grown,
    matrix: Grown,
    status: Grown,
    pairs: Grown,
    staging: Grown,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Params {
    boxes: u32,
    levels: u32,
    entries: u32,
    pair_capacity: u32,
    matrix: u32,
    round: u32,
    padding: [u32; 2],
}

const NAME: &str = "gpu-hgrid";
/// Entries for each box and level.
const CELLS: u64 = 8;
/// Words of the status: see `wgsl/records.wgsl`.
const STATUS_WORDS: u64 = 8;
const PAIRS_FLOOR: u64 = 1024;
/// Tests of a thread in one dispatch: see `wgsl/hgrid_params.wgsl`.
const TESTS_PER_ROUND: u64 = 16384;
/// Boxes of a cell at most: its tests are counted in 32 bits, and so are the dispatches they need.
const FULLEST: u64 = 1 << 15;

/// The traversal as it was recorded, for further dispatches.
struct Traverse {
    params: Params,
    bindings: wgpu::BindGroup,
    groups: u32,
}

impl HgridFinder {
    /// A finder of so many levels (1 to 8; 1 is a uniform grid) on this device.
    pub fn new(gpu: &Gpu, levels: u32, tested: TestedPairs) -> Result<Self, GpuError> {
        let kernels = Kernels::new(gpu);
        gpu.check()?;
        Ok(Self {
            levels: levels.clamp(1, MOST_LEVELS),
            tested,
            gpu: gpu.clone(),
            kernels,
            buffers: Buffers::new(),
            upload: Upload::default(),
            timer: StageTimer::new(gpu),
            pairs: PairBuffer::default(),
            found: None,
        })
    }

    /// The device's own times of the last search. Waits for the device.
    pub fn times(&self) -> Result<DeviceTimes, GpuError> {
        self.timer.read(&self.gpu)
    }

    /// Does a matrix of the pairs of so many boxes fit?
    pub fn has_matrix(&self, boxes: usize) -> bool {
        self.tested == TestedPairs::MatrixIfItFits && matrix_bytes(boxes as u64) <= self.gpu.binding_bytes()
    }

    /// Uploads the boxes, searches until there is room for all pairs, and reads them back, as pairs of slots.
    fn search(
        &mut self,
        boxes: &Boxes,
        executor: &Executor,
        clock: &mut StageClock,
    ) -> Result<Vec<Pair>, GpuError> {
        let count = boxes.slots() as u32;
        let plan = Plan::new(boxes.aabbs(), self.levels);
        let with_matrix = self.has_matrix(boxes.slots());
        let Self { gpu, buffers, upload, .. } = self;
        let entries = u64::from(count) * u64::from(self.levels) * CELLS;
        buffers.reserve(gpu, u64::from(count), entries, with_matrix)?;
        gpu.queue().write_buffer(buffers.plan.get(), 0, bytemuck::bytes_of(&plan));
        upload.write(gpu, buffers.boxes.get(), bytemuck::cast_slice(boxes.aabbs()), executor)?;
        clock.end("upload");
        loop {
            let mut traverse = self.record(count, entries as u32, with_matrix)?;
            let mut status = self.read_status()?;
            // Cells so full that one dispatch was not enough for them.
            let fullest = u64::from(status[5]);
            if fullest > FULLEST {
                return Err(GpuError::TooLarge {
                    adapter: self.gpu.description().name.clone(),
                    what: "tests of the fullest cell",
                    limit: FULLEST * (FULLEST - 1) / 2,
                    need: fullest * (fullest - 1) / 2,
                });
            }
            let rounds = (fullest * fullest.saturating_sub(1) / 2).div_ceil(TESTS_PER_ROUND);
            for round in 1..rounds as u32 {
                traverse.params.round = round;
                self.traverse(&traverse)?;
            }
            if rounds > 1 {
                status = self.read_status()?;
            }
            let found = u64::from(status[1]) | u64::from(status[2]) << 32;
            let buffers = &mut self.buffers;
            if found * 8 <= buffers.pairs.bytes() {
                clock.end("search");
                return read_back(&self.gpu, &mut buffers.staging, buffers.pairs.get(), found, executor);
            }
            buffers.pairs.reserve(&self.gpu, found * 8)?;
        }
    }

    fn read_status(&mut self) -> Result<Vec<u32>, GpuError> {
        let Buffers { status, staging, .. } = &mut self.buffers;
        read_back(&self.gpu, staging, status.get(), STATUS_WORDS, &Executor::serial())
    }

    /// Traverses once more, for cells that need it.
    fn traverse(&self, traverse: &Traverse) -> Result<(), GpuError> {
        let Self { gpu, kernels, buffers, .. } = self;
        gpu.queue().write_buffer(buffers.params.get(), 0, bytemuck::bytes_of(&traverse.params));
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        kernels.traverse.dispatch(gpu, &mut pass, &traverse.bindings, traverse.groups);
        drop(pass);
        gpu.queue().submit([encoder.finish()]);
        gpu.check()
    }

    /// Records and submits the four stages.
    fn record(&mut self, count: u32, entries: u32, with_matrix: bool) -> Result<Traverse, GpuError> {
        let Self { gpu, kernels, buffers, timer, levels, .. } = self;
        let params = Params {
            boxes: count,
            levels: *levels,
            entries,
            pair_capacity: (buffers.pairs.bytes() / 8).min(u64::from(u32::MAX)) as u32,
            matrix: u32::from(with_matrix),
            round: 0,
            padding: [0; 2],
        };
        gpu.queue().write_buffer(buffers.params.get(), 0, bytemuck::bytes_of(&params));
        gpu.queue().write_buffer(buffers.extent.get(), 0, bytemuck::bytes_of(&(entries + 1)));
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        encoder.clear_buffer(buffers.status.get(), 0, None);
        timer.restart();
        let (uniform, plan, boxes) = (buffers.params.get(), buffers.plan.get(), buffers.boxes.get());
        let bindings = kernels.initialise.bind(gpu, &[uniform, boxes, plan, buffers.entries.get()]);
        let mut pass = timer.pass(&mut encoder, "initialise");
        kernels.initialise.dispatch(gpu, &mut pass, &bindings, count.div_ceil(256));
        drop(pass);

        let mut pass = timer.pass(&mut encoder, "sort");
        let key = [SortKey { half: 0, bits: 32 }];
        let (first, second) = (buffers.entries.get(), buffers.spare.get());
        let in_spare = kernels.sort.record(gpu, &mut pass, first, second, entries, &key)?;
        drop(pass);
        let sorted = if in_spare { second } else { first };

        let (marks, cells) = (buffers.marks.get(), buffers.cells.get());
        let mark = kernels.mark.bind(gpu, &[uniform, sorted, marks]);
        let scan = kernels.scan.list(gpu, buffers.extent.get(), marks, entries + 1, &mut buffers.sums)?;
        let list = kernels.list.bind(gpu, &[uniform, marks, cells]);
        let mut pass = timer.pass(&mut encoder, "construct");
        kernels.mark.dispatch(gpu, &mut pass, &mark, (entries + 1).div_ceil(256));
        kernels.scan.record(gpu, &mut pass, &scan);
        kernels.list.dispatch(gpu, &mut pass, &list, entries.div_ceil(256));
        drop(pass);
        // The last task of the construction: no pair has been tested. It has no kernel, so its time shows in the total.
        encoder.clear_buffer(buffers.matrix.get(), 0, None);

        let (matrix, status, pairs) = (buffers.matrix.get(), buffers.status.get(), buffers.pairs.get());
        let all = [uniform, boxes, plan, sorted, marks, cells, matrix, status, pairs];
        let bindings = kernels.traverse.bind(gpu, &all);
        let mut pass = timer.pass(&mut encoder, "traverse");
        let groups = entries.div_ceil(128);
        kernels.traverse.dispatch(gpu, &mut pass, &bindings, groups);
        drop(pass);
        timer.resolve(gpu, &mut encoder)?;
        gpu.queue().submit([encoder.finish()]);
        gpu.check()?;
        Ok(Traverse { params, bindings, groups })
    }
}

impl Kernels {
    fn new(gpu: &Gpu) -> Self {
        let reach = "const REACH_X = 1u; const REACH_Y = 1u; const REACH_Z = 1u;\n\
                     const REACH_LOG_X = 0u; const REACH_LOG_Y = 0u; const REACH_LOG_Z = 0u;\n";
        let records = include_str!("../wgsl/records.wgsl");
        let params = include_str!("../wgsl/hgrid_params.wgsl");
        let ordered = include_str!("../wgsl/ordered.wgsl");
        let cells = include_str!("../wgsl/cells.wgsl");
        let append = include_str!("../wgsl/append.wgsl");
        let initialise = include_str!("../wgsl/hgrid_initialise.wgsl");
        let mark = include_str!("../wgsl/hgrid_mark.wgsl");
        let list = include_str!("../wgsl/hgrid_list.wgsl");
        let traverse = include_str!("../wgsl/hgrid_traverse.wgsl");
        Self {
            initialise: Kernel::new(gpu, "initialise", &[reach, params, ordered, cells, initialise]),
            sort: RadixSort::new(gpu),
            mark: Kernel::new(gpu, "mark cells", &[params, mark]),
            scan: Scan::new(gpu),
            list: Kernel::new(gpu, "list cells", &[params, list]),
            traverse: Kernel::new(
                gpu,
                "traverse",
                &[reach, records, params, ordered, cells, append, traverse],
            ),
        }
    }
}

impl Buffers {
    fn new() -> Self {
        Self {
            params: Grown::new("parameters", BufferUsages::UNIFORM),
            plan: Grown::storage("the plan"),
            boxes: Grown::storage("boxes"),
            entries: Grown::storage("entries of cells"),
            spare: Grown::storage("room to sort entries"),
            extent: Grown::storage("the number of marks"),
            marks: Grown::storage("marks"),
            sums: Grown::storage("sums of marks"),
            cells: Grown::storage("cells"),
            matrix: Grown::storage("the matrix of pairs"),
            status: Grown::storage("the status"),
            pairs: Grown::storage("pairs"),
            staging: staging(),
        }
    }

    fn reserve(&mut self, gpu: &Gpu, boxes: u64, entries: u64, with_matrix: bool) -> Result<(), GpuError> {
        self.params.reserve(gpu, size_of::<Params>() as u64)?;
        self.plan.reserve(gpu, size_of::<Plan>() as u64)?;
        self.boxes.reserve(gpu, boxes * 24)?;
        self.entries.reserve(gpu, entries * 8)?;
        self.spare.reserve(gpu, entries * 8)?;
        self.extent.reserve(gpu, 16)?;
        self.marks.reserve(gpu, (entries + 1) * 4)?;
        self.cells.reserve(gpu, entries * 4)?;
        self.matrix.reserve(gpu, if with_matrix { matrix_bytes(boxes) } else { 16 })?;
        self.status.reserve(gpu, STATUS_WORDS * 4)?;
        self.pairs.reserve(gpu, (boxes * 2 + PAIRS_FLOOR) * 8)?;
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let buffers = [
            &self.params,
            &self.plan,
            &self.boxes,
            &self.entries,
            &self.spare,
            &self.extent,
            &self.marks,
            &self.sums,
            &self.cells,
            &self.matrix,
            &self.status,
            &self.pairs,
            &self.staging,
        ];
        buffers.iter().map(|buffer| buffer.bytes()).sum()
    }
}

/// Bytes of a bit for each pair, rows in whole words.
fn matrix_bytes(boxes: u64) -> u64 {
    let last = boxes.saturating_sub(1);
    let whole = last / 32;
    (16 * whole * (whole + 1) + (last % 32 + 1) * (whole + 1)) * 4
}

impl PairFinder for HgridFinder {
    fn name(&self) -> &str {
        NAME
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let failed =
            |error: GpuError| FindError::Device { finder: NAME.to_string(), reason: error.to_string() };
        let mut clock = StageClock::start();
        let mut report = FindReport { boxes: boxes.len(), ..FindReport::default() };
        if matches!(boxes.changes_since(self.found), Changes::These([])) {
            self.pairs.apply(&[], &[], settings)?;
        } else if boxes.is_empty() {
            self.pairs.replace([], settings)?;
        } else {
            let slots = self.search(boxes, &settings.executor, &mut clock).map_err(failed)?;
            clock.end("read back");
            let mut run = PairRun::new(settings.pair_limit);
            slots.iter().for_each(|pair| boxes.report(pair.low, pair.high, &mut run));
            self.pairs.replace([&run], settings)?;
            let exactly_once = if self.has_matrix(boxes.slots()) { "matrix" } else { "local rule" };
            let finest = Plan::new(boxes.aabbs(), self.levels).finest();
            report.moved = boxes.len();
            report.detail = Some(format!("{} levels from {finest:?}, {exactly_once}", self.levels));
        }
        clock.end("order");
        self.found = Some(boxes.revision());
        report.pairs = self.pairs.len();
        report.bytes = self.bytes();
        report.stages = clock.stages();
        Ok(report)
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        (self.buffers.bytes() + self.upload.bytes() + self.kernels.sort.bytes()) as usize + self.pairs.bytes()
    }
}
