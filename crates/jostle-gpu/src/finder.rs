//! The finder `gpu`: boxes of a store are uploaded, searched on the device, and the pairs read back.

use std::time::Duration;

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
/// Where every id is its slot and no filter is set, pairs are also sorted on the device; elsewhere filters and order are
/// the host's work.
#[derive(Debug)]
pub struct GpuFinder {
    gpu: Gpu,
    finder: CanonicalFinder,
    upload: Upload,
    boxes: Grown,
    pairs: PairBuffer,
    /// The boxes `pairs` are the pairs of.
    found: Option<Revision>,
}

/// The name of the finder.
const NAME: &str = "gpu";

impl GpuFinder {
    /// A finder on this device.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            gpu: gpu.clone(),
            finder: CanonicalFinder::new(gpu)?,
            upload: Upload::default(),
            boxes: Grown::storage("boxes"),
            pairs: PairBuffer::default(),
            found: None,
        })
    }

    /// The adapter in one line.
    fn detail(&self) -> String {
        self.gpu.description().name.clone()
    }

    fn search(
        &mut self,
        boxes: &Boxes,
        settings: &FindSettings,
        clock: &mut StageClock,
    ) -> Result<Duration, FindError> {
        let failed =
            |error: GpuError| FindError::Device { finder: NAME.to_string(), reason: error.to_string() };
        let count = boxes.slots() as u32;
        self.boxes.reserve(&self.gpu, u64::from(count) * 24).map_err(failed)?;
        let bytes = bytemuck::cast_slice(boxes.aabbs());
        self.upload.write(&self.gpu, self.boxes.get(), bytes, &settings.executor).map_err(failed)?;
        clock.end("upload");
        let plain = boxes.admits_all() && ids_are_slots(boxes);
        if plain && settings.wants_order() && count > 0 {
            let counts = self.finder.find(self.boxes.get(), count, false).map_err(failed)?;
            FindError::check_pairs(counts.pairs as usize, settings)?;
            clock.end("search");
            let sorted = self.finder.read_pairs(&settings.executor).map_err(failed)?;
            clock.end("read back");
            self.pairs.replace_list(sorted, true, settings)?;
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
        }
        clock.end("order");
        Ok(self.finder.resident().times().map_err(failed)?.total)
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
            self.pairs.apply(&mut [], &mut [], settings)?;
            clock.end("order");
        } else if boxes.is_empty() {
            self.pairs.replace([], settings)?;
            clock.end("order");
        } else {
            let device = self.search(boxes, settings, &mut clock)?;
            report.moved = boxes.len();
            report.detail =
                Some(format!("{}, {:.3} ms on the device", self.detail(), device.as_secs_f64() * 1e3));
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
    }
}
