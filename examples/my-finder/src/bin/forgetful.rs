//! The same finder with a mistake in it: from its third frame on it loses a pair. To see how that comes out.

use jostle_broad::{Boxes, FindError, FindReport, FindSettings, PairBuffer, PairFinder, PairRun};
use my_finder::SortAndSweep;

#[derive(Default)]
struct Forgetful {
    right: SortAndSweep,
    frames: usize,
    pairs: PairBuffer,
}

impl PairFinder for Forgetful {
    fn name(&self) -> &str {
        "forgetful"
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let report = self.right.update(boxes, settings)?;
        self.frames += 1;
        let mut run = PairRun::new(settings.pair_limit);
        run.extend(self.right.pairs().as_slice());
        if let (3.., [_lost, kept @ ..]) = (self.frames, self.right.pairs().as_slice()) {
            run.reset(settings.pair_limit);
            run.extend(kept);
        }
        self.pairs.replace([&run], settings)?;
        Ok(report)
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        self.right.bytes() + self.pairs.bytes()
    }
}

fn main() -> std::process::ExitCode {
    jostle_lab::command_with(|catalog| {
        catalog.register("forgetful", "loses a pair from its third frame on: a mistake", Forgetful::default);
    })
}
