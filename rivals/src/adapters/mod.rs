//! One adapter per rival, each driven as its own engine drives it.

#[cfg(feature = "box3d")]
mod box3d;
#[cfg(feature = "bullet")]
mod bullet;
mod obvhs;
mod parry;
#[cfg(feature = "physx")]
mod physx;
mod rapier;

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
    #[cfg(feature = "box3d")]
    rivals.extend(box3d::RIVALS);
    rivals
}

/// What was left out of this build, and why. Loud: it goes on top of every report.
pub fn left_out() -> Vec<&'static str> {
    let mut reasons = Vec::new();
    if !cfg!(feature = "bullet") {
        reasons.push("Bullet (feature `bullet`): needs the Debian package libbullet-dev and a C++ compiler");
    }
    if !cfg!(feature = "physx") {
        reasons.push("PhysX (feature `physx`): needs a C++ compiler");
    }
    if !cfg!(feature = "box3d") {
        reasons.push("Box3D (feature `box3d`): needs the Debian packages cmake and libclang-dev and a C compiler");
    }
    reasons.push(
        "Jolt: its C and Rust bindings (joltc-sys 0.3.1) offer the whole physics system only, \
         so its broad phase cannot be timed alone",
    );
    reasons
}
