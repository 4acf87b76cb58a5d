//! The passes of the filter: mark, scan, compact, and what is left to the host.

use jostle_broad::{Executor, Pair};
use wgpu::BufferUsages;

use super::layout::DeviceVolume;
use super::unsure::Unsure;
use crate::buffers::{Grown, read_back, staging};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::kernel::Kernel;
use crate::scan::{Scan, ScanList};
use crate::timing::{DeviceTimes, StageTimer};
use crate::upload::Upload;

/// Keeps those pairs on the device whose volumes overlap, in the order they are in.
///
/// ```no_run
/// use jostle_broad::glam::{Quat, Vec3};
/// use jostle_broad::{BoundingVolume, Executor, OrientedBox};
/// use jostle_gpu::{AdapterChoice, Gpu, PairCount, ResidentFinder, VolumeFilter, wgpu};
///
/// let turned = |x: f32| OrientedBox::new(Vec3::X * x, Vec3::new(2.0, 0.1, 0.1), Quat::from_rotation_z(0.8));
/// let volumes = [turned(0.0)?, turned(1.0)?];
/// let aabbs = volumes.each_ref().map(BoundingVolume::aabb);
/// let gpu = Gpu::open(&AdapterChoice::Hardware)?;
/// let boxes = gpu.device().create_buffer(&wgpu::BufferDescriptor {
///     label: None,
///     size: size_of_val(&aabbs) as u64,
///     usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
///     mapped_at_creation: false,
/// });
/// gpu.queue().write_buffer(&boxes, 0, bytemuck::cast_slice(&aabbs));
/// let mut finder = ResidentFinder::new(&gpu)?;
/// let mut filter = VolumeFilter::<OrientedBox>::new(&gpu)?;
/// let count = volumes.len() as u32;
/// let pairs = finder.find(&boxes, count)? as u32;
/// // One volume for each box: from the host, or in a buffer of the caller's.
/// filter.upload(&volumes, count, &Executor::serial())?;
/// let report = filter.filter(finder.pairs(), PairCount::Known(pairs))?;
/// println!("{} of {} pairs are left, {} decided by the host", report.kept, report.pairs, report.unsure);
/// let left: &wgpu::Buffer = filter.kept();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct VolumeFilter<V> {
    gpu: Gpu,
    mark: Kernel,
    scan: Scan,
    compact: Kernel,
    settle: Kernel,
    params: Grown,
    extent: Grown,
    status: Grown,
    marks: Grown,
    sums: Grown,
    kept: Grown,
    staging: Grown,
    unsure: Unsure<V>,
    uploaded: Grown,
    upload: Upload,
    volumes: Option<(wgpu::Buffer, u32)>,
    bound: Option<Bound>,
    /// What became of what was recorded last, if it is settled.
    report: Option<FilterReport>,
    timer: StageTimer,
    stage_times: bool,
}

/// How many pairs a buffer on the device has.
#[derive(Clone, Copy, Debug)]
pub enum PairCount<'a> {
    /// So many.
    Known(u32),
    /// The device knows.
    OnDevice {
        /// The buffer with the number: a `u32`. It needs the usage `COPY_SRC`.
        buffer: &'a wgpu::Buffer,
        /// Where the number is in it: a multiple of 4.
        offset: u64,
        /// How many there can be. The work is that of so many.
        most: u32,
    },
}

impl PairCount<'_> {
    fn most(self) -> u32 {
        match self {
            PairCount::Known(most) | PairCount::OnDevice { most, .. } => most,
        }
    }
}

/// What a filter did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterReport {
    /// How many pairs came in.
    pub pairs: u32,
    /// How many are left.
    pub kept: u32,
    /// How many the device could not decide and left to the host.
    pub unsure: u32,
    /// How many of those the host has dropped.
    pub dropped_by_host: u32,
}

/// What is bound for a list of pairs and volumes.
#[derive(Debug)]
struct Bound {
    pairs: wgpu::Buffer,
    volumes: wgpu::Buffer,
    most: u32,
    mark: wgpu::BindGroup,
    scan: ScanList,
    compact: wgpu::BindGroup,
}

/// Records the work of a stage.
type Stage<'a> = &'a dyn Fn(&mut wgpu::ComputePass<'_>);

/// Words of the status: undecided, pairs without volumes, pairs, kept. See `wgsl/volumes_mark.wgsl`.
const STATUS_WORDS: u64 = 4;
const STATUS_KEPT: u64 = 3;
/// Pairs a workgroup takes.
const GROUP: u32 = 256;
/// Volumes a task of an upload writes.
const CHUNK: usize = 1 << 12;

impl<V: DeviceVolume> VolumeFilter<V> {
    /// A filter on this device.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let quads = format!("const QUADS = {}u;\n", V::FLOATS / 4);
        let ordered = include_str!("../wgsl/ordered.wgsl");
        let mark = include_str!("../wgsl/volumes_mark.wgsl");
        let filter = Self {
            gpu: gpu.clone(),
            mark: Kernel::new(gpu, "volumes: mark", &[&quads, ordered, V::DECIDE, mark]),
            scan: Scan::new(gpu),
            compact: Kernel::new(gpu, "volumes: compact", &[include_str!("../wgsl/compact.wgsl")]),
            settle: Kernel::new(gpu, "volumes: settle", &[include_str!("../wgsl/volumes_settle.wgsl")]),
            params: Grown::new("parameters", BufferUsages::UNIFORM),
            extent: Grown::storage("the number of marks"),
            status: Grown::storage("the status"),
            marks: Grown::storage("marks of pairs"),
            sums: Grown::storage("sums of marks"),
            kept: Grown::storage("pairs left"),
            staging: staging(),
            unsure: Unsure::new(),
            uploaded: Grown::storage("volumes"),
            upload: Upload::default(),
            volumes: None,
            bound: None,
            report: None,
            timer: StageTimer::new(gpu),
            stage_times: false,
        };
        gpu.check()?;
        Ok(filter)
    }

    /// Take the time of every stage, rather than of the whole only? Costs some microseconds a stage. Default: no.
    pub fn take_stage_times(&mut self, yes: bool) {
        self.stage_times = yes;
    }

    /// How many bytes of the device's memory are held.
    pub fn bytes(&self) -> u64 {
        let buffers = [
            &self.params,
            &self.extent,
            &self.status,
            &self.marks,
            &self.sums,
            &self.kept,
            &self.staging,
            &self.uploaded,
        ];
        buffers.iter().map(|buffer| buffer.bytes()).sum::<u64>() + self.unsure.bytes() + self.upload.bytes()
    }

    /// Copies volumes to the device, one for each of so many boxes, for the filters that follow. They are a list of `V`,
    /// or of `Option<V>` where a box can be without: its pairs are kept.
    pub fn upload<T: Sync>(&mut self, volumes: &[T], boxes: u32, executor: &Executor) -> Result<(), GpuError>
    where
        for<'a> &'a T: Into<Option<&'a V>>,
    {
        if volumes.len() != boxes as usize {
            return Err(GpuError::VolumeCount { volumes: volumes.len() as u64, boxes: boxes.into() });
        }
        let mut floats = vec![0.0; volumes.len() * V::FLOATS];
        let mut tasks: Vec<_> = floats.chunks_mut(CHUNK * V::FLOATS).zip(volumes.chunks(CHUNK)).collect();
        executor.for_each(&mut tasks, |_, (floats, volumes)| {
            for (floats, volume) in floats.chunks_exact_mut(V::FLOATS).zip(*volumes) {
                match volume.into() {
                    Some(volume) => volume.write(floats),
                    None => floats[0] = f32::NAN,
                }
            }
        });
        self.volumes = None;
        if floats.len() as u64 * 4 > self.uploaded.bytes() {
            // The old one goes first: both may not fit.
            self.bound = None;
        }
        self.uploaded.reserve(&self.gpu, floats.len() as u64 * 4)?;
        self.upload.write(&self.gpu, self.uploaded.get(), bytemuck::cast_slice(&floats), executor)?;
        self.volumes = Some((self.uploaded.get().clone(), boxes));
        Ok(())
    }

    /// Takes volumes from a buffer on the device, one for each of so many boxes, for the filters that follow. It needs the
    /// usage `STORAGE`; what a volume is there, says [`DeviceVolume`].
    pub fn set_volumes(&mut self, volumes: &wgpu::Buffer, boxes: u32) -> Result<(), GpuError> {
        let there = volumes.size() / (4 * V::FLOATS as u64);
        if there < u64::from(boxes) {
            return Err(GpuError::VolumeCount { volumes: there, boxes: boxes.into() });
        }
        self.volumes = Some((volumes.clone(), boxes));
        Ok(())
    }

    /// Filters: [`VolumeFilter::record`], submit, [`VolumeFilter::settle`].
    pub fn filter(&mut self, pairs: &wgpu::Buffer, count: PairCount<'_>) -> Result<FilterReport, GpuError> {
        let mut encoder = self.gpu.device().create_command_encoder(&Default::default());
        self.record(&mut encoder, pairs, count)?;
        self.gpu.queue().submit([encoder.finish()]);
        self.settle()
    }

    /// Records the filtering of a buffer of pairs, two indices of boxes each, to be submitted by the caller before
    /// anything else is asked of this filter. Until [`VolumeFilter::settle`], the undecided pairs are among those kept.
    pub fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        pairs: &wgpu::Buffer,
        count: PairCount<'_>,
    ) -> Result<(), GpuError> {
        self.report = None;
        // Before the first volumes there are none.
        if self.volumes.is_none() {
            self.upload::<V>(&[], 0, &Executor::serial())?;
        }
        let (volumes, boxes) = self.volumes.clone().expect("they were just set");
        // More than the buffer holds cannot be in it.
        let most = count.most().min((pairs.size() / 8).try_into().unwrap_or(u32::MAX));
        self.prepare(pairs, &volumes, most)?;
        let known = if let PairCount::Known(known) = count { known } else { 0 };
        let params = [known, boxes, most, self.unsure.capacity()];
        self.gpu.queue().write_buffer(self.params.get(), 0, bytemuck::cast_slice(&params));
        if let PairCount::OnDevice { buffer, offset, .. } = count {
            encoder.copy_buffer_to_buffer(buffer, offset, self.params.get(), 0, 4);
        }
        self.record_passes(encoder)
    }

    /// The passes, for parameters that are there already.
    fn record_passes(&mut self, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuError> {
        let Self { gpu, mark, scan, compact, status, marks, bound, timer, stage_times, .. } = self;
        let bound = bound.as_ref().expect("it was just bound");
        encoder.clear_buffer(status.get(), 0, None);
        timer.restart();
        let groups = (bound.most + 1).div_ceil(GROUP);
        let stages: [(&'static str, Stage<'_>); 3] = [
            ("mark", &|pass| mark.dispatch(gpu, pass, &bound.mark, groups)),
            ("scan", &|pass| scan.record(gpu, pass, &bound.scan)),
            ("compact", &|pass| compact.dispatch(gpu, pass, &bound.compact, groups)),
        ];
        if *stage_times {
            for (name, stage) in stages {
                stage(&mut timer.pass(encoder, name));
            }
        } else {
            let mut pass = timer.pass(encoder, "filter");
            stages.iter().for_each(|(_, stage)| stage(&mut pass));
        }
        let last = u64::from(bound.most) * 4;
        encoder.copy_buffer_to_buffer(marks.get(), last, status.get(), STATUS_KEPT * 4, 4);
        timer.resolve(gpu, encoder)
    }

    fn prepare(&mut self, pairs: &wgpu::Buffer, volumes: &wgpu::Buffer, most: u32) -> Result<(), GpuError> {
        let is_bound =
            |bound: &Bound| bound.pairs == *pairs && bound.volumes == *volumes && bound.most == most;
        if self.bound.as_ref().is_some_and(is_bound) {
            return Ok(());
        }
        self.bound = None;
        let gpu = self.gpu.clone();
        let marks = u64::from(most) + 1;
        self.params.reserve(&gpu, 16)?;
        self.extent.reserve(&gpu, 4)?;
        self.status.reserve(&gpu, STATUS_WORDS * 4)?;
        self.marks.reserve(&gpu, marks * 4)?;
        self.kept.reserve(&gpu, u64::from(most) * 8)?;
        self.unsure.reserve(&gpu, 0)?;
        gpu.queue().write_buffer(self.extent.get(), 0, bytemuck::bytes_of(&(marks as u32)));
        let scan = self.scan.list(&gpu, self.extent.get(), self.marks.get(), marks as u32, &mut self.sums)?;
        let (params, marks, kept) = (self.params.get(), self.marks.get(), self.kept.get());
        let (unsure, status) = (self.unsure.list(), self.status.get());
        self.bound = Some(Bound {
            pairs: pairs.clone(),
            volumes: volumes.clone(),
            most,
            mark: self.mark.bind(&gpu, &[params, pairs, volumes, marks, unsure, status]),
            scan,
            compact: self.compact.bind(&gpu, &[params, pairs, marks, kept]),
        });
        Ok(())
    }

    /// Waits for the filtering submitted last, decides what the device could not, and says how many pairs are left. The
    /// pairs and volumes must still be there. Where all is settled already, says the same again.
    pub fn settle(&mut self) -> Result<FilterReport, GpuError> {
        if let Some(report) = self.report {
            return Ok(report);
        }
        if self.bound.is_none() {
            return Err(GpuError::NothingRecorded);
        }
        let gpu = self.gpu.clone();
        let (unsure, pairs, kept) = loop {
            let status: Vec<u32> =
                read_back(&gpu, &mut self.staging, self.status.get(), STATUS_WORDS, &Executor::serial())?;
            let [unsure, strangers, pairs, kept] = status[..] else { unreachable!("so many were asked for") };
            let bound = self.bound.as_ref().expect("something was recorded before");
            if pairs > bound.most {
                return Err(GpuError::PairsMissing { pairs: pairs.into(), room: bound.most.into() });
            }
            if strangers > 0 {
                let boxes = self.volumes.as_ref().map_or(0, |(_, boxes)| u64::from(*boxes));
                return Err(GpuError::NoVolume { pairs: strangers.into(), volumes: boxes });
            }
            if unsure <= self.unsure.capacity() {
                break (unsure, pairs, kept);
            }
            self.again_with_room(unsure)?;
        };
        let mut dropped = 0;
        if unsure > 0 {
            dropped = self.unsure.decide(&gpu, &mut self.staging, unsure)?;
        }
        if dropped > 0 {
            self.drop_again(kept - dropped);
        }
        gpu.check()?;
        let report = FilterReport { pairs, kept: kept - dropped, unsure, dropped_by_host: dropped };
        self.report = Some(report);
        Ok(report)
    }

    /// Filters once more, with room for so many undecided pairs.
    fn again_with_room(&mut self, unsure: u32) -> Result<(), GpuError> {
        let gpu = self.gpu.clone();
        self.unsure.reserve(&gpu, unsure.saturating_add(unsure / 8))?;
        let Bound { pairs, volumes, most, .. } = self.bound.take().expect("something was recorded before");
        self.prepare(&pairs, &volumes, most)?;
        gpu.queue().write_buffer(self.params.get(), 12, bytemuck::bytes_of(&self.unsure.capacity()));
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        self.record_passes(&mut encoder)?;
        gpu.queue().submit([encoder.finish()]);
        Ok(())
    }

    /// Compacts without the pairs that the host has dropped.
    fn drop_again(&mut self, kept: u32) {
        let gpu = &self.gpu;
        let bound = self.bound.as_ref().expect("something was recorded before");
        let buffers =
            [self.params.get(), &bound.pairs, self.marks.get(), self.unsure.dropped(), self.kept.get()];
        let bindings = self.settle.bind(gpu, &buffers);
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.settle.dispatch(gpu, &mut pass, &bindings, bound.most.div_ceil(GROUP));
        drop(pass);
        gpu.queue().write_buffer(self.status.get(), STATUS_KEPT * 4, bytemuck::bytes_of(&kept));
        gpu.queue().submit([encoder.finish()]);
    }

    /// The pairs left, on the device, in the order they were in.
    ///
    /// # Panics
    /// If nothing was ever recorded. The same holds for the number of them.
    pub fn kept(&self) -> &wgpu::Buffer {
        self.kept.get()
    }

    /// The number of pairs left, on the device: the buffer, and where the `u32` is in it, in bytes.
    pub fn kept_count(&self) -> (&wgpu::Buffer, u64) {
        (self.status.get(), STATUS_KEPT * 4)
    }

    /// Copies the pairs left to the host, settled. Waits for the device.
    pub fn read_kept(&mut self, executor: &Executor) -> Result<Vec<Pair>, GpuError> {
        let kept = self.settle()?.kept;
        if kept == 0 {
            return Ok(Vec::new());
        }
        read_back(&self.gpu, &mut self.staging, self.kept.get(), u64::from(kept), executor)
    }

    /// The device's own times of the filtering that was submitted last, without what the host had to settle. Waits for the
    /// device.
    pub fn times(&self) -> Result<DeviceTimes, GpuError> {
        self.timer.read(&self.gpu)
    }
}
