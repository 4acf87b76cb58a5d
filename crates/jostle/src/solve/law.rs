//! Force laws of the user's own, as particle simulations (the discrete element method) have them: instead of the response
//! they say, substep by substep, with what force two bodies act on each other where they touch.

use glam::Vec3;
use jostle_broad::Executor;

use super::layout::{BodyRow, Impulse};
use super::{Rules, Solver, Substeps};
use crate::BodyId;
use crate::contact::Contact;
use crate::narrow::MOST_POINTS;

/// Pairs handed out to a thread at a time.
const TASK: usize = 128;

/// One point at which two bodies touch or are about to, in one substep.
#[derive(Debug)]
pub struct Touch<'a> {
    /// The body with the lower id.
    pub first: BodyId,
    /// The body with the higher id.
    pub second: BodyId,
    /// From the second body to the first; of length 1.
    pub normal: Vec3,
    /// How deep they overlap here, in metres; negative where they are apart.
    pub overlap: f32,
    /// The velocity of the first body relative to the second here, in metres a second.
    pub velocity: Vec3,
    /// The masses of both, in kilograms; infinite for a body that cannot be moved.
    pub masses: [f32; 2],
    /// The length of the substep, in seconds.
    pub dt: f32,
    /// Three numbers for the law to keep, such as the stretch of a tangential spring. They begin as zeros, stay with the
    /// point as long as the same features touch, and are part of the state.
    pub memory: &'a mut [f32; 3],
}

/// A law of forces between bodies that touch. It must depend on nothing but what it is given: threads call it in any
/// order, and states must not depend on more than is in them.
pub trait ForceLaw: Send + Sync {
    /// Does it hold between these two? If not, the ordinary response does.
    fn governs(&self, first: BodyId, second: BodyId) -> bool {
        let _ = (first, second);
        true
    }

    /// The force on the first body, in newtons; the second feels the opposite.
    fn force(&self, touch: &mut Touch<'_>) -> Vec3;
}

/// A contact under a force law.
#[derive(Clone, Debug)]
pub(super) struct LawUnit {
    pub(super) contact: u32,
    pub(super) rows: [u32; 2],
    ids: [BodyId; 2],
    masses: [f32; 2],
    normal: Vec3,
    between: Vec3,
    share: f32,
    count: u32,
    arms: [Vec3; MOST_POINTS],
    separations: [f32; MOST_POINTS],
    memory: [[f32; 3]; MOST_POINTS],
    /// Did the surfaces meet in any substep?
    met: bool,
}

impl LawUnit {
    pub(super) fn new(
        index: u32,
        contact: &Contact,
        rows: [u32; 2],
        centers: [Vec3; 2],
        masses: [f32; 2],
    ) -> Self {
        let points = contact.manifold.points;
        Self {
            contact: index,
            rows,
            ids: [BodyId(contact.key.low), BodyId(contact.key.high)],
            masses,
            normal: contact.manifold.normal,
            between: centers[0] - centers[1],
            share: super::prepare::share(rows),
            count: contact.manifold.count,
            arms: points.map(|point| point.position - centers[0]),
            separations: points.map(|point| point.separation),
            memory: contact.impulses,
            met: false,
        }
    }

    /// The impulses on both bodies in one substep.
    fn solve(&mut self, law: &dyn ForceLaw, rows: &[BodyRow], substeps: &Substeps) -> [Impulse; 2] {
        let [a, b] = self.rows.map(|row| &rows[row as usize]);
        let vector = |row: &BodyRow, at| Vec3::from(row.vector(at));
        let motion = vector(a, BodyRow::MOTION) - vector(b, BodyRow::MOTION);
        let between = self.between + motion;
        let (mut push, mut twists) = (Vec3::ZERO, [Vec3::ZERO; 2]);
        for point in 0..self.count as usize {
            let arm_a = self.arms[point] - motion * self.share;
            let arm_b = arm_a + between;
            let turned = vector(a, BodyRow::TURN).cross(arm_a) - vector(b, BodyRow::TURN).cross(arm_b);
            let separation = self.separations[point] + (motion + turned).dot(self.normal);
            self.met |= separation <= 0.0;
            let turning = vector(a, BodyRow::ANGULAR).cross(arm_a) - vector(b, BodyRow::ANGULAR).cross(arm_b);
            let mut touch = Touch {
                first: self.ids[0],
                second: self.ids[1],
                normal: self.normal,
                overlap: -separation,
                velocity: vector(a, BodyRow::VELOCITY) - vector(b, BodyRow::VELOCITY) + turning,
                masses: self.masses,
                dt: substeps.length,
                memory: &mut self.memory[point],
            };
            let impulse = law.force(&mut touch) * substeps.length;
            push += impulse;
            twists[0] += arm_a.cross(impulse);
            twists[1] += arm_b.cross(impulse);
        }
        let impulse = |linear: Vec3, angular: Vec3| {
            Impulse([linear.x, linear.y, linear.z, 0.0, angular.x, angular.y, angular.z, 0.0])
        };
        [impulse(push, twists[0]), impulse(-push, -twists[1])]
    }

    /// Hands what the law keeps back to the contact.
    pub(super) fn hand_back(&self, contact: &mut Contact) {
        contact.impulses = self.memory;
        contact.pressed = self.met;
    }
}

impl Solver {
    /// The forces of the law as impulses, from the velocities at the start of the pass.
    pub(super) fn apply_law(&mut self, rules: &Rules<'_>, executor: &Executor) {
        let Some(law) = rules.law.filter(|_| !self.law_units.is_empty()) else { return };
        let from = self.law_impulses();
        let impulses = &mut self.impulses.as_flattened_mut()[from..from + 2 * self.law_units.len()];
        let rows = &self.rows;
        let mut tasks: Vec<_> = self.law_units.chunks_mut(TASK).zip(impulses.chunks_mut(2 * TASK)).collect();
        executor.for_each(&mut tasks, |_, (units, impulses)| {
            for (unit, out) in units.iter_mut().zip(impulses.chunks_exact_mut(2)) {
                out.copy_from_slice(&unit.solve(&**law, rows, &rules.substeps));
            }
        });
    }

    /// A relaxing pass has no forces.
    pub(super) fn rest_law(&mut self) {
        let from = self.law_impulses();
        self.impulses.as_flattened_mut()[from..].fill(Impulse::default());
    }
}
