//! All other shapes, through parry: its manifolds, computed afresh, in our form.

use glam::Vec3;
use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, TrackedContact};

use super::ContactPoint;
use super::pair::PieceManifold;
use super::reduce::reduced;
use crate::{Geometry, Pose, Shape};

/// Buffers of the calls.
#[derive(Default)]
pub(super) struct General {
    manifolds: Vec<ContactManifold<(), ()>>,
    points: Vec<ContactPoint>,
}

impl General {
    /// Appends where two shapes touch, by ascending pieces.
    pub(super) fn collide(
        &mut self,
        first: (&Shape, &Pose),
        second: (&Shape, &Pose),
        prediction: f32,
        out: &mut Vec<PieceManifold>,
    ) {
        let poses = [first.1, second.1].map(to_parry);
        let relative = poses[0].inv_mul(&poses[1]);
        let (a, b) = (&**first.0.parry(), &**second.0.parry());
        self.forget(is_convex(first.0) && is_convex(second.0));
        let known = DefaultQueryDispatcher.contact_manifolds(
            &relative,
            a,
            b,
            prediction,
            &mut self.manifolds,
            &mut None,
        );
        debug_assert!(known.is_ok(), "parry collides all shapes we have: {first:?}, {second:?}");
        self.manifolds.sort_by_key(|manifold| (manifold.subshape1, manifold.subshape2));
        for manifold in &self.manifolds {
            let pose_a = manifold.subshape_pos1().map_or(poses[0], |local| poses[0] * *local);
            let pose_b = manifold.subshape_pos2().map_or(poses[1], |local| poses[1] * *local);
            self.points.clear();
            for contact in manifold.points.iter().filter(|contact| contact.dist <= prediction) {
                let on_a = pose_a * contact.local_p1;
                let on_b = pose_b * contact.local_p2;
                let position = Vec3::from_array(((on_a + on_b) * 0.5).to_array());
                let feature = feature(contact, &self.points);
                self.points.push(ContactPoint { position, separation: contact.dist, feature });
            }
            if !self.points.is_empty() {
                // Parry's normal goes from the first to the second.
                let normal = Vec3::from_array((pose_a.rotation * -manifold.local_n1).to_array());
                let piece = (manifold.subshape1, manifold.subshape2);
                out.push(PieceManifold { piece, manifold: reduced(normal, &mut self.points) });
            }
        }
    }

    /// Leaves of the last call nothing but memory: parry starts from what it finds in a manifold, and would let the past
    /// into the result. Of two convex shapes it fills the first manifold, of others it makes its own.
    fn forget(&mut self, both_convex: bool) {
        self.manifolds.truncate(usize::from(both_convex));
        if let Some(manifold) = self.manifolds.first_mut() {
            let mut points = std::mem::take(&mut manifold.points);
            points.clear();
            *manifold = ContactManifold { points, ..ContactManifold::default() };
        }
    }
}

fn is_convex(shape: &Shape) -> bool {
    !matches!(shape.geometry(), Geometry::TriangleMesh | Geometry::HeightField)
}

/// A number of the two features parry names; points that share both, in the order of parry, get the numbers after.
fn feature(contact: &TrackedContact<()>, before: &[ContactPoint]) -> u32 {
    let mut mixed = u64::from(contact.fid1.0) << 32 | u64::from(contact.fid2.0);
    mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mut feature = (mixed >> 32) as u32;
    while before.iter().any(|point| point.feature == feature) {
        feature = feature.wrapping_add(1);
    }
    feature
}

fn to_parry(pose: &Pose) -> parry3d::math::Pose {
    let [x, y, z, w] = pose.rotation.to_array();
    parry3d::math::Pose::from_parts(
        pose.position.to_array().into(),
        parry3d::math::Rotation::from_xyzw(x, y, z, w),
    )
}
