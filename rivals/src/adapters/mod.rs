//! One adapter per rival, each driven as its own engine drives it.

#[cfg(feature = "box3d")]
mod box3d;
#[cfg(feature = "box3d")]
mod box3d_packed;
#[cfg(feature = "bullet")]
mod bullet;
#[cfg(feature = "jolt")]
mod jolt;
mod obvhs;
mod parry;
#[cfg(feature = "physx")]
mod physx;
mod rapier;
#[cfg(any(feature = "bullet", feature = "box3d", feature = "jolt"))]
mod shim;

#[cfg(any(feature = "bullet", feature = "physx"))]
use jostle_broad::{Aabb, glam::Vec3};

use crate::Rival;

/// The rivals that were built in.
pub fn all() -> Vec<Rival> {
    let mut rivals = Vec::new();
    rivals.extend(parry::RIVALS);
    rivals.extend(rapier::RIVALS);
    rivals.extend(obvhs::RIVALS);
    #[cfg(feature = "bullet")]
    rivals.extend(bullet::RIVALS);
    #[cfg(feature = "physx")]
    rivals.extend(physx::RIVALS);
    #[cfg(feature = "jolt")]
    rivals.extend(jolt::RIVALS);
    #[cfg(feature = "box3d")]
    {
        rivals.extend(box3d::RIVALS);
        rivals.extend(box3d_packed::RIVALS);
    }
    rivals
}

/// What was left out of this build, and why. Loud: it goes on top of every report.
pub fn left_out() -> Vec<&'static str> {
    let mut reasons = Vec::new();
    if !cfg!(feature = "bullet") {
        reasons.push("Bullet (feature `bullet`): needs the Debian package libbullet-dev and a C++ compiler");
    }
    if !cfg!(feature = "physx") {
        reasons.push("PhysX (feature `physx`): needs clang++");
    }
    if !cfg!(feature = "box3d") {
        reasons.push(
            "Box3D (feature `box3d`): needs the Debian packages cmake and libclang-dev and a C compiler",
        );
    }
    if !cfg!(feature = "jolt") {
        reasons.push(
            "Jolt (feature `jolt`): needs the Debian packages cmake and libclang-dev and a C++ compiler",
        );
    }
    reasons
}

/// The bounds of all boxes, with room for those that move out of them.
#[cfg(any(feature = "bullet", feature = "physx"))]
fn world(boxes: &[Aabb]) -> Aabb {
    let bounds = boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb));
    let largest = boxes.iter().map(Aabb::longest_side).fold(0.0, f32::max);
    if boxes.is_empty() { Aabb::new(Vec3::ZERO, Vec3::ONE) } else { bounds.inflate(largest) }
}
