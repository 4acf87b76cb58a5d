//! The way of boxes to the device: staging memory that stays, written by several threads.
//!
//! Staging memory is in parts, because one mapping cannot be shared out among threads. All parts are mapped between
//! uploads, so that the next one can begin at once.

use jostle_broad::Executor;
use wgpu::BufferUsages;

use crate::device::Gpu;
use crate::error::GpuError;

/// Bytes per part.
const PART: usize = 2 << 20;

/// Staging memory.
#[derive(Debug, Default)]
pub(crate) struct Upload {
    parts: Vec<wgpu::Buffer>,
    /// Have parts been asked to be mapped again that may not be yet?
    mapping: bool,
}

impl Upload {
    pub(crate) fn bytes(&self) -> u64 {
        (self.parts.len() * PART) as u64
    }

    /// Writes bytes to the beginning of a buffer: whole words of four.
    pub(crate) fn write(
        &mut self,
        gpu: &Gpu,
        to: &wgpu::Buffer,
        bytes: &[u8],
        executor: &Executor,
    ) -> Result<(), GpuError> {
        if std::mem::take(&mut self.mapping) {
            gpu.wait()?;
        }
        while self.parts.len() * PART < bytes.len() {
            let usage = BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC;
            self.parts.push(gpu.mapped_buffer("boxes on their way", PART as u64, usage)?);
        }
        let parts = &self.parts[..bytes.len().div_ceil(PART)];
        let mut tasks: Vec<_> = parts.iter().zip(bytes.chunks(PART)).map(|task| (task, Ok(()))).collect();
        executor.for_each(&mut tasks, |_, ((part, chunk), result)| {
            *result = match part.get_mapped_range_mut(..chunk.len() as u64) {
                Ok(mut view) => {
                    view.copy_from_slice(chunk);
                    Ok(())
                }
                Err(error) => Err(error.to_string()),
            };
        });
        if let Some((_, Err(reason))) = tasks.iter().find(|(_, result)| result.is_err()) {
            gpu.check()?;
            return Err(GpuError::DeviceLost { reason: reason.clone() });
        }
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        for (index, (part, chunk)) in parts.iter().zip(bytes.chunks(PART)).enumerate() {
            part.unmap();
            encoder.copy_buffer_to_buffer(part, 0, to, (index * PART) as u64, chunk.len() as u64);
        }
        gpu.queue().submit([encoder.finish()]);
        // Errors of mapping show when the part is written to next.
        parts.iter().for_each(|part| part.map_async(wgpu::MapMode::Write, .., drop));
        self.mapping = true;
        gpu.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{download, gpus, upload};

    #[test]
    fn bytes_arrive_in_one_part_or_many_time_after_time() {
        let gpu = &gpus()[0];
        let mut way = Upload::default();
        let executor = Executor::new(2).unwrap();
        for words in [1usize, 1000, PART / 4, PART / 4 + 1, PART, 10] {
            let values: Vec<u32> = (0..words as u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
            let there = upload(gpu, &vec![0u32; words]);
            way.write(gpu, &there, bytemuck::cast_slice(&values), &executor).unwrap();
            assert!(download::<u32>(gpu, &there, words) == values, "{words} words");
        }
    }
}
