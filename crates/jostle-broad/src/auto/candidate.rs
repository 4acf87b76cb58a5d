//! The finders to choose from, and what is known of their costs before anything was measured.

use super::situation::Situation;
use crate::FindReport;

/// A finder to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    Sweep,
    Bvh,
    /// The one from outside, where there is one.
    Device,
}

pub(super) const CANDIDATES: [Candidate; 3] = [Candidate::Sweep, Candidate::Bvh, Candidate::Device];

/// So many times as much as a box in a frame in which all move costs a mover among few that do.
const FEW_MOVERS: f64 = 4.0;

impl Candidate {
    /// Who works before anything is known: most scenes are calm, and going from calm to restless is the cheaper switch.
    pub(super) const FIRST: Self = Self::Bvh;

    /// What a frame should cost on the CPU before anything was measured, in units of work: nanoseconds of a 2.8 GHz Xeon,
    /// by `jostle bench`. What is close gets tried. None for a device: that is measured in a rehearsal.
    pub(super) fn expected(self, situation: Situation) -> Option<f64> {
        let n = situation.boxes as f64;
        match self {
            Self::Sweep => Some(2_000.0 + 85.0 * n),
            // Boxes that move by their own size leave their blocks at once.
            Self::Bvh if situation.restless => Some(5_000.0 + 300.0 * n),
            Self::Bvh => Some(1_000.0 + n + 50.0 * n.min(FEW_MOVERS * situation.moved as f64)),
            Self::Device => None,
        }
    }

    /// The cost of what a frame counted. None for a device, which counts nothing.
    pub(super) fn work(self, report: &FindReport) -> Option<f64> {
        let (n, tests) = (report.boxes as f64, report.tests as f64);
        match self {
            Self::Sweep => Some(2_000.0 + 50.0 * n + tests),
            Self::Bvh => {
                let had = |name: &str| report.stages.iter().any(|(stage, _)| *stage == name);
                if had("stray") {
                    // Boxes only trembled.
                    return Some(1_000.0 + 4.0 * n + 3.0 * tests);
                }
                let placing = if had("place") { 150.0 * n } else { 0.0 };
                Some(1_000.0 + n + 24.0 * n.min(FEW_MOVERS * report.moved as f64) + 0.5 * tests + placing)
            }
            Self::Device => None,
        }
    }
}
