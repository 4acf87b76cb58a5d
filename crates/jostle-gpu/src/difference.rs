//! What changed between two sorted lists of pairs on the device: of each list, what the other has not, by marks, a scan of
//! them, and compaction.

use jostle_broad::{Executor, Pair};
use wgpu::BufferUsages;

use crate::buffers::{Grown, map_back, staging};
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
    comparisons: [Comparison; 2],
    staging: Grown,
}

/// The memory of one comparison.
#[derive(Debug)]
struct Comparison {
    lists: Grown,
    extent: Grown,
    marks: Grown,
    sums: Grown,
}

/// The first pairs of a buffer, sorted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortedPairs<'a> {
    pub(crate) pairs: &'a wgpu::Buffer,
    pub(crate) count: u32,
}

/// Where what one list has and the other has not goes, and how much of it comes to the host at once.
#[derive(Debug)]
pub(crate) struct Kept<'a> {
    pub(crate) pairs: &'a mut Grown,
    pub(crate) ahead: u32,
}

/// How many pairs were added and removed, and the first of them, as many as were asked for ahead.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Differences {
    pub(crate) counts: [u32; 2],
    pub(crate) ahead: [Vec<Pair>; 2],
}

impl Comparison {
    fn new() -> Self {
        Self {
            lists: Grown::new("lengths of lists", BufferUsages::UNIFORM),
            extent: Grown::storage("the number of marks"),
            marks: Grown::storage("marks"),
            sums: Grown::storage("sums of marks"),
        }
    }
}

impl Difference {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            mark: Kernel::new(gpu, "difference: mark", &[include_str!("wgsl/difference_mark.wgsl")]),
            scan: Scan::new(gpu),
            compact: Kernel::new(gpu, "difference: compact", &[include_str!("wgsl/compact.wgsl")]),
            comparisons: [Comparison::new(), Comparison::new()],
            staging: staging(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        let of = |it: &Comparison| [&it.lists, &it.extent, &it.marks, &it.sums].map(Grown::bytes);
        self.comparisons.iter().flat_map(of).sum::<u64>() + self.staging.bytes()
    }

    /// Hands over what was recorded before and a comparison of two lists after it, and waits for the numbers of pairs that
    /// `now` has and `before` has not (added), and the other way round (removed).
    pub(crate) fn find(
        &mut self,
        gpu: &Gpu,
        mut encoder: wgpu::CommandEncoder,
        now: SortedPairs<'_>,
        before: SortedPairs<'_>,
        [mut added, mut removed]: [Kept<'_>; 2],
    ) -> Result<Differences, GpuError> {
        self.record(gpu, &mut encoder, 0, now, before, &mut added)?;
        self.record(gpu, &mut encoder, 1, before, now, &mut removed)?;
        // One pair holds both numbers, the others follow.
        let ahead = [added.ahead, removed.ahead].map(u64::from);
        let total = 1 + ahead[0] + ahead[1];
        self.staging.reserve(gpu, total * 8)?;
        let staging = self.staging.get();
        for (which, list) in [now, before].into_iter().enumerate() {
            let marks = self.comparisons[which].marks.get();
            encoder.copy_buffer_to_buffer(marks, u64::from(list.count) * 4, staging, which as u64 * 4, 4);
        }
        for (kept, at, count) in [(&added, 1, ahead[0]), (&removed, 1 + ahead[0], ahead[1])] {
            if count > 0 {
                encoder.copy_buffer_to_buffer(kept.pairs.get(), 0, staging, at * 8, count * 8);
            }
        }
        gpu.queue().submit([encoder.finish()]);
        let mut list: Vec<Pair> = map_back(gpu, &self.staging, total, &Executor::serial(), None)?;
        let counts = [list[0].low, list[0].high];
        let mut removed = list.split_off(1 + ahead[0] as usize);
        let mut added = list.split_off(1);
        added.truncate(counts[0] as usize);
        removed.truncate(counts[1] as usize);
        Ok(Differences { counts, ahead: [added, removed] })
    }

    /// Records what writes to `kept` the pairs of `list` that `other` has not. The last of the marks is their number.
    fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        which: usize,
        list: SortedPairs<'_>,
        other: SortedPairs<'_>,
        kept: &mut Kept<'_>,
    ) -> Result<(), GpuError> {
        let Comparison { lists, extent, marks, sums } = &mut self.comparisons[which];
        let length = list.count + 1;
        lists.reserve(gpu, 16)?;
        extent.reserve(gpu, 4)?;
        marks.reserve(gpu, u64::from(length) * 4)?;
        kept.pairs.reserve(gpu, u64::from(list.count) * 8)?;
        kept.ahead = kept.ahead.min(list.count);
        gpu.queue().write_buffer(lists.get(), 0, bytemuck::cast_slice(&[list.count, other.count, 0, 0]));
        gpu.queue().write_buffer(extent.get(), 0, bytemuck::bytes_of(&length));
        let scan = self.scan.list(gpu, extent.get(), marks.get(), length, sums)?;
        let mark = self.mark.bind(gpu, &[lists.get(), list.pairs, other.pairs, marks.get()]);
        let compact = self.compact.bind(gpu, &[lists.get(), list.pairs, marks.get(), kept.pairs.get()]);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.mark.dispatch(gpu, &mut pass, &mark, length.div_ceil(256));
        self.scan.record(gpu, &mut pass, &scan);
        self.compact.dispatch(gpu, &mut pass, &compact, list.count.div_ceil(256));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{download, gpus, upload};
    use jostle_broad::scene::Random;

    #[test]
    fn what_the_other_list_has_not_is_kept_in_order_and_read_ahead() {
        let mut random = Random::new(9);
        for gpu in gpus() {
            let mut difference = Difference::new(&gpu);
            let cases =
                [(0, 0, 9), (1, 0, 0), (1, 1, 5), (500, 3, 100), (4095, 5000, 0), (20_000, 20_000, 999)];
            for (count, others, ahead) in cases {
                let mut draw = |count: usize| {
                    let mut list: Vec<Pair> = (0..count)
                        .map(|_| Pair::new(random.below(150) as u32, 150 + random.below(150) as u32))
                        .collect();
                    list.sort_unstable();
                    list.dedup();
                    list
                };
                let (now, before) = (draw(count), draw(others));
                let (a, b) = (upload(&gpu, &now), upload(&gpu, &before));
                let mut kept = [Grown::storage("added"), Grown::storage("removed")];
                let [added, removed] = kept.each_mut().map(|pairs| Kept { pairs, ahead });
                let found = difference
                    .find(
                        &gpu,
                        gpu.device().create_command_encoder(&Default::default()),
                        SortedPairs { pairs: &a, count: now.len() as u32 },
                        SortedPairs { pairs: &b, count: before.len() as u32 },
                        [added, removed],
                    )
                    .unwrap();
                for (which, (list, other)) in [(&now, &before), (&before, &now)].into_iter().enumerate() {
                    let expected: Vec<Pair> =
                        list.iter().copied().filter(|pair| other.binary_search(pair).is_err()).collect();
                    let context = format!("{count} {others} {which}");
                    assert_eq!(found.counts[which] as usize, expected.len(), "{context}");
                    let there: Vec<Pair> = download(&gpu, kept[which].get(), expected.len());
                    assert!(there == expected, "{context}");
                    let first = &expected[..expected.len().min(ahead as usize)];
                    assert!(found.ahead[which] == first, "{context}");
                }
            }
        }
    }
}
