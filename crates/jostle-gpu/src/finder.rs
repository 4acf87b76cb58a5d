//! The finder `gpu`: boxes of a store are uploaded, searched on the device, and the pairs read back.

use jostle_broad::{
    Boxes, Changes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, PairRun, RelayFinder,
    Revision, StageClock,
};

use crate::buffers::Grown;
use crate::device::Gpu;
use crate::error::GpuError;
use crate::grid::CanonicalFinder;
use crate::upload::Upload;

/// Finds pairs on a GPU.
///
/// Where every id is its slot and no filter is set, pairs are also sorted on the device, and where few of them change, only
/// the changes come back; elsewhere filters and order are the host's work.
#[derive(Debug)]
pub struct GpuFinder {
    gpu: Gpu,
    finder: CanonicalFinder,
    upload: Upload,
    boxes: Grown,
    pairs: PairBuffer,
    /// The boxes `pairs` are the pairs of.
    found: Option<Revision>,
    /// Are the sorted pairs on the device those of `pairs`, so that changes relative to them can be asked for?
    mirrored: bool,
    read_back: ReadBack,
    /// Frames in which changes are not asked for, because there were many.
    many_changes: u32,
    /// Are ids slots, and of which boxes is that known?
    ids_are_slots: (bool, Option<Revision>),
}

/// What comes back from the device where pairs are sorted there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadBack {
    /// Changes where they are few, else all pairs.
    #[default]
    Fewer,
    /// Always all pairs: for measuring.
    Pairs,
    /// Always changes, where there is something they are relative to: for measuring.
    Changes,
}

/// Changes are read where there are at most so many per pair: more of them take longer to merge than pairs to read.
const FEW_CHANGES: f64 = 0.5;
/// Frames until changes are asked for again where they were many.
const PATIENCE: u32 = 4;

/// The name of the finder.
const NAME: &str = "gpu";

impl GpuFinder {
    /// A finder on this device.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            gpu: gpu.clone(),
            finder: CanonicalFinder::new(gpu)?.read_ahead(),
            upload: Upload::default(),
            boxes: Grown::storage("boxes"),
            pairs: PairBuffer::default(),
            found: None,
            mirrored: false,
            read_back: ReadBack::default(),
            many_changes: 0,
            ids_are_slots: (false, None),
        })
    }

    /// Says what to read back. It shows in nothing but the time.
    pub fn set_read_back(&mut self, read_back: ReadBack) {
        self.read_back = read_back;
    }

    /// Finds the pairs. Returns what is worth knowing.
    fn search(
        &mut self,
        boxes: &Boxes,
        settings: &FindSettings,
        clock: &mut StageClock,
    ) -> Result<String, FindError> {
        let count = boxes.slots() as u32;
        let room = u64::from(count) * 24;
        if room > self.boxes.bytes() {
            // The old one goes first: both may not fit.
            self.finder.resident().forget_inputs();
        }
        self.boxes.reserve(&self.gpu, room).map_err(failed)?;
        let bytes = bytemuck::cast_slice(boxes.aabbs());
        self.upload.write(&self.gpu, self.boxes.get(), bytes, &settings.executor).map_err(failed)?;
        clock.end("upload");
        let was_mirrored = std::mem::replace(&mut self.mirrored, false);
        if !boxes.only_moves_since(self.ids_are_slots.1) {
            self.ids_are_slots = (ids_are_slots(boxes), Some(boxes.revision()));
        }
        let plain = boxes.admits_all() && self.ids_are_slots.0;
        // Where filters apply, the limit is on what they leave.
        let limit = settings.pair_limit.filter(|_| plain);
        self.finder.resident().set_pair_limit(limit.map(|limit| limit as u64));
        let came_back = if plain && settings.wants_order() {
            self.search_in_order(count, was_mirrored, settings, clock)?
        } else {
            let resident = self.finder.resident();
            let found = resident.find(self.boxes.get(), count).map_err(failed)?;
            clock.end("search");
            let slots = if found > 0 {
                resident.read_pairs(found, &settings.executor).map_err(failed)?
            } else {
                Vec::new()
            };
            clock.end("read back");
            if plain {
                self.pairs.replace_list(slots, false, settings)?;
            } else {
                let mut run = PairRun::new(settings.pair_limit);
                slots.iter().for_each(|pair| boxes.report(pair.low, pair.high, &mut run));
                self.pairs.replace([&run], settings)?;
            }
            "pairs"
        };
        clock.end("order");
        // The pairs are there: a clock that cannot be read is no reason to fail, and it would be too late for it.
        let time = self.finder.resident().times().unwrap_or_default().total.as_secs_f64() * 1e3;
        Ok(format!("{}, searched in {time:.3} ms, {came_back} read back", self.gpu.description().name))
    }

    /// Searches and sorts on the device. Afterwards the pairs are those of the device. Returns what came back.
    fn search_in_order(
        &mut self,
        count: u32,
        was_mirrored: bool,
        settings: &FindSettings,
        clock: &mut StageClock,
    ) -> Result<&'static str, FindError> {
        let with_changes = was_mirrored
            && match self.read_back {
                ReadBack::Fewer => self.many_changes == 0,
                ReadBack::Pairs => false,
                ReadBack::Changes => true,
            };
        self.many_changes = self.many_changes.saturating_sub(1);
        let counts = self.finder.find(self.boxes.get(), count, with_changes).map_err(failed)?;
        clock.end("search");
        let changes = f64::from(counts.added) + f64::from(counts.removed);
        let are_few = changes <= FEW_CHANGES * f64::from(counts.pairs);
        let came_back = if with_changes && (are_few || self.read_back == ReadBack::Changes) {
            let (added, removed) = self.finder.read_changes(&settings.executor).map_err(failed)?;
            clock.end("read back");
            self.pairs.apply(&added, &removed, settings)?;
            "changes"
        } else {
            if with_changes {
                self.many_changes = PATIENCE;
            }
            let sorted = self.finder.read_pairs(&settings.executor).map_err(failed)?;
            clock.end("read back");
            self.pairs.replace_list(sorted, true, settings)?;
            "pairs"
        };
        self.mirrored = true;
        Ok(came_back)
    }
}

fn failed(error: GpuError) -> FindError {
    match error {
        GpuError::TooManyPairs { limit, need } => {
            FindError::TooManyPairs { limit: limit as usize, need: need as usize }
        }
        error => FindError::Device { finder: NAME.to_string(), reason: error.to_string() },
    }
}

fn ids_are_slots(boxes: &Boxes) -> bool {
    boxes.ids_by_slot().iter().enumerate().all(|(slot, &id)| id == slot as u32)
}

impl PairFinder for GpuFinder {
    fn name(&self) -> &str {
        NAME
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut clock = StageClock::start();
        let mut report = FindReport { boxes: boxes.len(), ..FindReport::default() };
        if matches!(boxes.changes_since(self.found), Changes::These([])) {
            self.pairs.apply(&[], &[], settings)?;
            clock.end("order");
        } else if boxes.is_empty() {
            self.pairs.replace([], settings)?;
            self.mirrored = false;
            clock.end("order");
        } else {
            report.detail = Some(self.search(boxes, settings, &mut clock)?);
            report.moved = boxes.len();
        }
        self.found = Some(boxes.revision());
        report.pairs = self.pairs.len();
        report.bytes = self.bytes();
        report.stages = clock.stages();
        Ok(report)
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        (self.finder.bytes() + self.boxes.bytes() + self.upload.bytes()) as usize + self.pairs.bytes()
    }
}

impl RelayFinder for GpuFinder {
    fn hand_over(&mut self) -> PairBuffer {
        std::mem::take(&mut self.pairs)
    }

    fn take_over(&mut self, pairs: PairBuffer) {
        self.pairs = pairs;
        self.found = None;
        self.mirrored = false;
    }
}
