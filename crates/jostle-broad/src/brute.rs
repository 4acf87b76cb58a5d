//! The oracle: a plain double loop. Every other finder is tested against it, so it is kept too simple to be wrong.

use crate::finder::StageClock;
use crate::{Boxes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, PairRun};

/// Tests every box against every other.
#[derive(Clone, Debug)]
pub struct Brute {
    pairs: PairBuffer,
    /// Refuses more boxes than this: the cost is quadratic. Default: 20,000 (about a second).
    pub size_limit: usize,
}

impl Brute {
    /// The default of [`Brute::size_limit`].
    pub const SIZE_LIMIT: usize = 20_000;
}

impl Default for Brute {
    fn default() -> Self {
        Self { pairs: PairBuffer::default(), size_limit: Self::SIZE_LIMIT }
    }
}

impl PairFinder for Brute {
    fn name(&self) -> &str {
        "brute"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        FindError::check_boxes("brute", self.size_limit, boxes)?;
        let mut clock = StageClock::start();
        let mut run = PairRun::new(settings.pair_limit);
        let mut tests = 0;
        let slots: Vec<u32> = boxes.live_slots().collect();
        for (i, &a) in slots.iter().enumerate() {
            for &b in &slots[i + 1..] {
                tests += 1;
                if boxes.is_pair(a, b) {
                    run.push(boxes.id(a), boxes.id(b));
                }
            }
        }
        clock.end("test");
        self.pairs.replace([&run], settings)?;
        clock.end("order");
        Ok(FindReport {
            boxes: boxes.len(),
            moved: boxes.len(),
            tests,
            pairs: self.pairs.len(),
            bytes: self.bytes(),
            stages: clock.stages(),
            ..FindReport::default()
        })
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        self.pairs.bytes()
    }

    fn size_limit(&self) -> Option<usize> {
        Some(self.size_limit)
    }
}
