//! The response kernels: one pass over the units of a batch, from the velocities at the start of the pass.

use super::lane::Lane;
use super::prefetch::prefetch;
use super::vectors::Vectors;
use crate::narrow::MOST_POINTS;
use crate::solve::layout::{Batch, BodyRow, Bounces, Impulse, Pass, Points, UNITS};

/// A body in each lane, as far as a unit changes it.
#[derive(Clone, Copy)]
struct Moving<L> {
    velocity: Vectors<L>,
    angular: Vectors<L>,
    inverse_mass: Vectors<L>,
    inverse_inertia: [L; 6],
}

impl<L: Lane> Moving<L> {
    #[inline(always)]
    fn new(row: &[L; BodyRow::NUMBERS]) -> Self {
        let at = BodyRow::INVERSE_INERTIA;
        Self {
            velocity: vector(row, BodyRow::VELOCITY),
            angular: vector(row, BodyRow::ANGULAR),
            inverse_mass: vector(row, BodyRow::INVERSE_MASS),
            inverse_inertia: [row[at], row[at + 1], row[at + 2], row[at + 3], row[at + 4], row[at + 5]],
        }
    }

    /// Adds what a linear and an angular impulse do.
    #[inline(always)]
    fn push(&mut self, linear: Vectors<L>, angular: Vectors<L>) {
        let [xx, xy, xz, yy, yz, zz] = self.inverse_inertia;
        self.velocity = self.velocity + linear.times(self.inverse_mass);
        self.angular = self.angular
            + Vectors::new(
                xx * angular.x + xy * angular.y + xz * angular.z,
                xy * angular.x + yy * angular.y + yz * angular.z,
                xz * angular.x + yz * angular.y + zz * angular.z,
            );
    }

    /// How fast one point of the body moves along a direction by a unit impulse at another along another. Points are given
    /// by their arms from the centre of mass.
    #[inline(always)]
    fn give(&self, from: (Vectors<L>, Vectors<L>), to: (Vectors<L>, Vectors<L>)) -> L {
        let [xx, xy, xz, yy, yz, zz] = self.inverse_inertia;
        let lever = from.0.cross(from.1);
        let turned = Vectors::new(
            xx * lever.x + xy * lever.y + xz * lever.z,
            xy * lever.x + yy * lever.y + yz * lever.z,
            xz * lever.x + yz * lever.y + zz * lever.z,
        );
        from.1.times(to.1).dot(self.inverse_mass) + to.0.cross(to.1).dot(turned)
    }
}

#[inline(always)]
fn vector<L: Lane>(row: &[L; BodyRow::NUMBERS], at: usize) -> Vectors<L> {
    Vectors::new(row[at], row[at + 1], row[at + 2])
}

/// Two directions square to a normal and to each other, without a branch (after Duff et al., 'Building an orthonormal
/// basis, revisited', 2017).
#[inline(always)]
fn tangents<L: Lane>(normal: Vectors<L>, zero: L, one: L) -> [Vectors<L>; 2] {
    let sign = normal.z.if_greater(zero, one, -one);
    let a = -one / (sign + normal.z);
    let b = normal.x * normal.y * a;
    [
        Vectors::new(one + sign * normal.x * normal.x * a, sign * b, -(sign * normal.x)),
        Vectors::new(b, sign + normal.y * normal.y * a, -normal.y),
    ]
}

/// One pass: the points of a unit, too, are solved each on its own, so that none comes first and a box that lands flat
/// stays flat. Their masses take account of each other (see [`prepare`]).
#[inline(always)]
pub(super) fn solve<L: Lane>(
    token: L::Token,
    batches: &mut [Batch],
    mut points: &mut [Points],
    rows: &[BodyRow],
    impulses: &mut [[Impulse; UNITS]],
    pass: &Pass,
) {
    let zero = L::splat(token, 0.0);
    let one = L::splat(token, 1.0);
    let rate = L::splat(token, pass.rate);
    let bias_rate = L::splat(token, pass.bias_rate);
    let push_out = L::splat(token, -pass.push_out);
    let harden = L::splat(token, pass.harden);
    let impulse_scale = L::splat(token, pass.impulse_scale);
    let carry = L::splat(token, pass.carry);
    let numbers = bytemuck::cast_slice(rows);
    for (index, out) in impulses.chunks_exact_mut(2).enumerate() {
        // Rows lie anywhere: those of the next batch are on their way while this one is solved.
        if let Some(next) = batches.get(index + 1) {
            next.rows.as_flattened().iter().for_each(|&row| prefetch(&rows[row as usize]));
        }
        let Some(batch) = batches.get_mut(index) else { break };
        let [out_first, out_second] = out else { unreachable!("chunks of two") };
        let (mine, rest) = points.split_at_mut(batch.points.len());
        points = rest;
        for at in (0..UNITS).step_by(L::WIDTH) {
            let first = L::load_rows(token, numbers, &batch.rows[0], at);
            let second = L::load_rows(token, numbers, &batch.rows[1], at);
            let normal = Vectors::load(token, &batch.normal, at);
            let [tangent, bitangent] = tangents(normal, zero, one);
            let friction = L::load(token, &batch.friction, at);
            // The contact point goes along with the bodies, so that both feel the impulse at one place.
            let motion = vector(&first, BodyRow::MOTION) - vector(&second, BodyRow::MOTION);
            let carried = motion.scale(L::load(token, &batch.share, at));
            let between = Vectors::load(token, &batch.between, at) + motion;
            let closing = motion.dot(normal);
            let turns = [vector(&first, BodyRow::TURN), vector(&second, BodyRow::TURN)];
            let (a, b) = (Moving::new(&first), Moving::new(&second));
            let relative = a.velocity - b.velocity;
            let mut linear = Vectors::<L>::splat(token, 0.0);
            let mut angular = [Vectors::splat(token, 0.0); 2];
            let mut peak = L::load(token, &batch.peak, at);
            for point in mine.iter_mut() {
                let arm = Vectors::load(token, &point.arm, at);
                let arm_a = arm - carried;
                let arm_b = arm_a + between;
                let turned = turns[0].cross(arm_a) - turns[1].cross(arm_b);
                let separation = L::load(token, &point.separation, at) + closing + turned.dot(normal);
                let speed = relative + (a.angular.cross(arm_a) - b.angular.cross(arm_b));

                let old = Vectors::<L>::load(token, &point.impulse, at);
                let mass = [L::load(token, &point.mass[0], at), L::load(token, &point.mass[1], at)];
                // Friction: the cone of the normal impulse so far.
                let along = old.y - mass[1] * speed.dot(tangent);
                let across = old.z - mass[1] * speed.dot(bitangent);
                let length = (along * along + across * across).sqrt();
                let limit = friction * old.x;
                let scale = length.if_greater(limit, limit / length, one);
                let (along, across) = (along * scale, across * scale);

                // Apart: may come as near as to touch. Overlapping: pushed apart, the harder the deeper.
                let pushed = (separation * bias_rate).max(push_out);
                let bias = separation.if_greater(zero, separation * rate, pushed);
                let soft = (one + pushed * harden).max(zero);
                let forget = separation.if_greater(zero, zero, impulse_scale * soft);
                let wanted = mass[0] * (one - forget) * (speed.dot(normal) + bias) + forget * old.x;
                let pressed = (old.x - wanted).max(zero);

                peak = pressed.max(peak);
                pressed.store(&mut point.impulse[0], at);
                along.store(&mut point.impulse[1], at);
                across.store(&mut point.impulse[2], at);
                let push = normal.scale(pressed - old.x)
                    + tangent.scale(along - old.y)
                    + bitangent.scale(across - old.z);
                // What the next substep begins with is told along, from where the bodies are now.
                let given = push
                    + (normal.scale(pressed) + tangent.scale(along) + bitangent.scale(across)).scale(carry);
                linear = linear + given;
                angular = [angular[0] + arm_a.cross(given), angular[1] + arm_b.cross(given)];
            }
            peak.store(&mut batch.peak, at);
            write(token, linear, angular[0], out_first, at);
            write(token, negative(linear), negative(angular[1]), out_second, at);
        }
    }
}

/// The bounce at the end of a frame: where bodies came together fast enough and pressed, they leave with their share.
#[inline(always)]
pub(super) fn bounce<L: Lane>(
    token: L::Token,
    batches: &mut [Batch],
    mut points: &mut [Points],
    mut bounces: &[Bounces],
    rows: &[BodyRow],
    impulses: &mut [[Impulse; UNITS]],
) {
    let zero = L::splat(token, 0.0);
    let numbers = bytemuck::cast_slice(rows);
    for (batch, out) in batches.iter_mut().zip(impulses.chunks_exact_mut(2)) {
        let [out_first, out_second] = out else { unreachable!("chunks of two") };
        let (mine, rest) = points.split_at_mut(batch.points.len());
        points = rest;
        let (my_bounces, rest) = bounces.split_at(mine.len());
        bounces = rest;
        for at in (0..UNITS).step_by(L::WIDTH) {
            let first = L::load_rows(token, numbers, &batch.rows[0], at);
            let second = L::load_rows(token, numbers, &batch.rows[1], at);
            let normal = Vectors::load(token, &batch.normal, at);
            let restitution = L::load(token, &batch.restitution, at);
            let motion = vector(&first, BodyRow::MOTION) - vector(&second, BodyRow::MOTION);
            let carried = motion.scale(L::load(token, &batch.share, at));
            let between = Vectors::load(token, &batch.between, at) + motion;
            let mut a = Moving::new(&first);
            let mut b = Moving::new(&second);
            let mut linear = Vectors::<L>::splat(token, 0.0);
            let mut angular = [Vectors::splat(token, 0.0); 2];
            for (point, bounce) in mine.iter_mut().zip(my_bounces) {
                let arm_a = Vectors::load(token, &point.arm, at) - carried;
                let arm_b = arm_a + between;
                let speed = (a.velocity - b.velocity) + (a.angular.cross(arm_a) - b.angular.cross(arm_b));
                let old = L::load(token, &point.impulse[0], at);
                let approach = L::load(token, &bounce.approach, at);
                let peak = L::load(token, &bounce.peak, at);
                let wanted = L::load(token, &bounce.mass, at) * (speed.dot(normal) - restitution * approach);
                let bounced = (old - wanted).max(zero);
                let counts = approach.if_greater(zero, peak, zero);
                let pressed = counts.if_greater(zero, bounced, old);
                pressed.store(&mut point.impulse[0], at);
                let push = normal.scale(pressed - old);
                let twist_a = arm_a.cross(push);
                let twist_b = arm_b.cross(push);
                a.push(push, twist_a);
                b.push(negative(push), negative(twist_b));
                linear = linear + push;
                angular = [angular[0] + twist_a, angular[1] + twist_b];
            }
            write(token, linear, angular[0], out_first, at);
            write(token, negative(linear), negative(angular[1]), out_second, at);
        }
    }
}

/// One over a number above zero; 0 for any other.
#[inline(always)]
fn inverse<L: Lane>(number: L, zero: L, one: L) -> L {
    number.if_greater(zero, one / number, zero)
}

#[inline(always)]
fn negative<L: Lane>(vector: Vectors<L>) -> Vectors<L> {
    Vectors::new(-vector.x, -vector.y, -vector.z)
}

/// Writes one impulse for each lane.
#[inline(always)]
fn write<L: Lane>(
    token: L::Token,
    linear: Vectors<L>,
    angular: Vectors<L>,
    to: &mut [Impulse; UNITS],
    at: usize,
) {
    const LANES: [u32; UNITS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let zero = L::splat(token, 0.0);
    let numbers = [linear.x, linear.y, linear.z, zero, angular.x, angular.y, angular.z, zero];
    L::store_rows(&numbers, bytemuck::cast_slice_mut(to), &LANES, at);
}

/// Before the first substep: effective masses, the speed of approach where it will bounce, and the impulses that were
/// carried over. A point is there if its masses are not zero.
#[inline(always)]
pub(super) fn prepare<L: Lane>(
    token: L::Token,
    batches: &mut [Batch],
    mut points: &mut [Points],
    mut bounces: &mut [Bounces],
    rows: &[BodyRow],
    impulses: &mut [[Impulse; UNITS]],
    bounce_speed: f32,
) {
    let zero = L::splat(token, 0.0);
    let one = L::splat(token, 1.0);
    let bounce_speed = L::splat(token, bounce_speed);
    let numbers = bytemuck::cast_slice(rows);
    for (batch, out) in batches.iter_mut().zip(impulses.chunks_exact_mut(2)) {
        let [out_first, out_second] = out else { unreachable!("chunks of two") };
        let (mine, rest) = points.split_at_mut(batch.points.len());
        points = rest;
        let (my_bounces, rest) = bounces.split_at_mut(mine.len().min(bounces.len()));
        bounces = rest;
        for at in (0..UNITS).step_by(L::WIDTH) {
            let first = L::load_rows(token, numbers, &batch.rows[0], at);
            let second = L::load_rows(token, numbers, &batch.rows[1], at);
            let normal = Vectors::load(token, &batch.normal, at);
            let [tangent, bitangent] = tangents(normal, zero, one);
            let restitution = L::load(token, &batch.restitution, at);
            let between = Vectors::load(token, &batch.between, at);
            let (a, b) = (Moving::new(&first), Moving::new(&second));
            let mut linear = Vectors::<L>::splat(token, 0.0);
            let mut angular = [Vectors::splat(token, 0.0); 2];
            // A list has at most four points; those that are not there have a mark of zero.
            let mut arms = [[Vectors::splat(token, 0.0); 2]; MOST_POINTS];
            let mut marks = [zero; MOST_POINTS];
            for (index, point) in mine.iter().enumerate() {
                let arm = Vectors::load(token, &point.arm, at);
                arms[index] = [arm, arm + between];
                marks[index] = L::load(token, &point.mass[0], at);
            }
            let count = mine.len();
            for (index, point) in mine.iter_mut().enumerate() {
                let [arm_a, arm_b] = arms[index];
                let there = marks[index];
                // As all points act at once, each acts as if all others gave way like itself: the sum of a row
                // of the matrix of how they act on each other bounds what they do together (Gershgorin).
                let (mut pressing, mut sliding) = (zero, zero);
                for other in 0..count {
                    let [to_a, to_b] = arms[other];
                    let pressed =
                        a.give((arm_a, normal), (to_a, normal)) + b.give((arm_b, normal), (to_b, normal));
                    pressing = pressing + marks[other] * pressed.abs();
                    // One mass for both tangents, so that friction acts against the slip and nowhere else.
                    let along =
                        a.give((arm_a, tangent), (to_a, tangent)) + b.give((arm_b, tangent), (to_b, tangent));
                    let across = a.give((arm_a, bitangent), (to_a, bitangent))
                        + b.give((arm_b, bitangent), (to_b, bitangent));
                    let mixed = a.give((arm_a, tangent), (to_a, bitangent))
                        + b.give((arm_b, tangent), (to_b, bitangent));
                    let slid = along.abs().max(across.abs()) + mixed.abs();
                    sliding = sliding + marks[other] * slid;
                }
                (there * inverse(pressing, zero, one)).store(&mut point.mass[0], at);
                (there * inverse(sliding, zero, one)).store(&mut point.mass[1], at);
                let speed = (a.velocity - b.velocity) + (a.angular.cross(arm_a) - b.angular.cross(arm_b));
                let approach = -speed.dot(normal);
                if let Some(bounce) = my_bounces.get_mut(index) {
                    // Only where it is springy itself: nothing may depend on whether others are.
                    let springy = restitution.if_greater(zero, approach, zero);
                    springy.if_greater(bounce_speed, springy, zero).store(&mut bounce.approach, at);
                    let alone =
                        a.give((arm_a, normal), (arm_a, normal)) + b.give((arm_b, normal), (arm_b, normal));
                    (there * inverse(alone, zero, one)).store(&mut bounce.mass, at);
                }
                let old = Vectors::<L>::load(token, &point.impulse, at);
                let push = normal.scale(old.x) + tangent.scale(old.y) + bitangent.scale(old.z);
                linear = linear + push;
                angular = [angular[0] + arm_a.cross(push), angular[1] + arm_b.cross(push)];
            }
            write(token, linear, angular[0], out_first, at);
            write(token, negative(linear), negative(angular[1]), out_second, at);
        }
    }
}

/// Remembers the largest impulses of this frame, for the bounce at its end.
#[inline(always)]
pub(super) fn note_peaks<L: Lane>(token: L::Token, points: &[Points], bounces: &mut [Bounces]) {
    for (point, bounce) in points.iter().zip(bounces) {
        for at in (0..UNITS).step_by(L::WIDTH) {
            let (pressed, peak) = (L::load(token, &point.impulse[0], at), L::load(token, &bounce.peak, at));
            pressed.max(peak).store(&mut bounce.peak, at);
        }
    }
}
