//! Pairs that stay on the device, in canonical order, with what was added and removed since the search before.

use jostle_broad::{Executor, Pair};

use super::resident::ResidentFinder;
use crate::buffers::{Grown, read_back, staging};
use crate::device::Gpu;
use crate::difference::{Difference, Kept, SortedPairs};
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
    /// Bring changes to the host together with their number?
    read_ahead: bool,
    /// The first of them.
    ahead: [Vec<Pair>; 2],
    staging: Grown,
    timer: StageTimer,
}

/// Changes read ahead always, and per change of the search before.
const AHEAD: u32 = 1024;
const AHEAD_FACTOR: f64 = 1.25;

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
            read_ahead: false,
            ahead: [Vec::new(), Vec::new()],
            staging: staging(),
            timer: StageTimer::new(gpu),
        })
    }

    /// Changes will be read: bring about as many as the last time at once, which saves waiting for the device twice.
    pub(crate) fn read_ahead(mut self) -> Self {
        self.read_ahead = true;
        self
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
        if in_spare {
            std::mem::swap(&mut fresh, &mut self.spare);
        }
        let mut counts = ChangeCounts { pairs: found, added: 0, removed: 0 };
        self.ahead = [Vec::new(), Vec::new()];
        if changes {
            self.sorted.reserve(&gpu, 16)?;
            let ahead = |before: u32| {
                if self.read_ahead { AHEAD + (f64::from(before) * AHEAD_FACTOR) as u32 } else { 0 }
            };
            let (more, less) = (ahead(self.counts.added), ahead(self.counts.removed));
            let found = self.difference.find(
                &gpu,
                encoder,
                SortedPairs { pairs: fresh.get(), count: found },
                SortedPairs { pairs: self.sorted.get(), count: self.counts.pairs },
                [
                    Kept { pairs: &mut self.added, ahead: more },
                    Kept { pairs: &mut self.removed, ahead: less },
                ],
            )?;
            [counts.added, counts.removed] = found.counts;
            self.ahead = found.ahead;
        } else {
            gpu.queue().submit([encoder.finish()]);
            gpu.check()?;
        }
        self.previous = std::mem::replace(&mut self.sorted, fresh);
        self.counts = counts;
        Ok(counts)
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
        let count = u64::from(self.counts.pairs);
        read_back(self.finder.gpu(), &mut self.staging, self.sorted.get(), count, executor)
    }

    /// Copies the added and the removed pairs to the host. Waits for the device.
    pub fn read_changes(&mut self, executor: &Executor) -> Result<(Vec<Pair>, Vec<Pair>), GpuError> {
        let [mut added, mut removed] = std::mem::take(&mut self.ahead);
        let lists = [
            (&mut added, &self.added, self.counts.added),
            (&mut removed, &self.removed, self.counts.removed),
        ];
        for (list, from, count) in lists {
            if list.len() < count as usize {
                *list =
                    read_back(self.finder.gpu(), &mut self.staging, from.get(), u64::from(count), executor)?;
            }
        }
        Ok((added, removed))
    }

    /// How many bytes of the device's memory are held.
    pub fn bytes(&self) -> u64 {
        let buffers = [&self.sorted, &self.previous, &self.spare, &self.added, &self.removed, &self.staging];
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
            for read_ahead in [false, true] {
                let mut finder = CanonicalFinder::new(&gpu).unwrap();
                finder.read_ahead = read_ahead;
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
                        assert_eq!(finder.read_changes(&Executor::serial()).unwrap(), (Vec::new(), removed));
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
                    let (added, removed) = finder.read_changes(&Executor::serial()).unwrap();
                    assert_eq!((&*added, &*removed), (truth.added(), truth.removed()), "frame {frame}");
                    stream.advance();
                    boxes.update(Moved::All, stream.boxes()).unwrap();
                }
            }
        }
    }
}
