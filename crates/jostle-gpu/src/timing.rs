//! Time on the device, stage by stage, by its own clock.

use std::time::Duration;

use jostle_broad::Executor;
use wgpu::BufferUsages;

use crate::buffers::{Grown, map_back, staging};
use crate::device::Gpu;
use crate::error::GpuError;

/// The most stages of one piece of work.
const STAGES: u32 = 48;

/// Times of stages, as the device took them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceTimes {
    /// Time per stage, in the order of execution. Empty where the device has no clock for this.
    pub stages: Vec<(&'static str, Duration)>,
    /// From the begin of the first stage to the end of the last.
    pub total: Duration,
}

/// Gives out passes whose begin and end the device notes down.
#[derive(Debug)]
pub(crate) struct StageTimer {
    set: Option<wgpu::QuerySet>,
    period: f64,
    resolved: Grown,
    staging: Grown,
    names: Vec<&'static str>,
}

impl StageTimer {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let set = gpu.description().timestamps.then(|| {
            gpu.device().create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("stages"),
                ty: wgpu::QueryType::Timestamp,
                count: STAGES * 2,
            })
        });
        Self {
            set,
            period: f64::from(gpu.queue().get_timestamp_period()),
            resolved: Grown::new("timestamps", BufferUsages::QUERY_RESOLVE),
            staging: staging(),
            names: Vec::new(),
        }
    }

    /// Forgets the stages noted so far.
    pub(crate) fn restart(&mut self) {
        self.names.clear();
    }

    /// A pass that is the next stage.
    pub(crate) fn pass<'e>(
        &mut self,
        encoder: &'e mut wgpu::CommandEncoder,
        name: &'static str,
    ) -> wgpu::ComputePass<'e> {
        let index = self.names.len() as u32;
        let set = self.set.as_ref().filter(|_| index < STAGES);
        if set.is_some() {
            self.names.push(name);
        }
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(name),
            timestamp_writes: set.map(|query_set| wgpu::ComputePassTimestampWrites {
                query_set,
                beginning_of_pass_write_index: Some(index * 2),
                end_of_pass_write_index: Some(index * 2 + 1),
            }),
        })
    }

    /// Has the device write its notes where they can be read. To be recorded after the last stage.
    pub(crate) fn resolve(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuError> {
        let Some(set) = self.set.as_ref().filter(|_| !self.names.is_empty()) else { return Ok(()) };
        let bytes = u64::from(STAGES) * 16;
        self.resolved.reserve(gpu, bytes)?;
        self.staging.reserve(gpu, bytes)?;
        let count = self.names.len() as u32 * 2;
        encoder.resolve_query_set(set, 0..count, self.resolved.get(), 0);
        encoder.copy_buffer_to_buffer(self.resolved.get(), 0, self.staging.get(), 0, u64::from(count) * 8);
        Ok(())
    }

    /// The times of the work handed over last. Waits for the device.
    pub(crate) fn read(&self, gpu: &Gpu) -> Result<DeviceTimes, GpuError> {
        self.read_after(gpu, None)
    }

    /// The same, waiting for this work only.
    pub(crate) fn read_after(
        &self,
        gpu: &Gpu,
        after: Option<wgpu::SubmissionIndex>,
    ) -> Result<DeviceTimes, GpuError> {
        if self.set.is_none() || self.names.is_empty() {
            return Ok(DeviceTimes::default());
        }
        let ticks: Vec<u64> =
            map_back(gpu, &self.staging, self.names.len() as u64 * 2, &Executor::serial(), after)?;
        let time = |from: u64, to: u64| {
            Duration::from_nanos((to.saturating_sub(from) as f64 * self.period).round() as u64)
        };
        let stages =
            self.names.iter().zip(ticks.chunks_exact(2)).map(|(name, at)| (*name, time(at[0], at[1])));
        Ok(DeviceTimes { stages: stages.collect(), total: time(ticks[0], ticks[ticks.len() - 1]) })
    }
}
