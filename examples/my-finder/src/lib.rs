//! A pair finder of one's own: boxes sorted by where they begin on x, each compared with those that begin before it ends.

use jostle_broad::{Boxes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, PairRun, StageClock};

/// Sorts along x and sweeps. It keeps nothing between frames but memory.
#[derive(Debug, Default)]
pub struct SortAndSweep {
    order: Vec<u32>,
    run: PairRun,
    pairs: PairBuffer,
}

impl PairFinder for SortAndSweep {
    fn name(&self) -> &str {
        "mine"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut clock = StageClock::start();
        self.order.clear();
        self.order.extend(boxes.live_slots());
        self.order.sort_unstable_by(|&a, &b| boxes.aabb(a).min.x.total_cmp(&boxes.aabb(b).min.x));
        clock.end("sort");
        self.run.reset(settings.pair_limit);
        let mut tests = 0;
        for (place, &a) in self.order.iter().enumerate() {
            let end = boxes.aabb(a).max.x;
            for &b in self.order[place + 1..].iter().take_while(|&&b| boxes.aabb(b).min.x <= end) {
                tests += 1;
                if boxes.aabb(a).overlaps(boxes.aabb(b)) {
                    boxes.report(a, b, &mut self.run);
                }
            }
        }
        clock.end("sweep");
        self.pairs.replace([&self.run], settings)?;
        clock.end("order");
        let (moved, stages) = (boxes.len(), clock.stages());
        let (pairs, bytes) = (self.pairs.len(), self.bytes());
        Ok(FindReport { boxes: boxes.len(), moved, tests, pairs, bytes, stages, ..FindReport::default() })
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        self.pairs.bytes() + self.run.bytes() + self.order.capacity() * size_of::<u32>()
    }
}
