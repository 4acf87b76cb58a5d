//! Buffers that grow and are kept, and the way of their contents back to the host.

use bytemuck::Pod;
use jostle_broad::Executor;
use wgpu::BufferUsages;

use crate::device::Gpu;
use crate::error::GpuError;

/// Values a task copies.
const CHUNK: usize = 1 << 16;

/// A buffer that is made anew, larger, when more is asked of it. Its contents are lost then.
#[derive(Debug)]
pub(crate) struct Grown {
    what: &'static str,
    usage: BufferUsages,
    buffer: Option<wgpu::Buffer>,
}

impl Grown {
    /// Nothing yet. Every such buffer can be copied from and to.
    pub(crate) fn new(what: &'static str, usage: BufferUsages) -> Self {
        Self { what, usage: usage | BufferUsages::COPY_SRC | BufferUsages::COPY_DST, buffer: None }
    }

    /// A storage buffer.
    pub(crate) fn storage(what: &'static str) -> Self {
        Self::new(what, BufferUsages::STORAGE)
    }

    /// Makes room for so many bytes.
    pub(crate) fn reserve(&mut self, gpu: &Gpu, bytes: u64) -> Result<(), GpuError> {
        if self.buffer.as_ref().is_some_and(|buffer| buffer.size() >= bytes) {
            return Ok(());
        }
        // The old one goes first: both may not fit.
        self.buffer = None;
        self.buffer = Some(gpu.buffer(self.what, bytes, self.usage)?);
        Ok(())
    }

    /// The buffer.
    ///
    /// # Panics
    /// If nothing was ever asked of it.
    pub(crate) fn get(&self) -> &wgpu::Buffer {
        self.buffer.as_ref().expect("room was made before")
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.buffer.as_ref().map_or(0, wgpu::Buffer::size)
    }
}

/// Reads the first `count` values of a buffer. Waits for the device.
pub(crate) fn read_back<T: Pod + Send>(
    gpu: &Gpu,
    staging: &mut Grown,
    from: &wgpu::Buffer,
    count: u64,
    executor: &Executor,
) -> Result<Vec<T>, GpuError> {
    let bytes = count * size_of::<T>() as u64;
    if bytes == 0 {
        return Ok(Vec::new());
    }
    staging.reserve(gpu, bytes)?;
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(from, 0, staging.get(), 0, bytes);
    gpu.queue().submit([encoder.finish()]);
    map_back(gpu, staging, count, executor, None)
}

/// Reads the first `count` values of a staging buffer that work handed over before writes to. Waits for that work,
/// or for all where it is not named.
pub(crate) fn map_back<T: Pod + Send>(
    gpu: &Gpu,
    staging: &Grown,
    count: u64,
    executor: &Executor,
    after: Option<wgpu::SubmissionIndex>,
) -> Result<Vec<T>, GpuError> {
    let bytes = count * size_of::<T>() as u64;
    let (send, receive) = std::sync::mpsc::channel();
    staging.get().map_async(wgpu::MapMode::Read, 0..bytes, move |result| {
        // Nobody waits any more after an error.
        drop(send.send(result));
    });
    gpu.wait_for(after)?;
    let lost = |reason: String| GpuError::DeviceLost { reason };
    receive.recv().map_err(|error| lost(error.to_string()))?.map_err(|error| lost(error.to_string()))?;
    let view = staging.get().get_mapped_range(0..bytes).map_err(|error| lost(error.to_string()))?;
    let mut copy = vec![T::zeroed(); count as usize];
    let mut tasks: Vec<(&mut [T], &[u8])> =
        copy.chunks_mut(CHUNK).zip(view.chunks(CHUNK * size_of::<T>())).collect();
    executor.for_each(&mut tasks, |_, (to, from)| bytemuck::cast_slice_mut(to).copy_from_slice(from));
    drop(view);
    staging.get().unmap();
    gpu.check()?;
    Ok(copy)
}

/// A staging buffer for [`read_back`].
pub(crate) fn staging() -> Grown {
    Grown { what: "reading back", usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST, buffer: None }
}
