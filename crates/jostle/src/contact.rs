//! Contacts as the world keeps them from frame to frame: in canonical order, with the impulses that hold things up.

use crate::narrow::{MOST_POINTS, Manifold};

/// Which contact it is: the ids of its bodies, lower first, and the pieces of their shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ContactKey {
    pub(crate) low: u32,
    pub(crate) high: u32,
    /// Part and piece of the lower body, part and piece of the higher one: 10 and 22 bits each.
    pub(crate) pieces: u64,
}

/// Normals with a dot product above this point the same way.
const SAME_DIRECTION: f32 = 0.9;

/// One manifold of a pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contact {
    pub(crate) key: ContactKey,
    /// Slots of the lower and the higher body, in this frame.
    pub(crate) slots: [u32; 2],
    pub(crate) manifold: Manifold,
    /// Per point: along the normal and along both tangents. Under a force law of the user's: what the law keeps.
    pub(crate) impulses: [[f32; 3]; MOST_POINTS],
    pub(crate) friction: f32,
    pub(crate) restitution: f32,
    /// Is one of the bodies a sensor? Then nobody is pushed.
    pub(crate) sensor: bool,
    /// Did the surfaces meet in this frame?
    pub(crate) touching: bool,
    /// Is it under a force law of the user's?
    pub(crate) governed: bool,
    /// Did they press against each other at any time of this frame?
    pub(crate) pressed: bool,
}

impl ContactKey {
    /// A key that sorts before all contacts of a pair.
    pub(crate) fn first_of(low: u32, high: u32) -> Self {
        Self { low, high, pieces: 0 }
    }

    /// The ids of the pair.
    pub(crate) fn pair(&self) -> (u32, u32) {
        (self.low, self.high)
    }
}

impl Contact {
    /// Takes over the impulses of the same points of the frame before, and whether it touched then. A point whose features
    /// were not there before takes those of the nearest one whose features are no longer there: bodies jammed between others
    /// would lose and find what holds them up all the time. What a force law keeps stays with its features, and is never
    /// taken for impulses nor they for it.
    pub(crate) fn inherit(&mut self, before: &Self) {
        self.touching = before.touching;
        if self.governed != before.governed {
            return;
        }
        let (new, old) = (self.manifold.points(), before.manifold.points());
        let mut free = [true; MOST_POINTS];
        let mut lost = [false; MOST_POINTS];
        for (index, point) in new.iter().enumerate() {
            match old.iter().position(|old| old.feature == point.feature) {
                Some(same) => {
                    self.impulses[index] = before.impulses[same];
                    free[same] = false;
                }
                None => lost[index] = true,
            }
        }
        let turned = self.manifold.normal.dot(before.manifold.normal) < SAME_DIRECTION;
        if lost == [false; MOST_POINTS] || turned || self.governed {
            return;
        }
        for (index, point) in new.iter().enumerate().filter(|&(index, _)| lost[index]) {
            let mut nearest = (f32::INFINITY, None);
            for (other, old) in old.iter().enumerate().filter(|&(other, _)| free[other]) {
                let distance = old.position.distance_squared(point.position);
                if distance < nearest.0 {
                    nearest = (distance, Some(other));
                }
            }
            if let Some(other) = nearest.1 {
                self.impulses[index] = before.impulses[other];
                free[other] = false;
            }
        }
    }

    /// Did or do the surfaces meet: as the frame began, or pressed against each other at any time of it? Surfaces that met
    /// in the frame before have to be `slack` apart to part: a contact without load does not begin and end all the time.
    pub(crate) fn meets(&self, slack: f32) -> bool {
        let near_enough = if self.touching { slack } else { 0.0 };
        self.pressed || self.manifold.points().iter().any(|point| point.separation <= near_enough)
    }
}
