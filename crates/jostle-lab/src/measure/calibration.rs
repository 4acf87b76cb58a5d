//! A plain loop of known size: what this machine gains from threads at this moment, whatever else runs on it.
//!
//! In four stages, one after the other as those of a finder, it reads 24 bytes per box, does 96 multiplications and 96
//! additions with them, and writes 24 bytes, in 64 independent pieces: about the time of a finder's frame, because a
//! shorter loop would feel the waking of threads more and be too easy to keep up with. Nothing is shared between the
//! pieces, so only the machine can be in the way.

use std::hint::black_box;
use std::time::Instant;

use jostle_broad::Executor;

use super::Companion;
use crate::numbers::median;

/// Numbers of a box.
const PER_BOX: usize = 6;
const STAGES: usize = 4;
/// Multiplications and additions per number and stage.
const ROUNDS: usize = 16;
/// Pieces, and boxes in a piece at least.
const PIECES: usize = 64;
const LEAST: usize = 256;

struct Piece {
    from: Vec<f32>,
    into: Vec<f32>,
}

/// The loop on an executor, and its times.
pub(crate) struct Calibration {
    executor: Executor,
    pieces: Vec<Piece>,
    milliseconds: Vec<f64>,
}

impl Calibration {
    /// A loop over as many boxes as the scene has.
    pub(crate) fn new(executor: Executor, n: usize) -> Self {
        let length = n.div_ceil(PIECES).max(LEAST);
        let piece = |first: usize| {
            let boxes = length.min(n - first);
            let from = (0..boxes * PER_BOX).map(|i| (first + i) as f32).collect();
            Piece { from, into: vec![0.0; boxes * PER_BOX] }
        };
        Self { executor, pieces: (0..n).step_by(length).map(piece).collect(), milliseconds: Vec::new() }
    }

    pub(crate) fn threads(&self) -> usize {
        self.executor.threads()
    }

    /// The times of all steps so far.
    pub(crate) fn milliseconds(&self) -> &[f64] {
        &self.milliseconds
    }

    /// The median time in milliseconds, without the first one, which touches the memory.
    pub(crate) fn median_ms(&self) -> f64 {
        median(self.milliseconds.get(1..).unwrap_or_default()).unwrap_or(f64::NAN)
    }
}

impl Companion for Calibration {
    fn step(&mut self) {
        let start = Instant::now();
        for _ in 0..STAGES {
            self.executor.for_each(&mut self.pieces, |_, piece| {
                for (into, from) in piece.into.iter_mut().zip(&piece.from) {
                    let mut value = *from;
                    for _ in 0..ROUNDS {
                        value = value * 0.99 + 0.01;
                    }
                    *into = value;
                }
                std::mem::swap(&mut piece.from, &mut piece.into);
            });
        }
        black_box(&self.pieces);
        self.milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_box_is_worked_on_whatever_the_threads() {
        let run = |threads: usize, n: usize| {
            let mut calibration = Calibration::new(Executor::new(threads).unwrap(), n);
            (0..3).for_each(|_| calibration.step());
            assert!(n == 0 || calibration.median_ms() > 0.0);
            calibration.pieces.into_iter().flat_map(|piece| piece.from).collect::<Vec<f32>>()
        };
        for n in [0, 1, 255, 256, 257, 20_000] {
            let values = run(1, n);
            assert_eq!(values.len(), n * PER_BOX);
            assert_eq!(values, run(2, n));
        }
        // Every round brings a number a hundredth of the way closer to 1; three steps.
        let rounds = (3 * STAGES * ROUNDS) as i32;
        assert!((run(1, 1)[0] - (1.0 - 0.99f32.powi(rounds))).abs() < 1e-5);
    }
}
