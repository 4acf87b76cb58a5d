//! The middles of where boxes tremble. Homes are where boxes happened to be when it was seen that they tremble; from the
//! middle they go half as far, and half as many pairs are unsure. So it is noted for some frames where boxes are, and then
//! they get homes in the middle.

use crate::sample::scattered;
use crate::{Aabb, Boxes, FindSettings};

/// So many frames are noted.
const FRAMES: u32 = 16;
/// Boxes that one task notes.
const TASK_BOXES: usize = 1 << 14;
/// How much farther than what was seen boxes may go.
const SPARE: f32 = 1.3;
/// How far they go is seen in so many of them, of which one in so many may go where it likes.
const SAMPLE: usize = 4096;
const WANDERERS: usize = 512;
/// Less than this of the reach they have is worth new homes.
const WORTH: f32 = 0.75;
/// And no less is given.
const LEAST: f32 = 0.125;
/// A box that has left its home and only trembles gets a new one so far away, by reaches, towards the old one.
const LEASH: f32 = 0.8;

/// Where boxes have been so far.
#[derive(Debug)]
pub(super) struct Middles {
    /// What each number was at least and at most, by slot.
    least: Vec<Aabb>,
    most: Vec<Aabb>,
    frames: u32,
}

impl Middles {
    pub(super) fn new(boxes: &Boxes) -> Self {
        Self { least: boxes.aabbs().to_vec(), most: boxes.aabbs().to_vec(), frames: 0 }
    }

    /// Notes where boxes are.
    pub(super) fn note(&mut self, boxes: &Boxes, settings: &FindSettings) {
        let Self { least, most, .. } = self;
        least.resize(boxes.slots(), Aabb::NOWHERE);
        most.resize(boxes.slots(), Aabb::NOWHERE);
        let parts = least.chunks_mut(TASK_BOXES).zip(most.chunks_mut(TASK_BOXES));
        let mut tasks: Vec<_> = parts.zip(boxes.aabbs().chunks(TASK_BOXES)).collect();
        settings
            .executor
            .for_each(&mut tasks, |_, ((least, most), now)| settings.lanes.widen(now, least, most));
        self.frames += 1;
    }

    /// Has enough been noted?
    pub(super) fn are_clear(&self) -> bool {
        self.frames >= FRAMES
    }

    /// How far boxes go from the middle, if that is much less than the reach.
    pub(super) fn reach(&self, reach: f32, boxes: &Boxes) -> Option<f32> {
        // What was free when it began has no middle.
        let has_middle = |slot: &usize| boxes.is_live(*slot as u32) && !self.least[*slot].min.x.is_nan();
        let how_far = |slot: usize| 0.5 * farthest(&self.least[slot], &self.most[slot]);
        let slots = scattered(self.least.len(), SAMPLE);
        let mut all: Vec<f32> = slots.filter(has_middle).map(how_far).collect();
        all.sort_unstable_by(f32::total_cmp);
        let nearly_all = all.len().checked_sub(1 + all.len() / WANDERERS).map(|at| all[at])?;
        let nearer = (SPARE * nearly_all).max(LEAST * reach);
        (nearer <= WORTH * reach).then_some(nearer)
    }

    /// A home for each box: in the middle, unless that is farther away than the reach.
    pub(super) fn homes(mut self, reach: f32, boxes: &Boxes) -> Vec<Aabb> {
        for ((least, most), now) in self.least.iter_mut().zip(&self.most).zip(boxes.aabbs()) {
            let middle =
                Aabb { min: 0.5 * least.min + 0.5 * most.min, max: 0.5 * least.max + 0.5 * most.max };
            *least = if is_around(now, &middle, reach) { middle } else { *now };
        }
        self.least
    }

    pub(super) fn bytes(&self) -> usize {
        (self.least.capacity() + self.most.capacity()) * size_of::<Aabb>()
    }
}

/// A new home for a box that has left its old one. If it only trembles, the new one is as near to the old one as the leash
/// lets it be; else it is where the box is.
pub(super) fn draw_home(now: &Aabb, old: &Aabb, reach: f32) -> Aabb {
    let mut home = *old;
    let numbers: &mut [f32; 6] = bytemuck::cast_mut(&mut home);
    for (home, now) in numbers.iter_mut().zip(bytemuck::cast_ref::<Aabb, [f32; 6]>(now)) {
        // Not `clamp`, which wants numbers.
        *home = home.max(now - LEASH * reach).min(now + LEASH * reach);
    }
    if is_around(now, old, 2.0 * reach) && is_around(now, &home, reach) { home } else { *now }
}

/// The most that any two numbers differ. Nothing where both are without end, or no numbers.
fn farthest(a: &Aabb, b: &Aabb) -> f32 {
    let [a, b]: [&[f32; 6]; 2] = [a, b].map(bytemuck::cast_ref);
    a.iter().zip(b).fold(0.0, |most, (a, b)| (a - b).abs().max(most))
}

/// Is no number farther from that of home than the reach? Not where there are no numbers: that is what `is_away` has it for.
fn is_around(now: &Aabb, home: &Aabb, reach: f32) -> bool {
    let [now, home]: [&[f32; 6]; 2] = [now, home].map(bytemuck::cast_ref);
    now.iter().zip(home).all(|(now, home)| now == home || (now - home).abs() <= reach)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn at(x: f32) -> Aabb {
        Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0))
    }

    #[test]
    fn homes_follow_boxes_that_tremble_and_no_others() {
        let endless = Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, f32::INFINITY, 1.0) };
        // (box, its old home, its new one)
        let table = [
            (at(0.0), at(0.0), at(0.0)),
            (at(1.5), at(0.0), at(0.5)),
            (at(-1.5), at(0.0), at(-0.5)),
            (at(2.75), at(0.0), at(2.75)),
            (at(0.0), Aabb::NOWHERE, at(0.0)),
            (at(0.0), Aabb::EVERYWHERE, at(0.0)),
            (endless, endless, endless),
            (endless, at(0.0), endless),
            // Where numbers are farther apart than the leash is long.
            (at(1.0e9), at(1.0e9), at(1.0e9)),
        ];
        for (now, old, new) in table {
            // A leash of one.
            assert_eq!(draw_home(&now, &old, 1.0 / LEASH), new, "{now:?}, from {old:?}");
        }
        let nowhere: [f32; 6] = bytemuck::cast(draw_home(&Aabb::NOWHERE, &at(0.0), 1.0));
        assert!(nowhere.iter().all(|number| number.is_nan()));
    }

    #[test]
    fn middles_are_those_of_all_frames() {
        let settings = FindSettings::default();
        let mut boxes = Boxes::from_aabbs(&[at(0.0), at(10.0), at(20.0), at(30.0)]).unwrap();
        let mut middles = Middles::new(&boxes);
        for frame in 0..FRAMES {
            assert!(!middles.are_clear());
            let by = if frame % 2 == 0 { 0.5 } else { -0.25 };
            boxes.set(0, at(by)).unwrap();
            boxes.set(1, at(10.0 + 0.5 * by)).unwrap();
            if frame == 3 {
                boxes.remove(2).unwrap();
            }
            middles.note(&boxes, &settings);
        }
        assert!(middles.are_clear());
        assert_eq!(middles.reach(1.0, &boxes), Some(SPARE * 0.375));
        assert_eq!(middles.reach(0.4, &boxes), None, "not worth it");
        boxes.set(3, at(33.0)).unwrap();
        let homes = middles.homes(0.5, &boxes);
        assert_eq!([homes[0], homes[1], homes[3]], [at(0.125), at(10.0625), at(33.0)], "or where it is");
        assert!(homes[2].min.is_nan());
    }
}
