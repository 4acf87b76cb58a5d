//! Exclusive sums of a list on the device, in three passes: sums of blocks, sums of those, sums within blocks.
//!
//! How many values there are stands in a buffer, because a pass before may have decided it; the host only knows how many
//! there can be.

use crate::buffers::Grown;
use crate::device::Gpu;
use crate::error::GpuError;
use crate::kernel::{Kernel, workgroup_scan};

/// Values per workgroup.
const BLOCK: u32 = 4096;
/// Up to so many blocks, each sums up those before it: cheaper than a pass of its own.
const FEW_BLOCKS: u32 = 1024;

/// The passes.
#[derive(Debug)]
pub(crate) struct Scan {
    reduce: Kernel,
    sums: Kernel,
    apply: Kernel,
    apply_few: Kernel,
}

/// A list to scan, with what that needs.
#[derive(Debug)]
pub(crate) struct ScanList {
    reduce: wgpu::BindGroup,
    sums: wgpu::BindGroup,
    apply: wgpu::BindGroup,
    blocks: u32,
}

impl Scan {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let scan = workgroup_scan(gpu);
        let apply = include_str!("wgsl/scan_apply.wgsl");
        Self {
            reduce: Kernel::new(gpu, "scan: reduce", &[scan, include_str!("wgsl/scan_reduce.wgsl")]),
            sums: Kernel::new(gpu, "scan: sums", &[scan, include_str!("wgsl/scan_sums.wgsl")]),
            apply: Kernel::new(gpu, "scan: apply", &[scan, "const FEW_BLOCKS = false;\n", apply]),
            apply_few: Kernel::new(gpu, "scan: apply", &[scan, "const FEW_BLOCKS = true;\n", apply]),
        }
    }

    /// Binds a list of up to `capacity` values; the first word of `extent` says how many it has. `sums` is scratch. The
    /// list must be whole groups of four values.
    pub(crate) fn list(
        &self,
        gpu: &Gpu,
        extent: &wgpu::Buffer,
        values: &wgpu::Buffer,
        capacity: u32,
        sums: &mut Grown,
    ) -> Result<ScanList, GpuError> {
        let blocks = capacity.div_ceil(BLOCK).max(1);
        sums.reserve(gpu, u64::from(blocks) * 4)?;
        Ok(ScanList {
            reduce: self.reduce.bind(gpu, &[extent, values, sums.get()]),
            sums: self.sums.bind(gpu, &[extent, sums.get()]),
            apply: self.apply_for(blocks).bind(gpu, &[extent, values, sums.get()]),
            blocks,
        })
    }

    /// Records the three passes.
    pub(crate) fn record(&self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>, list: &ScanList) {
        self.reduce.dispatch(gpu, pass, &list.reduce, list.blocks);
        if list.blocks > FEW_BLOCKS {
            self.sums.dispatch(gpu, pass, &list.sums, 1);
        }
        self.apply_for(list.blocks).dispatch(gpu, pass, &list.apply, list.blocks);
    }

    fn apply_for(&self, blocks: u32) -> &Kernel {
        if blocks > FEW_BLOCKS { &self.apply } else { &self.apply_few }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{download, gpus, upload};

    #[test]
    fn every_value_becomes_the_sum_of_those_before() {
        for gpu in gpus() {
            let scan = Scan::new(&gpu);
            for length in [1u32, 2, 5, 255, 256, 1023, 1024, 4095, 4096, 4097, 70_000, 4096 * 1030 + 3] {
                let values: Vec<u32> = (0..length).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
                // What lies behind the list must stay as it is.
                let padded: Vec<u32> =
                    values.iter().copied().chain(std::iter::repeat_n(7, 8 - (length as usize % 4))).collect();
                let list = upload(&gpu, &padded);
                let extent = upload(&gpu, &[length]);
                let mut sums = Grown::storage("sums");
                let bound = scan.list(&gpu, &extent, &list, length, &mut sums).unwrap();
                let mut encoder = gpu.device().create_command_encoder(&Default::default());
                scan.record(&gpu, &mut encoder.begin_compute_pass(&Default::default()), &bound);
                gpu.queue().submit([encoder.finish()]);
                let found: Vec<u32> = download(&gpu, &list, length as usize);
                let mut sum = 0u32;
                for (i, value) in values.iter().enumerate() {
                    assert_eq!(found[i], sum, "value {i} of {length}");
                    sum = sum.wrapping_add(*value);
                }
            }
        }
    }
}
