//! What a shape weighs and how it resists turning.

use std::f32::consts::PI;

use glam::{DMat3, DVec3, Mat3, Vec3};

use super::{Geometry, Shape};
use crate::Pose;

/// Mass, its centre, and inertia about that centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Kilograms.
    pub mass: f32,
    /// Centre of mass.
    pub center: Vec3,
    /// Inertia about the centre of mass; symmetric.
    pub inertia: Mat3,
}

impl Shape {
    /// Its mass properties at a density; zero where [`Shape::has_mass`] says no.
    pub fn mass_properties(&self, density: f32) -> MassProperties {
        let (mass, center, diagonal) = match self.geometry() {
            Geometry::Ball(radius) => {
                let mass = density * (4.0 / 3.0) * PI * radius * radius * radius;
                (mass, Vec3::ZERO, Vec3::splat(0.4 * mass * radius * radius))
            }
            Geometry::Cuboid(half) => {
                let mass = density * 8.0 * half.x * half.y * half.z;
                let square = half * half;
                let sums = Vec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
                (mass, Vec3::ZERO, sums * (mass / 3.0))
            }
            Geometry::Capsule { half_height, radius } => {
                let square = radius * radius;
                let middle = density * PI * square * 2.0 * half_height;
                let ends = density * (4.0 / 3.0) * PI * square * radius;
                let about_axis = middle * square / 2.0 + ends * 0.4 * square;
                let across = middle * (square / 4.0 + half_height * half_height / 3.0)
                    + ends * (0.4 * square + half_height * half_height + 0.75 * half_height * radius);
                (middle + ends, Vec3::ZERO, Vec3::new(across, about_axis, across))
            }
            Geometry::Cylinder { half_height, radius } => {
                let square = radius * radius;
                let mass = density * PI * square * 2.0 * half_height;
                let across = mass * (square / 4.0 + half_height * half_height / 3.0);
                (mass, Vec3::ZERO, Vec3::new(across, mass * square / 2.0, across))
            }
            Geometry::Cone { half_height, radius } => {
                let square = radius * radius;
                let mass = density * PI * square * (2.0 / 3.0) * half_height;
                let across = mass * 0.15 * (square + half_height * half_height);
                (
                    mass,
                    Vec3::new(0.0, -0.5 * half_height, 0.0),
                    Vec3::new(across, 0.3 * mass * square, across),
                )
            }
            Geometry::ConvexHull => {
                let one = self.general.as_deref().map(|general| general.mass).unwrap_or_default();
                return MassProperties { mass: one.mass * density, inertia: one.inertia * density, ..one };
            }
            Geometry::HalfSpace(_) | Geometry::TriangleMesh | Geometry::HeightField => {
                (0.0, Vec3::ZERO, Vec3::ZERO)
            }
        };
        MassProperties { mass, center, inertia: Mat3::from_diagonal(diagonal) }
    }
}

/// Of the solid inside a closed surface whose triangles wind outwards, at a density of 1.
///
/// The sum over tetrahedra between the triangles and one point inside, in 64 bits: parry's goes through the square roots
/// of principal inertias and back, which costs digits and the symmetry of round bodies.
pub(super) fn solid_mass(vertices: &[Vec3], triangles: &[[u32; 3]]) -> MassProperties {
    let count = vertices.len().max(1) as f64;
    let middle = vertices.iter().map(|vertex| vertex.as_dvec3()).sum::<DVec3>() / count;
    let (mut volume, mut first) = (0.0, DVec3::ZERO);
    let mut second = DMat3::ZERO;
    for triangle in triangles {
        let corners = triangle.map(|vertex| vertices[vertex as usize].as_dvec3() - middle);
        let [a, b, c] = corners;
        let part = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        volume += part;
        first += sum * (part / 4.0);
        // The integral of x x^T over a tetrahedron with one corner at the origin.
        for vector in [a, b, c, sum] {
            second += outer(vector) * (part / 20.0);
        }
    }
    if volume <= 0.0 {
        return MassProperties::ZERO;
    }
    let center = first / volume;
    let spread = second - outer(center) * volume;
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - spread;
    MassProperties { mass: volume as f32, center: (center + middle).as_vec3(), inertia: inertia.as_mat3() }
}

/// v v^T.
fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

impl Default for MassProperties {
    fn default() -> Self {
        Self::ZERO
    }
}

impl MassProperties {
    /// No mass. Not what could be derived: the default of a matrix is 1.
    pub const ZERO: Self = Self { mass: 0.0, center: Vec3::ZERO, inertia: Mat3::ZERO };

    /// The same, of a part placed at a pose.
    pub fn placed(&self, pose: &Pose) -> Self {
        let turn = Mat3::from_quat(pose.rotation);
        Self {
            mass: self.mass,
            center: pose.transform(self.center),
            inertia: turn * self.inertia * turn.transpose(),
        }
    }

    /// Of several parts together (the parallel axis theorem).
    pub fn sum(parts: impl Iterator<Item = Self> + Clone) -> Self {
        let mass: f32 = parts.clone().map(|part| part.mass).sum();
        if mass <= 0.0 {
            return Self::ZERO;
        }
        let center = parts.clone().map(|part| part.center * part.mass).sum::<Vec3>() / mass;
        let mut inertia = Mat3::ZERO;
        for part in parts {
            let arm = part.center - center;
            let outer = Mat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            inertia +=
                part.inertia + (Mat3::from_diagonal(Vec3::splat(arm.length_squared())) - outer) * part.mass;
        }
        Self { mass, center, inertia }
    }

    /// The inverse of the inertia. Scaled before and after, as the determinant of a grain's would be too small for a float.
    pub(crate) fn inverse_inertia(&self) -> Mat3 {
        let scale = 1.0 / (self.inertia.x_axis.x + self.inertia.y_axis.y + self.inertia.z_axis.z);
        (self.inertia * scale).inverse() * scale
    }

    /// The same shape weighing something else.
    pub fn scaled_to(&self, mass: f32) -> Self {
        Self { mass, center: self.center, inertia: self.inertia * (mass / self.mass) }
    }
}
