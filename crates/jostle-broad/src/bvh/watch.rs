//! Do boxes only tremble? A few of them are watched for a few frames.

use crate::{Aabb, Boxes};

/// How many boxes are watched at most.
const MOST_WATCHED: usize = 256;
/// So many frames they are watched, half of them to be compared with the other half.
const FRAMES: u32 = 4;
/// Boxes that go on and on have come much farther in the second half. Those that tremble have not.
const MOST_FARTHER: f32 = 1.2;
/// One watched box in so many may go where it likes.
const WANDERERS: usize = 128;
/// How far boxes may tremble, as a share of a box of middle size. Farther, and too many pairs would be unsure.
const MOST_REACH: f32 = 0.05;
/// And how far they are allowed to go in any case: boxes that did not move may begin to.
const LEAST_REACH: f32 = 0.001;
/// How much farther than what was seen they may go.
const SPARE: f32 = 1.25;
/// Frames until boxes are watched again, where they did not only tremble: at first, and after many times.
const LEAST_WAIT: u32 = 8;
const MOST_WAIT: u32 = 128;
/// After so many frames in which they did it is as if it were the first time.
const LONG: u32 = 64;

#[derive(Debug)]
pub(super) struct Watch {
    watched: Vec<Watched>,
    frame: u32,
    /// Frames until the next time, and what that will be after one more time in vain.
    wait: u32,
    next_wait: u32,
}

#[derive(Debug)]
struct Watched {
    slot: u32,
    from: Aabb,
    /// How far it has been in either half of the frames.
    far: [f32; 2],
}

impl Default for Watch {
    fn default() -> Self {
        Self { watched: Vec::new(), frame: 0, wait: 0, next_wait: LEAST_WAIT }
    }
}

impl Watch {
    /// Takes notice of a frame. Returns how far boxes go, when it is clear that they only tremble.
    pub(super) fn look(&mut self, boxes: &Boxes) -> Option<f32> {
        if self.wait > 0 {
            self.wait -= 1;
            return None;
        }
        if self.frame == 0 {
            self.begin(boxes);
            return None;
        }
        let half = usize::from(self.frame > FRAMES / 2);
        for one in &mut self.watched {
            let now = boxes.aabbs().get(one.slot as usize).unwrap_or(&Aabb::NOWHERE);
            one.far[half] = one.far[half].max(distance(&one.from, now));
        }
        self.frame += 1;
        if self.frame <= FRAMES {
            return None;
        }
        self.frame = 0;
        let reach = self.reach();
        if reach.is_none() {
            self.wait_longer();
        }
        reach
    }

    /// Boxes did not only tremble: it takes longer until they are watched again.
    pub(super) fn wait_longer(&mut self) {
        self.frame = 0;
        self.wait = self.next_wait;
        self.next_wait = (2 * self.next_wait).min(MOST_WAIT);
    }

    /// They did for so many frames, and do no more.
    pub(super) fn end(&mut self, frames: u32) {
        if frames > LONG {
            self.next_wait = LEAST_WAIT;
        }
        self.wait_longer();
    }

    fn begin(&mut self, boxes: &Boxes) {
        self.frame = 1;
        let count = boxes.slots().min(MOST_WATCHED);
        let slots = (0..count).map(|index| (index * boxes.slots() / count) as u32);
        self.watched.clear();
        self.watched.extend(slots.filter(|&slot| boxes.is_live(slot)).map(|slot| Watched {
            slot,
            from: *boxes.aabb(slot),
            far: [0.0; 2],
        }));
    }

    /// How far boxes may go so that nearly all of those watched would have stayed.
    fn reach(&self) -> Option<f32> {
        let wanderers = self.watched.len() / WANDERERS;
        let nearly_all = |far: &dyn Fn(&Watched) -> f32| {
            let mut all: Vec<f32> = self.watched.iter().map(far).collect();
            all.sort_unstable_by(f32::total_cmp);
            all.len().checked_sub(1 + wanderers).map(|at| all[at])
        };
        let (first, second) = (nearly_all(&|one| one.far[0])?, nearly_all(&|one| one.far[1])?);
        // Not the average: a floor as large as the world would make it anything.
        let mut sizes: Vec<f32> = self.watched.iter().map(|one| one.from.longest_side()).collect();
        sizes.sort_unstable_by(f32::total_cmp);
        let size = sizes[sizes.len() / 2];
        let reach = (SPARE * first.max(second)).max(LEAST_REACH * size);
        // A difference of numbers must not be lost for want of smaller ones.
        let is_number = reach.is_finite() && reach > 1e6 * f32::MIN_POSITIVE;
        (is_number && second <= MOST_FARTHER * first && reach <= MOST_REACH * size).then_some(reach)
    }

    pub(super) fn bytes(&self) -> usize {
        self.watched.capacity() * size_of::<Watched>()
    }
}

/// How far a box has moved: the most that any of its numbers differs. Very far if there is no box any more.
fn distance(from: &Aabb, to: &Aabb) -> f32 {
    let [from, to]: [[f32; 6]; 2] = [from, to].map(|aabb| bytemuck::cast(*aabb));
    let all = from.iter().zip(&to).map(|(from, to)| if from == to { 0.0 } else { (from - to).abs() });
    all.fold(0.0, |most, one| {
        if one <= most {
            most
        } else if one.is_nan() {
            f32::INFINITY
        } else {
            one
        }
    })
}
