//! What the tests of passes share.

use wgpu::BufferUsages;

use crate::buffers::{read_back, staging};
use crate::device::{AdapterChoice, Gpu};

/// A device with subgroup operations (where the adapter has them) and the same without.
pub(crate) fn gpus() -> [Gpu; 2] {
    let gpu = Gpu::open(&AdapterChoice::Any).expect("tests need an adapter: install Mesa's Vulkan drivers");
    let plain = gpu.without_subgroups();
    [gpu, plain]
}

pub(crate) fn upload<T: bytemuck::NoUninit>(gpu: &Gpu, values: &[T]) -> wgpu::Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    let bytes: &[u8] = bytemuck::cast_slice(values);
    let buffer = gpu.buffer("test", bytes.len() as u64, usage).unwrap();
    gpu.queue().write_buffer(&buffer, 0, bytes);
    buffer
}

pub(crate) fn download<T: bytemuck::Pod + Send>(gpu: &Gpu, buffer: &wgpu::Buffer, length: usize) -> Vec<T> {
    read_back(gpu, &mut staging(), buffer, length as u64, &jostle_broad::Executor::serial()).unwrap()
}
