//! A batch of cells on its way to the device and back.

use std::time::Duration;

use bytemuck::{Pod, Zeroable};
use jostle_broad::{Aabb, Executor, Pair};
use wgpu::BufferUsages;

use crate::buffers::{Grown, map_back, staging};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::kernel::Kernel;
use crate::timing::StageTimer;

/// Rows a workgroup tests, and columns a job has at most: no thread works for long.
const ROWS: u32 = 128;
const COLUMNS: u32 = 8192;
/// Words of the status: see `wgsl/records.wgsl`.
const STATUS_BYTES: u64 = 32;
/// Pairs there is room for at first: per entry, and always.
const PAIRS_PER_ENTRY: u64 = 4;
const PAIRS_FLOOR: u64 = 1024;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Params {
    jobs: u32,
    pair_capacity: u32,
    padding: [u32; 2],
}

/// Buffers for one batch, and what is in them.
#[derive(Debug)]
pub(super) struct Batch {
    /// Per entry, the slot of its box and the box: what the device calls 0, 1, 2, ...
    pub(super) slots: Vec<u32>,
    boxes: Vec<Aabb>,
    jobs: Vec<[u32; 4]>,
    device: [Grown; 5],
    staging: Grown,
    timer: StageTimer,
    submitted: Option<wgpu::SubmissionIndex>,
}

impl Batch {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Self {
            slots: Vec::new(),
            boxes: Vec::new(),
            jobs: Vec::new(),
            device: [
                Grown::new("parameters", BufferUsages::UNIFORM),
                Grown::storage("tiles of cells"),
                Grown::storage("boxes of cells"),
                Grown::storage("the status"),
                Grown::storage("pairs of cells"),
            ],
            staging: staging(),
            timer: StageTimer::new(gpu),
            submitted: None,
        }
    }

    pub(super) fn kernel(gpu: &Gpu) -> Kernel {
        let parts = [
            include_str!("../wgsl/records.wgsl"),
            include_str!("../wgsl/ordered.wgsl"),
            include_str!("../wgsl/append.wgsl"),
            include_str!("../wgsl/cells_all_pairs.wgsl"),
        ];
        Kernel::new(gpu, "all pairs of cells", &parts)
    }

    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.boxes.clear();
        self.jobs.clear();
    }

    pub(super) fn entries(&self) -> usize {
        self.slots.len()
    }

    /// Adds the boxes of a cell, in tiles.
    pub(super) fn push_cell(&mut self, cell: &[u32], aabbs: &[Aabb]) {
        let begin = self.slots.len() as u32;
        self.slots.extend_from_slice(cell);
        self.boxes.extend(cell.iter().map(|&slot| aabbs[slot as usize]));
        let end = self.slots.len() as u32;
        for row in (begin..end).step_by(ROWS as usize) {
            for column in (row..end).step_by(COLUMNS as usize) {
                self.jobs.push([row, end.min(row + ROWS), column, end.min(column + COLUMNS)]);
            }
        }
    }

    /// Hands the batch to the device.
    pub(super) fn submit(&mut self, gpu: &Gpu, kernel: &Kernel) -> Result<(), GpuError> {
        let [params, jobs, boxes, status, pairs] = &mut self.device;
        params.reserve(gpu, size_of::<Params>() as u64)?;
        jobs.reserve(gpu, self.jobs.len() as u64 * 16)?;
        boxes.reserve(gpu, self.boxes.len() as u64 * 24)?;
        status.reserve(gpu, STATUS_BYTES)?;
        pairs.reserve(gpu, (self.slots.len() as u64 * PAIRS_PER_ENTRY + PAIRS_FLOOR) * 8)?;
        self.staging.reserve(gpu, STATUS_BYTES + pairs.bytes())?;
        let capacity = (pairs.bytes() / 8).min(u64::from(u32::MAX)) as u32;
        let values = Params { jobs: self.jobs.len() as u32, pair_capacity: capacity, padding: [0; 2] };
        gpu.queue().write_buffer(params.get(), 0, bytemuck::bytes_of(&values));
        gpu.queue().write_buffer(jobs.get(), 0, bytemuck::cast_slice(&self.jobs));
        gpu.queue().write_buffer(boxes.get(), 0, bytemuck::cast_slice(&self.boxes));
        let all = [params.get(), jobs.get(), boxes.get(), status.get(), pairs.get()];
        let bindings = kernel.bind(gpu, &all);
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        encoder.clear_buffer(status.get(), 0, None);
        self.timer.restart();
        kernel.dispatch(gpu, &mut self.timer.pass(&mut encoder, "device"), &bindings, values.jobs);
        self.timer.resolve(gpu, &mut encoder)?;
        encoder.copy_buffer_to_buffer(status.get(), 0, self.staging.get(), 0, STATUS_BYTES);
        encoder.copy_buffer_to_buffer(pairs.get(), 0, self.staging.get(), STATUS_BYTES, pairs.bytes());
        self.submitted = Some(gpu.queue().submit([encoder.finish()]));
        gpu.check()
    }

    /// Waits for the batch, and gives its pairs as entries, and the device's time. A batch with more pairs than there is
    /// room for is searched again.
    pub(super) fn collect(&mut self, gpu: &Gpu, kernel: &Kernel) -> Result<(Vec<Pair>, Duration), GpuError> {
        loop {
            let after = self.submitted.take();
            let capacity = self.device[4].bytes() / 8;
            // The status is as long as four pairs: two of its words are the count.
            let head = STATUS_BYTES / 8;
            let words: Vec<Pair> =
                map_back(gpu, &self.staging, head + capacity, &Executor::serial(), after.clone())?;
            let found = u64::from(words[0].high) | u64::from(words[1].low) << 32;
            if found <= capacity {
                let time = self.timer.read_after(gpu, after)?.total;
                let head = head as usize;
                return Ok((words[head..head + found as usize].to_vec(), time));
            }
            self.device[4].reserve(gpu, found * 8)?;
            self.submit(gpu, kernel)?;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let device: u64 = self.device.iter().map(Grown::bytes).sum();
        (device + self.staging.bytes()) as usize
            + self.slots.capacity() * 4
            + self.boxes.capacity() * 24
            + self.jobs.capacity() * 16
    }
}
