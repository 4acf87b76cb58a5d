//! What one sorted list of pairs on the device has that another has not: marks, a scan of them, and compaction.

use jostle_broad::{Executor, Pair};
use wgpu::BufferUsages;

use crate::buffers::{Grown, read_back, staging};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::kernel::Kernel;
use crate::scan::Scan;

/// The kernels, and memory that is kept.
#[derive(Debug)]
pub(crate) struct Difference {
    mark: Kernel,
    scan: Scan,
    compact: Kernel,
    lists: Grown,
    extent: Grown,
    marks: Grown,
    sums: Grown,
    staging: Grown,
}

impl Difference {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            mark: Kernel::new(gpu, "difference: mark", &[include_str!("wgsl/difference_mark.wgsl")]),
            scan: Scan::new(gpu),
            compact: Kernel::new(gpu, "difference: compact", &[include_str!("wgsl/compact.wgsl")]),
            lists: Grown::new("lengths of lists", BufferUsages::UNIFORM),
            extent: Grown::storage("the number of marks"),
            marks: Grown::storage("marks"),
            sums: Grown::storage("sums of marks"),
            staging: staging(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        [&self.lists, &self.extent, &self.marks, &self.sums].iter().map(|buffer| buffer.bytes()).sum()
    }

    /// Writes to `kept` the first `count` elements of `list` that are not among the first `others` of `other`, both
    /// sorted. Returns how many they are.
    pub(crate) fn find(
        &mut self,
        gpu: &Gpu,
        list: &wgpu::Buffer,
        count: u32,
        other: &wgpu::Buffer,
        others: u32,
        kept: &mut Grown,
    ) -> Result<u32, GpuError> {
        let marks = count + 1;
        self.lists.reserve(gpu, 16)?;
        self.extent.reserve(gpu, 4)?;
        self.marks.reserve(gpu, u64::from(marks) * 4)?;
        kept.reserve(gpu, u64::from(count) * 8)?;
        gpu.queue().write_buffer(self.lists.get(), 0, bytemuck::cast_slice(&[count, others, 0, 0]));
        gpu.queue().write_buffer(self.extent.get(), 0, bytemuck::bytes_of(&marks));
        let scan = self.scan.list(gpu, self.extent.get(), self.marks.get(), marks, &mut self.sums)?;
        let mark = self.mark.bind(gpu, &[self.lists.get(), list, other, self.marks.get()]);
        let compact = self.compact.bind(gpu, &[self.lists.get(), list, self.marks.get(), kept.get()]);
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.mark.dispatch(gpu, &mut pass, &mark, marks.div_ceil(256));
        self.scan.record(gpu, &mut pass, &scan);
        self.compact.dispatch(gpu, &mut pass, &compact, count.div_ceil(256));
        drop(pass);
        self.staging.reserve(gpu, 16)?;
        encoder.copy_buffer_to_buffer(self.marks.get(), u64::from(count) * 4, self.staging.get(), 0, 4);
        gpu.queue().submit([encoder.finish()]);
        let kept: Vec<u32> = crate::buffers::map_back(gpu, &self.staging, 1, &Executor::serial(), None)?;
        Ok(kept[0])
    }

    /// Copies the first `count` elements of a buffer to the host.
    pub(crate) fn read(
        &mut self,
        gpu: &Gpu,
        from: &Grown,
        count: u32,
        executor: &Executor,
    ) -> Result<Vec<Pair>, GpuError> {
        read_back(gpu, &mut self.staging, from.get(), u64::from(count), executor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gpus, upload};
    use jostle_broad::scene::Random;

    #[test]
    fn what_the_other_list_has_not_is_kept_in_order() {
        let mut random = Random::new(9);
        for gpu in gpus() {
            let mut difference = Difference::new(&gpu);
            for (count, others) in
                [(0usize, 0usize), (1, 0), (1, 1), (500, 3), (4095, 5000), (20_000, 20_000)]
            {
                let mut draw = |count: usize| {
                    let mut list: Vec<Pair> = (0..count)
                        .map(|_| Pair::new(random.below(150) as u32, 150 + random.below(150) as u32))
                        .collect();
                    list.sort_unstable();
                    list.dedup();
                    list
                };
                let (list, other) = (draw(count), draw(others));
                let mut kept = Grown::storage("kept");
                let (a, b) = (upload(&gpu, &list), upload(&gpu, &other));
                let found =
                    difference.find(&gpu, &a, list.len() as u32, &b, other.len() as u32, &mut kept).unwrap();
                let expected: Vec<Pair> =
                    list.iter().copied().filter(|pair| other.binary_search(pair).is_err()).collect();
                assert_eq!(
                    difference.read(&gpu, &kept, found, &Executor::serial()).unwrap(),
                    expected,
                    "{count} {others}"
                );
            }
        }
    }
}
