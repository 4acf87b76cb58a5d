//! Do boxes move as far as they are long? Looked at in a sample.

use crate::{Aabb, Boxes};

/// Stretches of boxes looked at, and boxes in each: neighbours in memory cost one visit to it.
const STRETCHES: usize = 4;
const STRETCH: usize = 8;
/// Moving by more than this share of its longest side in a frame, a box is restless.
const FAR: f32 = 0.3;
/// How much one frame counts: an odd one is no reason to switch.
const WEIGHT: f32 = 0.4;

/// A sample of the boxes of the frame before.
#[derive(Debug, Default)]
pub(super) struct Restlessness {
    sample: Vec<(u32, Aabb)>,
    /// The share of boxes that move far, averaged; none before two frames were seen.
    share: Option<f32>,
}

impl Restlessness {
    /// Compares with the frame before: do many boxes move far?
    pub(super) fn look(&mut self, boxes: &Boxes) -> bool {
        let is_there = |slot: u32| (slot as usize) < boxes.slots() && boxes.is_live(slot);
        let (mut seen, mut far) = (0, 0);
        for &(slot, before) in self.sample.iter().filter(|(slot, _)| is_there(*slot)) {
            let now = boxes.aabb(slot);
            let moved = (now.min - before.min).abs().max_element();
            seen += 1;
            // Not so for infinite boxes, whose way is NaN.
            far += usize::from(moved > FAR * now.longest_side());
        }
        self.share = (seen > 0).then(|| {
            let share = far as f32 / seen as f32;
            self.share.map_or(share, |before| before + WEIGHT * (share - before))
        });
        self.sample.clear();
        for stretch in 0..STRETCHES {
            let first = stretch * boxes.slots() / STRETCHES;
            let slots = first..(first + STRETCH).min((stretch + 1) * boxes.slots() / STRETCHES);
            let there = slots.map(|slot| slot as u32).filter(|&slot| is_there(slot));
            self.sample.extend(there.map(|slot| (slot, *boxes.aabb(slot))));
        }
        self.share.is_some_and(|share| share > 0.25)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moved;
    use crate::scene::{BoxStream, StreamKind};

    #[test]
    fn only_fast_boxes_are_restless() {
        for kind in StreamKind::ALL {
            let mut stream = BoxStream::new(kind, 1000, 1);
            let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
            let mut restlessness = Restlessness::default();
            assert!(!restlessness.look(&boxes), "nothing is known yet");
            for _ in 0..20 {
                stream.advance();
                boxes.update(Moved::Ids(stream.moved()), stream.boxes()).unwrap();
                assert_eq!(restlessness.look(&boxes), kind == StreamKind::Fast, "{}", kind.name());
            }
        }
    }
}
