//! Two concave bodies of convex pieces, made by rule: stand-ins for the scanned rabbit of 22 hulls and the scanned
//! armadillo of 25 that collision benchmarks throw around. As many pieces, about a metre across, no files.

use glam::{DQuat, DVec2, Quat, Vec3};

use super::{Shape, ShapeError};
use crate::{Material, Part, Pose};

/// The cosine and sine of a 22nd and of a 44th of a turn. Constants, because the platform's own may differ in the last
/// bit, and with them everything that follows.
const COS_22ND: f64 = 0.959_492_973_614_497_4;
const SIN_22ND: f64 = 0.281_732_556_841_429_7;
const COS_44TH: f64 = 0.989_821_441_880_932_7;
const SIN_44TH: f64 = 0.142_314_838_273_285_14;

/// A ring lying flat, 1 m across and 0.2 m thick: 22 equal pieces, wedges with eight-sided ends.
pub fn ring() -> Result<Vec<Part>, ShapeError> {
    // The middle of the tube runs 0.4 from the centre of the ring.
    let (tube, distance) = (0.1f32, 0.4f32);
    // An octagon around a circle of radius 1.
    let (long, short) = (1.0f32, 0.414_213_57f32);
    let profile = [
        (long, short),
        (short, long),
        (-short, long),
        (-long, short),
        (-long, -short),
        (-short, -long),
        (short, -long),
        (long, -short),
    ];
    let mut points = Vec::with_capacity(16);
    for (out, up) in profile {
        // The two ends of a piece lie in planes through the axis of the ring, half a piece to either side.
        let reach = distance + out * tube;
        let aside = reach * (SIN_44TH / COS_44TH) as f32;
        points.push(Vec3::new(out * tube, up * tube, aside));
        points.push(Vec3::new(out * tube, up * tube, -aside));
    }
    let piece = Shape::convex_hull(&points)?;
    let step = DQuat::from_xyzw(0.0, -SIN_44TH, 0.0, COS_44TH);
    let mut turn = DQuat::IDENTITY;
    let mut direction = DVec2::X;
    let mut parts = Vec::with_capacity(22);
    for _ in 0..22 {
        let position = Vec3::new(direction.x as f32, 0.0, direction.y as f32) * distance;
        let rotation: Quat = turn.as_quat();
        parts.push(Part {
            shape: piece.clone(),
            local: Pose { position, rotation },
            material: Material::default(),
        });
        turn = (step * turn).normalize();
        direction = DVec2::new(
            direction.x * COS_22ND - direction.y * SIN_22ND,
            direction.x * SIN_22ND + direction.y * COS_22ND,
        );
    }
    Ok(parts)
}

/// An upright animal about 1 m tall, the same on its left and its right: 25 pieces. Trunk, belly, neck, head and snout;
/// two ears; a tail of three; arms and legs of three each; three plates along its back.
pub fn animal() -> Result<Vec<Part>, ShapeError> {
    // From where to where, and half the width there.
    #[rustfmt::skip]
    let middle: [([f32; 3], f32, [f32; 3], f32); 11] = [
        ([0.0, -0.10, 0.00], 0.15, [0.0, 0.18, 0.00], 0.12), // trunk
        ([0.0, -0.08, 0.08], 0.11, [0.0, 0.12, 0.08], 0.08), // belly
        ([0.0, 0.16, 0.00], 0.08, [0.0, 0.26, 0.02], 0.06), // neck
        ([0.0, 0.24, 0.03], 0.09, [0.0, 0.40, 0.04], 0.07), // head
        ([0.0, 0.31, 0.10], 0.05, [0.0, 0.28, 0.24], 0.02), // snout
        ([0.0, -0.08, -0.12], 0.07, [0.0, -0.20, -0.26], 0.05), // tail
        ([0.0, -0.19, -0.24], 0.05, [0.0, -0.30, -0.36], 0.03),
        ([0.0, -0.29, -0.34], 0.03, [0.0, -0.36, -0.48], 0.01),
        ([0.0, -0.04, -0.12], 0.07, [0.0, 0.00, -0.20], 0.03), // plates
        ([0.0, 0.06, -0.11], 0.06, [0.0, 0.10, -0.19], 0.02),
        ([0.0, 0.15, -0.09], 0.05, [0.0, 0.19, -0.16], 0.02),
    ];
    #[rustfmt::skip]
    let sides: [([f32; 3], f32, [f32; 3], f32); 7] = [
        ([0.06, 0.38, 0.03], 0.03, [0.11, 0.50, 0.01], 0.015), // ear
        ([0.12, 0.15, 0.00], 0.05, [0.26, 0.10, 0.02], 0.04), // arm
        ([0.25, 0.11, 0.02], 0.04, [0.34, 0.16, 0.14], 0.03),
        ([0.34, 0.16, 0.13], 0.04, [0.36, 0.18, 0.22], 0.03),
        ([0.09, -0.12, 0.00], 0.08, [0.15, -0.30, 0.04], 0.06), // leg
        ([0.15, -0.28, 0.03], 0.05, [0.16, -0.45, 0.00], 0.04),
        ([0.16, -0.46, -0.03], 0.045, [0.17, -0.46, 0.14], 0.03),
    ];
    let mut parts = Vec::with_capacity(25);
    for (from, from_half, to, to_half) in middle {
        parts.push(limb(from.into(), from_half, to.into(), to_half)?);
    }
    for (from, from_half, to, to_half) in sides {
        let mirror = Vec3::new(-1.0, 1.0, 1.0);
        let (from, to) = (Vec3::from(from), Vec3::from(to));
        parts.push(limb(from, from_half, to, to_half)?);
        parts.push(limb(from * mirror, from_half, to * mirror, to_half)?);
    }
    Ok(parts)
}

/// A tapering piece between two octahedra, placed so that its origin lies half-way.
fn limb(from: Vec3, from_half: f32, to: Vec3, to_half: f32) -> Result<Part, ShapeError> {
    let middle = (from + to) * 0.5;
    let mut points = Vec::with_capacity(12);
    for (end, half) in [(from - middle, from_half), (to - middle, to_half)] {
        points.extend(
            [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z].map(|axis| end + axis * half),
        );
    }
    Ok(Part { shape: Shape::convex_hull(&points)?, local: Pose::at(middle), material: Material::default() })
}
