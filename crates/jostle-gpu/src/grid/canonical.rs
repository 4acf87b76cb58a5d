//! Pairs that stay on the device, in canonical order, with what was added and removed since the search before.

use jostle_broad::{Executor, Pair};

use super::resident::ResidentFinder;
use crate::buffers::Grown;
use crate::device::Gpu;
use crate::difference::Difference;
use crate::error::GpuError;
use crate::sort::{RadixSort, SortKey};
use crate::timing::{DeviceTimes, StageTimer};

/// Finds pairs of boxes that are on the device, sorts them there, and tells what changed.
///
/// The order is that of the indices: ascending by lower, then higher, the same bits on every adapter.
#[derive(Debug)]
pub struct CanonicalFinder {
    finder: ResidentFinder,
    sort: RadixSort,
    difference: Difference,
    /// The pairs of this search and of the one before, and room to sort.
    sorted: Grown,
    previous: Grown,
    spare: Grown,
    added: Grown,
    removed: Grown,
    counts: ChangeCounts,
    timer: StageTimer,
}

/// How many pairs there are, and how many were added and removed since the search before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    /// All pairs.
    pub pairs: u32,
    /// Those that the search before did not have.
    pub added: u32,
    /// Those that only the search before had.
    pub removed: u32,
}

impl CanonicalFinder {
    /// A finder on this device that has found nothing yet.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let finder = ResidentFinder::new(gpu)?;
        let (sort, difference) = (RadixSort::new(gpu), Difference::new(gpu));
        gpu.check()?;
        Ok(Self {
            finder,
            sort,
            difference,
            sorted: Grown::storage("sorted pairs"),
            previous: Grown::storage("pairs of the search before"),
            spare: Grown::storage("room to sort pairs"),
            added: Grown::storage("added pairs"),
            removed: Grown::storage("removed pairs"),
            counts: ChangeCounts::default(),
            timer: StageTimer::new(gpu),
        })
    }

    /// The finder behind it.
    pub fn resident(&mut self) -> &mut ResidentFinder {
        &mut self.finder
    }

    /// Searches, sorts, and compares with the search before if `changes` asks for it. On error, the pairs of the search
    /// before are still there.
    pub fn find(
        &mut self,
        boxes: &wgpu::Buffer,
        count: u32,
        changes: bool,
    ) -> Result<ChangeCounts, GpuError> {
        let pairs = self.finder.find(boxes, count)?;
        let gpu = self.finder.gpu().clone();
        // Fewer than 2^32: a buffer of more would be larger than any adapter allows.
        let found = pairs as u32;
        let room = pairs.max(1) * 8;
        // The buffer of the search before the last is written anew.
        self.spare.reserve(&gpu, room)?;
        let mut fresh = std::mem::replace(&mut self.previous, Grown::storage("sorted pairs"));
        fresh.reserve(&gpu, room)?;
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        if found > 0 {
            encoder.copy_buffer_to_buffer(self.finder.pairs(), 0, fresh.get(), 0, pairs * 8);
        }
        let bits = u32::BITS - count.leading_zeros();
        let keys = [SortKey { half: 1, bits }, SortKey { half: 0, bits }];
        self.timer.restart();
        let mut pass = self.timer.pass(&mut encoder, "sort");
        let in_spare = self.sort.record(&gpu, &mut pass, fresh.get(), self.spare.get(), found, &keys)?;
        drop(pass);
        self.timer.resolve(&gpu, &mut encoder)?;
        gpu.queue().submit([encoder.finish()]);
        gpu.check()?;
        if in_spare {
            std::mem::swap(&mut fresh, &mut self.spare);
        }
        self.previous = std::mem::replace(&mut self.sorted, fresh);
        let before = self.counts.pairs;
        self.counts = ChangeCounts { pairs: found, added: 0, removed: 0 };
        if changes {
            self.previous.reserve(&gpu, 16)?;
            let (now, old) = (self.sorted.get(), self.previous.get());
            self.counts.added = self.difference.find(&gpu, now, found, old, before, &mut self.added)?;
            self.counts.removed = self.difference.find(&gpu, old, before, now, found, &mut self.removed)?;
        }
        Ok(self.counts)
    }

    /// The device's own time of sorting the pairs of the last search. Waits for the device.
    pub fn sort_time(&self) -> Result<DeviceTimes, GpuError> {
        self.timer.read(self.finder.gpu())
    }

    /// The pairs on the device, sorted.
    ///
    /// # Panics
    /// If there was no search yet. The same holds for the two below.
    pub fn pairs(&self) -> &wgpu::Buffer {
        self.sorted.get()
    }

    /// The added pairs on the device, sorted; of a search that asked for changes.
    pub fn added(&self) -> &wgpu::Buffer {
        self.added.get()
    }

    /// The removed pairs on the device, sorted; of a search that asked for changes.
    pub fn removed(&self) -> &wgpu::Buffer {
        self.removed.get()
    }

    /// Copies the pairs to the host. Waits for the device.
    pub fn read_pairs(&mut self, executor: &Executor) -> Result<Vec<Pair>, GpuError> {
        let gpu = self.finder.gpu().clone();
        self.difference.read(&gpu, &self.sorted, self.counts.pairs, executor)
    }

    /// Copies the added and the removed pairs to the host. Waits for the device.
    pub fn read_changes(&mut self) -> Result<(Vec<Pair>, Vec<Pair>), GpuError> {
        let gpu = self.finder.gpu().clone();
        let added = self.difference.read(&gpu, &self.added, self.counts.added, &Executor::serial())?;
        Ok((added, self.difference.read(&gpu, &self.removed, self.counts.removed, &Executor::serial())?))
    }

    /// How many bytes of the device's memory are held.
    pub fn bytes(&self) -> u64 {
        let buffers = [&self.sorted, &self.previous, &self.spare, &self.added, &self.removed];
        buffers.iter().map(|buffer| buffer.bytes()).sum::<u64>()
            + self.finder.bytes()
            + self.sort.bytes()
            + self.difference.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gpus, upload};
    use jostle_broad::scene::{BoxStream, StreamKind};
    use jostle_broad::{Boxes, Brute, FindSettings, Moved, PairFinder};

    #[test]
    fn order_and_changes_are_those_of_brute_force_frame_by_frame() {
        for gpu in gpus() {
            let mut finder = CanonicalFinder::new(&gpu).unwrap();
            let mut brute = Brute::default();
            let settings = FindSettings { changes: true, ..FindSettings::default() };
            let mut stream = BoxStream::new(StreamKind::Fast, 1500, 4);
            let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
            for frame in 0..5 {
                // Frames without boxes are frames too.
                let count = if frame == 3 { 0 } else { 1500 };
                let there = upload(&gpu, stream.boxes());
                let counts = finder.find(&there, count, true).unwrap();
                if count == 0 {
                    let removed = brute.pairs().as_slice().to_vec();
                    assert_eq!(finder.read_changes().unwrap(), (Vec::new(), removed));
                    brute = Brute::default();
                    continue;
                }
                brute.update(&boxes, &settings).unwrap();
                let truth = brute.pairs();
                assert_eq!(counts.pairs as usize, truth.len(), "frame {frame}");
                assert_eq!(
                    finder.read_pairs(&Executor::serial()).unwrap(),
                    truth.as_slice(),
                    "frame {frame}"
                );
                let (added, removed) = finder.read_changes().unwrap();
                assert_eq!((&*added, &*removed), (truth.added(), truth.removed()), "frame {frame}");
                stream.advance();
                boxes.update(Moved::All, stream.boxes()).unwrap();
            }
        }
    }
}
