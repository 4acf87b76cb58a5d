//! The middles of where boxes tremble. Homes are where boxes happened to be when it was seen that they tremble; from the
//! middle they go half as far, and half as many pairs are unsure. So it is noted for some frames where boxes are, and then
//! they get homes in the middle.

use crate::{Aabb, Boxes, FindSettings};

/// So many frames are noted.
const FRAMES: u32 = 16;
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
/// Boxes that one task looks at.
const TASK_BOXES: usize = 1 << 13;

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

    /// Notes where boxes are. Says whether that is enough.
    pub(super) fn note(&mut self, boxes: &Boxes, settings: &FindSettings) -> bool {
        let Self { least, most, .. } = self;
        least.resize(boxes.slots(), Aabb::NOWHERE);
        most.resize(boxes.slots(), Aabb::NOWHERE);
        let parts = least.chunks_mut(TASK_BOXES).zip(most.chunks_mut(TASK_BOXES));
        let mut tasks: Vec<_> = parts.zip(boxes.aabbs().chunks(TASK_BOXES)).collect();
        settings
            .executor
            .for_each(&mut tasks, |_, ((least, most), now)| settings.lanes.widen(now, least, most));
        self.frames += 1;
        self.frames >= FRAMES
    }

    /// How far boxes go from the middle, if that is much less than the reach.
    pub(super) fn reach(&self, reach: f32) -> Option<f32> {
        let step = self.least.len().div_ceil(SAMPLE).max(1);
        let both = self.least.iter().zip(&self.most).step_by(step);
        let mut all: Vec<f32> = both.map(|(least, most)| 0.5 * farthest(least, most)).collect();
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

/// Is no number farther from that of home than the reach?
fn is_around(now: &Aabb, home: &Aabb, reach: f32) -> bool {
    let [now, home]: [&[f32; 6]; 2] = [now, home].map(bytemuck::cast_ref);
    now.iter().zip(home).all(|(now, home)| now == home || (now - home).abs() <= reach)
}
