//! Checking a finder's pairs against the truth, at any scale.
//!
//! Up to 20,000 boxes the truth is brute force. Above, it is a plain sweep along one axis, which brute force proves
//! right (see the tests), and 1,000 boxes drawn at random are tested against all others by brute force on top.

use thiserror::Error;

use crate::scene::Random;
use crate::{Boxes, Brute, FindSettings, Pair, PairFinder};

/// How a list of pairs differs from the truth.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{missing} pairs are missing (first: {first_missing:?}), {extra} are extra (first: {first_extra:?}), \
     {twice} are listed twice"
)]
pub struct Mismatch {
    /// Pairs that overlap but are not listed.
    pub missing: usize,
    /// Pairs that are listed but do not overlap.
    pub extra: usize,
    /// Pairs listed more than once.
    pub twice: usize,
    /// The lowest of the missing pairs.
    pub first_missing: Option<Pair>,
    /// The lowest of the extra pairs.
    pub first_extra: Option<Pair>,
}

/// Up to how many boxes brute force alone is the truth.
pub const BRUTE_LIMIT: usize = Brute::SIZE_LIMIT;
const SAMPLES: usize = 1_000;

/// Are these exactly the pairs of the boxes, each once? The order does not matter.
pub fn verify(boxes: &Boxes, pairs: &[Pair]) -> Result<(), Mismatch> {
    let truth = true_pairs(boxes);
    let mut sorted = pairs.to_vec();
    sorted.sort_unstable();
    compare(&truth, &sorted)?;
    if boxes.len() > BRUTE_LIMIT {
        verify_samples(boxes, &sorted)?;
    }
    Ok(())
}

/// The pairs of the boxes in canonical order, found slowly and surely.
pub fn true_pairs(boxes: &Boxes) -> Vec<Pair> {
    if boxes.len() > BRUTE_LIMIT {
        return plain_sweep(boxes);
    }
    let mut brute = Brute::default();
    brute.update(boxes, &FindSettings::default()).expect("within the limit, and no limit on pairs");
    brute.pairs().as_slice().to_vec()
}

fn compare(truth: &[Pair], sorted: &[Pair]) -> Result<(), Mismatch> {
    let twice = sorted.windows(2).filter(|two| two[0] == two[1]).count();
    let missing: Vec<Pair> =
        truth.iter().filter(|pair| sorted.binary_search(pair).is_err()).copied().collect();
    let extra: Vec<Pair> = sorted.iter().filter(|pair| truth.binary_search(pair).is_err()).copied().collect();
    if twice == 0 && missing.is_empty() && extra.is_empty() {
        return Ok(());
    }
    Err(Mismatch {
        missing: missing.len(),
        extra: extra.len(),
        twice,
        first_missing: missing.first().copied(),
        first_extra: extra.first().copied(),
    })
}

/// All boxes in the order of their minima along the axis on which they are spread widest; each against those that
/// begin before it ends.
fn plain_sweep(boxes: &Boxes) -> Vec<Pair> {
    let mut slots: Vec<u32> = boxes.live_slots().collect();
    let axis = widest_axis(boxes, &slots);
    slots.sort_by(|&a, &b| boxes.aabb(a).min[axis].total_cmp(&boxes.aabb(b).min[axis]));
    let mut pairs = Vec::new();
    for (i, &a) in slots.iter().enumerate() {
        let end = boxes.aabb(a).max[axis];
        for &b in &slots[i + 1..] {
            if boxes.aabb(b).min[axis] > end {
                break;
            }
            if boxes.is_pair(a, b) {
                pairs.push(Pair::new(boxes.id(a), boxes.id(b)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn widest_axis(boxes: &Boxes, slots: &[u32]) -> usize {
    let spread = |axis: usize| {
        let mins = slots.iter().map(|&slot| boxes.aabb(slot).min[axis]);
        let mut mins: Vec<f32> = mins.filter(|min| min.is_finite()).collect();
        mins.sort_by(f32::total_cmp);
        // The middle 90 %, so that one box far out does not decide.
        mins.get(mins.len() * 19 / 20).unwrap_or(&0.0) - mins.get(mins.len() / 20).unwrap_or(&0.0)
    };
    (0..3).max_by(|&a, &b| spread(a).total_cmp(&spread(b))).unwrap_or(0)
}

fn verify_samples(boxes: &Boxes, sorted: &[Pair]) -> Result<(), Mismatch> {
    let slots: Vec<u32> = boxes.live_slots().collect();
    let mut random = Random::new(slots.len() as u64);
    let mut chosen: Vec<u32> = (0..SAMPLES).map(|_| slots[random.below(slots.len())]).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let mut truth: Vec<Pair> = Vec::new();
    for &a in &chosen {
        let partners = slots.iter().filter(|&&b| a != b && boxes.is_pair(a, b));
        truth.extend(partners.map(|&b| Pair::new(boxes.id(a), boxes.id(b))));
    }
    truth.sort_unstable();
    truth.dedup();
    let mut ids: Vec<u32> = chosen.iter().map(|&slot| boxes.id(slot)).collect();
    ids.sort_unstable();
    let is_chosen = |id: u32| ids.binary_search(&id).is_ok();
    let listed: Vec<Pair> =
        sorted.iter().filter(|pair| is_chosen(pair.low) || is_chosen(pair.high)).copied().collect();
    compare(&truth, &listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BoxStream, StreamKind};

    fn stream_boxes(kind: StreamKind, n: usize) -> Boxes {
        Boxes::from_aabbs(BoxStream::new(kind, n, 3).boxes()).unwrap()
    }

    #[test]
    fn the_plain_sweep_is_brute_force() {
        for kind in StreamKind::ALL {
            let boxes = stream_boxes(kind, 2000);
            assert_eq!(plain_sweep(&boxes), true_pairs(&boxes), "{}", kind.name());
        }
    }

    #[test]
    fn wrong_pairs_are_named() {
        let boxes = stream_boxes(StreamKind::Brownian, 500);
        let truth = true_pairs(&boxes);
        assert_eq!(verify(&boxes, &truth), Ok(()));
        let mut wrong = truth.clone();
        wrong[0] = Pair::new(498, 499);
        wrong.push(truth[1]);
        let mismatch = verify(&boxes, &wrong).unwrap_err();
        assert_eq!((mismatch.missing, mismatch.extra, mismatch.twice), (1, 1, 1));
        assert_eq!(mismatch.first_missing, Some(truth[0]));
        assert!(mismatch.to_string().contains("1 are extra"), "{mismatch}");
    }

    #[test]
    fn samples_notice_a_missing_pair_of_theirs() {
        let boxes = stream_boxes(StreamKind::Brownian, 500);
        let truth = true_pairs(&boxes);
        assert_eq!(verify_samples(&boxes, &truth), Ok(()));
        assert!(verify_samples(&boxes, &truth[..truth.len() / 2]).is_err());
    }
}
