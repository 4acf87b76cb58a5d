//! How fast the device copies: the measure for everything that only moves bytes.

use crate::buffers::Grown;
use crate::device::Gpu;
use crate::error::GpuError;
use crate::kernel::Kernel;
use crate::timing::StageTimer;

/// Copies `bytes` on the device, the best of ten, and returns bytes read and written per second. `None` where the device
/// has no clock.
pub fn copy_bandwidth(gpu: &Gpu, bytes: u64) -> Result<Option<f64>, GpuError> {
    let kernel = Kernel::new(gpu, "copy", &[include_str!("wgsl/copy.wgsl")]);
    let (mut from, mut to) = (Grown::storage("bytes to copy"), Grown::storage("copied bytes"));
    from.reserve(gpu, bytes)?;
    to.reserve(gpu, bytes)?;
    // Not zeros: they may be faster than data.
    let noise: Vec<u32> =
        (0..(bytes / 4) as u32).map(|i| i.wrapping_mul(0x9E37_79B9).rotate_left(i % 32)).collect();
    gpu.queue().write_buffer(from.get(), 0, bytemuck::cast_slice(&noise));
    let bindings = kernel.bind(gpu, &[from.get(), to.get()]);
    let mut timer = StageTimer::new(gpu);
    let mut best: Option<f64> = None;
    for _ in 0..10 {
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        timer.restart();
        let groups = (bytes / 16).div_ceil(1024) as u32;
        kernel.dispatch(gpu, &mut timer.pass(&mut encoder, "copy"), &bindings, groups);
        timer.resolve(gpu, &mut encoder)?;
        gpu.queue().submit([encoder.finish()]);
        let seconds = timer.read(gpu)?.total.as_secs_f64();
        if seconds > 0.0 {
            best = Some(best.unwrap_or(0.0).max(2.0 * bytes as f64 / seconds));
        }
    }
    Ok(best)
}
