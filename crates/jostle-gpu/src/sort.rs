//! Radix sort of elements of two words on the device: by digits of eight bits, least significant first, stable.
//!
//! A digit takes a histogram of every block, a scan of the histograms, and a scatter. Elements go to and fro between two
//! buffers. The key is either word; sorting by the second and then by the first orders pairs canonically.

use bytemuck::{Pod, Zeroable};
use wgpu::BufferUsages;

use crate::buffers::Grown;
use crate::device::Gpu;
use crate::error::GpuError;
use crate::kernel::{Kernel, workgroup_scan};
use crate::scan::Scan;

/// Elements per workgroup.
const BLOCK: u32 = 2048;
const DIGIT_BITS: u32 = 8;

/// A word of the element, and how many of its bits matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SortKey {
    pub(crate) half: u32,
    pub(crate) bits: u32,
}

/// The kernels, and memory that is kept.
#[derive(Debug)]
pub(crate) struct RadixSort {
    histogram: Kernel,
    scatter: Kernel,
    scan: Scan,
    counts: Grown,
    sums: Grown,
    extent: Grown,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Digit {
    count: u32,
    blocks: u32,
    half: u32,
    shift: u32,
}

impl RadixSort {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let scan = workgroup_scan(gpu);
        Self {
            histogram: Kernel::new(gpu, "sort: histogram", &[include_str!("wgsl/sort_histogram.wgsl")]),
            scatter: Kernel::new(gpu, "sort: scatter", &[scan, include_str!("wgsl/sort_scatter.wgsl")]),
            scan: Scan::new(gpu),
            counts: Grown::storage("digits"),
            sums: Grown::storage("sums of digits"),
            extent: Grown::storage("the number of digits"),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.counts.bytes() + self.sums.bytes() + self.extent.bytes()
    }

    /// Records a sort of the first `count` elements by the keys in turn, the least significant first. Returns whether
    /// the sorted elements are in `spare` rather than where they were.
    pub(crate) fn record(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        elements: &wgpu::Buffer,
        spare: &wgpu::Buffer,
        count: u32,
        keys: &[SortKey],
    ) -> Result<bool, GpuError> {
        let digits = keys
            .iter()
            .flat_map(|key| (0..key.bits).step_by(DIGIT_BITS as usize).map(|shift| (key.half, shift)));
        let blocks = count.div_ceil(BLOCK);
        if count < 2 {
            return Ok(false);
        }
        let entries = blocks * 256;
        self.counts.reserve(gpu, u64::from(entries) * 4)?;
        self.extent.reserve(gpu, 4)?;
        gpu.queue().write_buffer(self.extent.get(), 0, bytemuck::bytes_of(&entries));
        let list = self.scan.list(gpu, self.extent.get(), self.counts.get(), entries, &mut self.sums)?;
        let mut in_spare = false;
        for (half, shift) in digits {
            let digit = Digit { count, blocks, half, shift };
            let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
            let uniform = gpu.buffer("a digit", size_of::<Digit>() as u64, usage)?;
            gpu.queue().write_buffer(&uniform, 0, bytemuck::bytes_of(&digit));
            let (from, to) = if in_spare { (spare, elements) } else { (elements, spare) };
            let histogram = self.histogram.bind(gpu, &[&uniform, from, self.counts.get()]);
            let scatter = self.scatter.bind(gpu, &[&uniform, from, self.counts.get(), to]);
            self.histogram.dispatch(gpu, pass, &histogram, blocks);
            self.scan.record(gpu, pass, &list);
            self.scatter.dispatch(gpu, pass, &scatter, blocks);
            in_spare = !in_spare;
        }
        Ok(in_spare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{download, gpus, upload};
    use jostle_broad::scene::Random;

    fn sort_on(gpu: &Gpu, elements: &[[u32; 2]], keys: &[SortKey]) -> Vec<[u32; 2]> {
        let mut sort = RadixSort::new(gpu);
        let (first, second) = (upload(gpu, elements), upload(gpu, elements));
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        let in_spare = sort.record(gpu, &mut pass, &first, &second, elements.len() as u32, keys).unwrap();
        drop(pass);
        gpu.queue().submit([encoder.finish()]);
        download(gpu, if in_spare { &second } else { &first }, elements.len())
    }

    #[test]
    fn elements_come_out_in_order_and_equal_keys_as_they_were() {
        let mut random = Random::new(5);
        for gpu in gpus() {
            for count in [1usize, 2, 255, 2047, 2048, 2049, 6000, 100_000] {
                for bits in [8, 20, 32] {
                    let key = SortKey { half: 0, bits };
                    let keep = u32::MAX >> (32 - bits);
                    let few = |i: usize| if count % 2 == 0 { u32::MAX } else { (i % 7) as u32 };
                    let elements: Vec<[u32; 2]> =
                        (0..count).map(|i| [random.bits() as u32 & keep & few(i), i as u32]).collect();
                    let mut expected = elements.clone();
                    expected.sort_by_key(|element| element[0]);
                    assert_eq!(sort_on(&gpu, &elements, &[key]), expected, "{count} elements, {bits} bits");
                }
            }
        }
    }

    #[test]
    fn both_words_are_canonical_order() {
        let mut random = Random::new(6);
        let elements: Vec<[u32; 2]> =
            (0..20_000).map(|_| [random.bits() as u32 & 0xfff, random.bits() as u32 & 0xfffff]).collect();
        let mut expected = elements.clone();
        expected.sort_unstable();
        for gpu in gpus() {
            let keys = [SortKey { half: 1, bits: 20 }, SortKey { half: 0, bits: 12 }];
            assert_eq!(sort_on(&gpu, &elements, &keys), expected);
        }
    }
}
