//! Checking a finder's pairs against the truth, at any scale.
//!
//! Up to 20,000 boxes the truth is brute force. Above, it is a plain sweep along one axis, column by column, which brute force
//! proves right (see the tests), and 1,000 boxes drawn at random are tested against all others by brute force on top.

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

/// All boxes in the order of their minima along the axis on which they are spread widest; each against those of its columns that
/// begin before it ends.
fn plain_sweep(boxes: &Boxes) -> Vec<Pair> {
    let mut slots: Vec<u32> = boxes.live_slots().collect();
    let [axis, rows, layers] = axes_by_spread(boxes, &slots);
    slots.sort_by(|&a, &b| boxes.aabb(a).min[axis].total_cmp(&boxes.aabb(b).min[axis]));
    let (rows, layers, columns) = columns(boxes, &slots, rows, layers);
    let mut pairs = Vec::new();
    for (column, slots) in columns.iter().enumerate() {
        for (i, &a) in slots.iter().enumerate() {
            let end = boxes.aabb(a).max[axis];
            for &b in &slots[i + 1..] {
                if boxes.aabb(b).min[axis] > end {
                    break;
                }
                // Boxes that share several columns are a pair in one of them: where the second begins.
                if boxes.is_pair(a, b)
                    && column
                        == rows.where_both_are(boxes, a, b) * layers.count()
                            + layers.where_both_are(boxes, a, b)
                {
                    pairs.push(Pair::new(boxes.id(a), boxes.id(b)));
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// An axis cut into strips.
struct Strips {
    axis: usize,
    /// Where all strips but the first begin, ascending.
    cuts: Vec<f32>,
}

impl Strips {
    /// So many strips with about as many minima each.
    fn new(boxes: &Boxes, slots: &[u32], axis: usize, count: usize) -> Self {
        let mins = sorted_minima(boxes, slots, axis);
        Self {
            axis,
            cuts: (1..count).filter_map(|cut| mins.get(mins.len() * cut / count).copied()).collect(),
        }
    }

    fn count(&self) -> usize {
        self.cuts.len() + 1
    }

    fn strip(&self, at: f32) -> usize {
        self.cuts.partition_point(|cut| *cut <= at)
    }

    fn strips_of(&self, boxes: &Boxes, slot: u32) -> std::ops::RangeInclusive<usize> {
        let aabb = boxes.aabb(slot);
        self.strip(aabb.min[self.axis])..=self.strip(aabb.max[self.axis])
    }

    /// Of two boxes that overlap, the strip in which the second begins: both are in it.
    fn where_both_are(&self, boxes: &Boxes, a: u32, b: u32) -> usize {
        self.strip(boxes.aabb(a).min[self.axis].max(boxes.aabb(b).min[self.axis]))
    }
}

/// Cuts two axes into strips, and boxes into the columns that makes, in the order given; the fewer the wider boxes are.
fn columns(boxes: &Boxes, slots: &[u32], rows: usize, layers: usize) -> (Strips, Strips, Vec<Vec<u32>>) {
    let mut count = (slots.len() as f64).cbrt() as usize / 2;
    loop {
        let rows = Strips::new(boxes, slots, rows, count.max(1));
        let layers = Strips::new(boxes, slots, layers, count.max(1));
        let copies = |slot: u32| rows.strips_of(boxes, slot).count() * layers.strips_of(boxes, slot).count();
        if count > 1 && slots.iter().map(|&slot| copies(slot)).sum::<usize>() > 4 * slots.len() {
            count /= 2;
            continue;
        }
        let mut columns = vec![Vec::new(); rows.count() * layers.count()];
        for &slot in slots {
            for row in rows.strips_of(boxes, slot) {
                for layer in layers.strips_of(boxes, slot) {
                    columns[row * layers.count() + layer].push(slot);
                }
            }
        }
        return (rows, layers, columns);
    }
}

fn sorted_minima(boxes: &Boxes, slots: &[u32], axis: usize) -> Vec<f32> {
    let mins = slots.iter().map(|&slot| boxes.aabb(slot).min[axis]);
    let mut mins: Vec<f32> = mins.filter(|min| min.is_finite()).collect();
    mins.sort_by(f32::total_cmp);
    mins
}

/// The axis on which boxes are spread widest first.
fn axes_by_spread(boxes: &Boxes, slots: &[u32]) -> [usize; 3] {
    let spreads = [0, 1, 2].map(|axis| {
        let mins = sorted_minima(boxes, slots, axis);
        // The middle 90 %, so that one box far out does not decide.
        mins.get(mins.len() * 19 / 20).unwrap_or(&0.0) - mins.get(mins.len() / 20).unwrap_or(&0.0)
    });
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| spreads[b].total_cmp(&spreads[a]));
    axes
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
    use crate::{Aabb, BoxesSettings, Dimensions, Filter};
    use glam::Vec3;

    fn stream_boxes(kind: StreamKind, n: usize) -> Boxes {
        Boxes::from_aabbs(BoxStream::new(kind, n, 3).boxes()).unwrap()
    }

    #[test]
    fn the_plain_sweep_is_brute_force() {
        for kind in StreamKind::ALL {
            for n in [0, 1, 2, 30, 2000] {
                let boxes = stream_boxes(kind, n);
                assert_eq!(plain_sweep(&boxes), true_pairs(&boxes), "{}, {n} boxes", kind.name());
            }
        }
    }

    #[test]
    fn the_plain_sweep_is_brute_force_where_faces_touch_and_boxes_are_infinite() {
        let mut random = Random::new(9);
        for unbounded in [0, 40, 1600] {
            let mut list = Vec::new();
            for i in 0..1600 {
                let corner = [(); 3].map(|()| random.below(9) as f32);
                let size = [(); 3].map(|()| random.below(3) as f32);
                let mut aabb = Aabb::new(corner.into(), Vec3::from(corner) + Vec3::from(size));
                if i < unbounded {
                    aabb.min[random.below(3)] = f32::NEG_INFINITY;
                    aabb.max[random.below(3)] = f32::INFINITY;
                }
                list.push(aabb);
            }
            for dimensions in [Dimensions::Two, Dimensions::Three] {
                let settings = BoxesSettings { dimensions, ..BoxesSettings::default() };
                let mut boxes = Boxes::new(settings).unwrap();
                for (id, aabb) in list.iter().enumerate() {
                    boxes.insert(id as u32, *aabb, Filter::default()).unwrap();
                }
                assert_eq!(plain_sweep(&boxes), true_pairs(&boxes), "{unbounded} unbounded, {dimensions:?}");
            }
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
