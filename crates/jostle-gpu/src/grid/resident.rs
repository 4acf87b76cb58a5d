//! The resident interface: boxes and pairs stay on the device.

use jostle_broad::{Executor, Pair};
use wgpu::BufferUsages;

use super::kernels::{GridTuning, Kernels};
use crate::buffers::{Grown, read_back, staging};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::scan::ScanList;
use crate::timing::{DeviceTimes, StageTimer};

/// What became of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResidentStatus {
    /// All pairs are in the buffer: so many.
    Complete {
        /// How many.
        pairs: u64,
    },
    /// Some buffer is too small, and the pairs are nothing of worth. [`ResidentFinder::make_room`] and search again.
    Incomplete {
        /// How many pairs there are at least.
        pairs: u64,
        /// How many long ranges of candidates there are.
        ranges: u64,
    },
}

/// Finds pairs of boxes that are on the device, and leaves them there.
#[derive(Debug)]
pub struct ResidentFinder {
    gpu: Gpu,
    tuning: GridTuning,
    kernels: Kernels,
    params: Grown,
    plan: Grown,
    extent: Grown,
    status: Grown,
    table: Grown,
    sums: Grown,
    places: Grown,
    records: Grown,
    heavy: Grown,
    pairs: Grown,
    staging: Grown,
    timer: StageTimer,
    stage_times: bool,
    pair_limit: Option<u64>,
    bound: Option<Bound>,
}

/// What is bound for a number of boxes.
#[derive(Debug)]
struct Bound {
    count: u32,
    scan: ScanList,
    find: wgpu::BindGroup,
    find_heavy: wgpu::BindGroup,
    /// The buffers of boxes searched last: callers often have a few in turn.
    inputs: Vec<BoundBoxes>,
}

/// What is bound for one buffer of boxes.
#[derive(Debug)]
struct BoundBoxes {
    boxes: wgpu::Buffer,
    plan: wgpu::BindGroup,
    count: wgpu::BindGroup,
    gather: wgpu::BindGroup,
}

/// Records the work of a stage.
type Stage<'a> = &'a dyn Fn(&mut wgpu::ComputePass<'_>);

/// Buffers of boxes that stay bound.
const INPUTS: usize = 4;
/// Bytes of the plan: see `wgsl/cells.wgsl`.
const PLAN_BYTES: u64 = 48 + 32 * 16 + 32 * 4;
/// Words of the status: see `wgsl/records.wgsl`.
const STATUS_WORDS: u64 = 8;
/// Cells a table has at least, whatever is in it: each of 32 levels has some, and the widest window is 9 x 9 x 9.
const TABLE_FLOOR: u32 = 32 * 729 + 64;
/// Samples the plan is made from, at most: shares are rounded up by as much.
const SAMPLES: u32 = 256;
/// Long ranges there is room for at first.
const RANGES: u64 = 1 << 16;
/// Workgroups that search them, and that clear the table.
const HEAVY_GROUPS: u32 = 1024;
const CLEAR_GROUPS: u32 = 1024;
/// Rank in a cell and level share a word: see `wgsl/records.wgsl`.
const MOST_BOXES: u64 = 1 << 27;
/// Pairs there is room for at first, per box, and always.
const PAIRS_PER_BOX: u64 = 2;
const PAIRS_FLOOR: u64 = 1024;

impl ResidentFinder {
    /// A finder on this device.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Self::tuned(gpu, GridTuning::default())
    }

    /// A finder with a grid of this fineness.
    pub fn tuned(gpu: &Gpu, tuning: GridTuning) -> Result<Self, GpuError> {
        let kernels = Kernels::new(gpu, &tuning);
        gpu.check()?;
        Ok(Self {
            gpu: gpu.clone(),
            tuning,
            kernels,
            params: Grown::new("parameters", BufferUsages::UNIFORM),
            plan: Grown::storage("the plan"),
            extent: Grown::storage("the extent"),
            status: Grown::storage("the status"),
            table: Grown::storage("the cells"),
            sums: Grown::storage("sums of cells"),
            places: Grown::storage("places of boxes"),
            records: Grown::storage("sorted boxes"),
            heavy: Grown::storage("long ranges"),
            pairs: Grown::storage("pairs"),
            staging: staging(),
            timer: StageTimer::new(gpu),
            stage_times: false,
            pair_limit: None,
            bound: None,
        })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Take the time of every stage, rather than of the whole only? Costs some microseconds a stage. Default: no.
    pub fn take_stage_times(&mut self, yes: bool) {
        self.stage_times = yes;
    }

    /// The most pairs [`ResidentFinder::find`] makes room for: with more it ends with [`GpuError::TooManyPairs`]. Default: no
    /// limit.
    pub fn set_pair_limit(&mut self, limit: Option<u64>) {
        self.pair_limit = limit;
    }

    /// Lets go of the buffers of boxes searched before, which another search would bind again.
    pub(crate) fn forget_inputs(&mut self) {
        if let Some(bound) = &mut self.bound {
            bound.inputs.clear();
        }
    }

    /// Makes room for so many pairs.
    pub fn reserve_pairs(&mut self, pairs: u64) -> Result<(), GpuError> {
        let bytes = pairs.max(PAIRS_FLOOR) * 8;
        if self.pairs.bytes() < bytes {
            // What is bound is held, and both may not fit.
            self.bound = None;
            self.pairs.reserve(&self.gpu, bytes)?;
        }
        Ok(())
    }

    /// How many pairs there is room for.
    pub fn pair_capacity(&self) -> u64 {
        (self.pairs.bytes() / 8).min(u64::from(u32::MAX))
    }

    /// The pairs: two indices each, the lower first. Valid when [`ResidentFinder::status`] says complete.
    ///
    /// # Panics
    /// If nothing was ever recorded.
    pub fn pairs(&self) -> &wgpu::Buffer {
        self.pairs.get()
    }

    /// How many bytes of the device's memory are held.
    pub fn bytes(&self) -> u64 {
        let buffers = [
            &self.params,
            &self.plan,
            &self.extent,
            &self.status,
            &self.table,
            &self.sums,
            &self.places,
            &self.records,
            &self.heavy,
            &self.pairs,
            &self.staging,
        ];
        buffers.iter().map(|buffer| buffer.bytes()).sum()
    }

    /// Records a search of the first `count` boxes of a buffer, to be submitted by the caller. The buffer must have the
    /// usage `STORAGE` and hold six floats a box.
    pub fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        boxes: &wgpu::Buffer,
        count: u32,
    ) -> Result<(), GpuError> {
        self.prepare(boxes, count)?;
        let Self { gpu, kernels, timer, bound, stage_times, .. } = self;
        let bound = bound.as_ref().expect("it was just prepared");
        let input = bound.inputs.iter().find(|input| input.boxes == *boxes).expect("it was just bound");
        timer.restart();
        let (groups, find_groups) = (count.div_ceil(256), count.div_ceil(128));
        let stages: [(&'static str, Stage<'_>); 6] = [
            ("plan", &|pass| kernels.plan.dispatch(gpu, pass, &input.plan, CLEAR_GROUPS + 1)),
            ("count", &|pass| kernels.count.dispatch(gpu, pass, &input.count, groups)),
            ("scan", &|pass| kernels.scan.record(gpu, pass, &bound.scan)),
            ("gather", &|pass| kernels.gather.dispatch(gpu, pass, &input.gather, groups)),
            ("find", &|pass| kernels.find.dispatch(gpu, pass, &bound.find, find_groups)),
            ("heavy", &|pass| kernels.find_heavy.dispatch(gpu, pass, &bound.find_heavy, HEAVY_GROUPS)),
        ];
        if *stage_times {
            for (name, stage) in stages {
                stage(&mut timer.pass(encoder, name));
            }
        } else {
            let mut pass = timer.pass(encoder, "search");
            stages.iter().for_each(|(_, stage)| stage(&mut pass));
        }
        timer.resolve(gpu, encoder)
    }

    /// How the search that was submitted last went. Waits for the device.
    pub fn status(&mut self) -> Result<ResidentStatus, GpuError> {
        let words: Vec<u32> =
            read_back(&self.gpu, &mut self.staging, self.status.get(), STATUS_WORDS, &Executor::serial())?;
        let pairs = u64::from(words[1]) | u64::from(words[2]) << 32;
        let ranges = u64::from(words[3]) | u64::from(words[4]) << 32;
        if pairs <= self.pair_capacity() && ranges <= self.range_capacity() {
            Ok(ResidentStatus::Complete { pairs })
        } else {
            Ok(ResidentStatus::Incomplete { pairs, ranges })
        }
    }

    /// Makes the room that a search has found wanting.
    pub fn make_room(&mut self, status: ResidentStatus) -> Result<(), GpuError> {
        let ResidentStatus::Incomplete { pairs, ranges } = status else { return Ok(()) };
        if ranges > self.range_capacity() {
            self.bound = None;
            self.heavy.reserve(&self.gpu, ranges * 16)?;
        }
        // Some more, so that a few pairs more in the next frame do not cost another search.
        let most = self.gpu.binding_bytes() / 8;
        self.reserve_pairs((pairs + pairs / 8).min(most).max(pairs))
    }

    fn range_capacity(&self) -> u64 {
        (self.heavy.bytes() / 16).min(u64::from(u32::MAX))
    }

    /// The device's own times of the search that was submitted last. Waits for the device.
    pub fn times(&self) -> Result<DeviceTimes, GpuError> {
        self.timer.read(&self.gpu)
    }

    /// Searches, makes room where there is too little, and searches again. Returns the number of pairs.
    pub fn find(&mut self, boxes: &wgpu::Buffer, count: u32) -> Result<u64, GpuError> {
        if count == 0 {
            return Ok(0);
        }
        loop {
            let mut encoder = self.gpu.device().create_command_encoder(&Default::default());
            self.record(&mut encoder, boxes, count)?;
            self.gpu.queue().submit([encoder.finish()]);
            let status = self.status()?;
            let (ResidentStatus::Complete { pairs } | ResidentStatus::Incomplete { pairs, .. }) = status;
            if let Some(limit) = self.pair_limit.filter(|limit| pairs > *limit) {
                return Err(GpuError::TooManyPairs { limit, need: pairs });
            }
            match status {
                ResidentStatus::Complete { pairs } => return Ok(pairs),
                incomplete @ ResidentStatus::Incomplete { .. } => self.make_room(incomplete)?,
            }
        }
    }

    /// Copies the first `count` pairs to the host. Waits for the device.
    pub fn read_pairs(&mut self, count: u64, executor: &Executor) -> Result<Vec<Pair>, GpuError> {
        read_back(&self.gpu, &mut self.staging, self.pairs.get(), count, executor)
    }

    /// The cells of the table, at most.
    fn table_capacity(&self, count: u32) -> u64 {
        let per_box = u64::from(self.tuning.cells_per_box);
        // Levels of boxes too large to have been sampled have a share each: see `wgsl/plan.wgsl`.
        let spare = u64::from(count) / 2 + u64::from(count) / 16 * 31;
        u64::from(TABLE_FLOOR) + (u64::from(count) + u64::from(SAMPLES)) * per_box + spare
    }

    fn prepare(&mut self, boxes: &wgpu::Buffer, count: u32) -> Result<(), GpuError> {
        if self.bound.as_ref().is_none_or(|bound| bound.count != count) {
            self.bind(count)?;
        }
        let Self { gpu, kernels, bound, params, plan, extent, status, table, places, records, .. } = self;
        let inputs = &mut bound.as_mut().expect("it was just bound").inputs;
        if inputs.iter().any(|input| input.boxes == *boxes) {
            return Ok(());
        }
        if inputs.len() == INPUTS {
            inputs.remove(0);
        }
        let (params, plan, extent, status) = (params.get(), plan.get(), extent.get(), status.get());
        let (table, places, records) = (table.get(), places.get(), records.get());
        inputs.push(BoundBoxes {
            boxes: boxes.clone(),
            plan: kernels.plan.bind(gpu, &[params, boxes, plan, extent, status, table]),
            count: kernels.count.bind(gpu, &[params, boxes, plan, table, places, status]),
            gather: kernels.gather.bind(gpu, &[params, boxes, table, places, records]),
        });
        Ok(())
    }

    /// Makes room for a number of boxes, and binds what does not depend on where they are.
    fn bind(&mut self, count: u32) -> Result<(), GpuError> {
        let gpu = self.gpu.clone();
        if u64::from(count) > MOST_BOXES {
            return Err(GpuError::TooLarge {
                adapter: gpu.description().name.clone(),
                what: "sorted boxes",
                limit: MOST_BOXES * 32,
                need: u64::from(count) * 32,
            });
        }
        self.bound = None;
        let table = self.table_capacity(count).next_multiple_of(4);
        let room = u64::from(count);
        self.params.reserve(&gpu, 32)?;
        self.plan.reserve(&gpu, PLAN_BYTES)?;
        self.extent.reserve(&gpu, 16)?;
        self.status.reserve(&gpu, STATUS_WORDS * 4)?;
        self.table.reserve(&gpu, table * 4)?;
        self.places.reserve(&gpu, room * 8)?;
        self.records.reserve(&gpu, room * 32)?;
        self.heavy.reserve(&gpu, RANGES * 16)?;
        self.pairs.reserve(&gpu, (room * PAIRS_PER_BOX + PAIRS_FLOOR) * 8)?;
        let params = [
            count,
            (table / 4) as u32,
            self.tuning.cells_per_box,
            self.pair_capacity() as u32,
            self.range_capacity() as u32,
            0,
            0,
            0,
        ];
        gpu.queue().write_buffer(self.params.get(), 0, bytemuck::cast_slice(&params));
        let scan = self.kernels.scan.list(
            &gpu,
            self.extent.get(),
            self.table.get(),
            table as u32,
            &mut self.sums,
        )?;
        let (params, plan, status) = (self.params.get(), self.plan.get(), self.status.get());
        let (table, records) = (self.table.get(), self.records.get());
        let (pairs, heavy) = (self.pairs.get(), self.heavy.get());
        let kernels = &self.kernels;
        self.bound = Some(Bound {
            count,
            scan,
            find: kernels.find.bind(&gpu, &[params, plan, table, records, status, pairs, heavy]),
            find_heavy: kernels.find_heavy.bind(&gpu, &[params, records, status, pairs, heavy]),
            inputs: Vec::new(),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{download, gpus, upload};
    use jostle_broad::scene::{BoxStream, StreamKind};
    use jostle_broad::{Boxes, Pair, verify};

    #[test]
    fn streams_agree_with_brute_force() {
        for gpu in gpus() {
            for tuning in [GridTuning::default(), GridTuning { reach: [4, 2, 1], cells_per_box: 1 }] {
                let mut finder = ResidentFinder::tuned(&gpu, tuning).unwrap();
                for kind in StreamKind::ALL {
                    for n in [1, 2, 3, 300, 5000] {
                        let stream = BoxStream::new(kind, n, 3);
                        let boxes = upload(&gpu, stream.boxes());
                        let found = finder.find(&boxes, n as u32).unwrap();
                        let pairs: Vec<Pair> = download(&gpu, finder.pairs(), found as usize);
                        let store = Boxes::from_aabbs(stream.boxes()).unwrap();
                        assert_eq!(verify::verify(&store, &pairs), Ok(()), "{} {n} {tuning:?}", kind.name());
                    }
                }
            }
        }
    }
}
