//! Three registers: a vector in each lane.

use std::ops::{Add, Sub};

use super::lane::{Lane, MOST_LANES};

#[derive(Clone, Copy)]
pub(super) struct Vectors<L> {
    pub(super) x: L,
    pub(super) y: L,
    pub(super) z: L,
}

impl<L: Lane> Vectors<L> {
    #[inline(always)]
    pub(super) fn new(x: L, y: L, z: L) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    pub(super) fn splat(token: L::Token, value: f32) -> Self {
        let value = L::splat(token, value);
        Self { x: value, y: value, z: value }
    }

    #[inline(always)]
    pub(super) fn load(token: L::Token, from: &[[f32; MOST_LANES]; 3], at: usize) -> Self {
        Self {
            x: L::load(token, &from[0], at),
            y: L::load(token, &from[1], at),
            z: L::load(token, &from[2], at),
        }
    }

    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> L {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(super) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    #[inline(always)]
    pub(super) fn scale(self, by: L) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }

    /// Number by number.
    #[inline(always)]
    pub(super) fn times(self, other: Self) -> Self {
        Self { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }
}

impl<L: Lane> Add for Vectors<L> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<L: Lane> Sub for Vectors<L> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}
