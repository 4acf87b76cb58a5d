//! What a kernel may ask of a vector register.

use std::ops::{Add, Mul, Neg, Sub};

use crate::solve::layout::{BodyRow, Impulse, UNITS};

/// A register of `WIDTH` numbers. All operations round as single ones do, so that every width gives the same bits; there
/// is no fused multiply-add.
///
/// # Safety
/// A value of an implementation may be made only where the machine has its instructions, which the dispatcher in the
/// parent module ensures; the constructors are `unsafe` for this reason, and everything else works on values.
pub(super) unsafe trait Vector:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Lanes in the register: a divisor of 16.
    const WIDTH: usize;

    /// The same number in every lane.
    unsafe fn splat(value: f32) -> Self;

    /// The numbers `from[at..at + WIDTH]`; `at` is a multiple of `WIDTH`.
    unsafe fn load(from: &[f32; UNITS], at: usize) -> Self;

    /// Writes the numbers to `to[at..at + WIDTH]`; `at` is a multiple of `WIDTH`.
    fn store(self, to: &mut [f32; UNITS], at: usize);

    /// The larger of two numbers; the second one if they are equal or one is not a number.
    fn max(self, other: Self) -> Self;

    /// The quotient.
    fn div(self, other: Self) -> Self;

    /// The square root.
    fn sqrt(self) -> Self;

    /// In lanes where `self > other`: `yes`; elsewhere: `no`.
    fn if_greater(self, other: Self, yes: Self, no: Self) -> Self;

    /// Reads the rows of `WIDTH` bodies, one register for each of their numbers. `at` is a multiple of `WIDTH`, and the
    /// indices lead to rows that are there.
    unsafe fn load_rows(rows: &[BodyRow], indices: &[u32; UNITS], at: usize) -> [Self; BodyRow::NUMBERS];

    /// Writes one impulse for each lane: `numbers` are the three of the linear and of the angular one.
    fn store_impulses(numbers: [Self; 6], to: &mut [Impulse; UNITS], at: usize);
}

/// Three registers: a vector in each lane.
#[derive(Clone, Copy)]
pub(super) struct Vectors<V> {
    pub(super) x: V,
    pub(super) y: V,
    pub(super) z: V,
}

impl<V: Vector> Vectors<V> {
    #[inline(always)]
    pub(super) fn new(x: V, y: V, z: V) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    pub(super) unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller has the instructions.
        let value = unsafe { V::splat(value) };
        Self { x: value, y: value, z: value }
    }

    #[inline(always)]
    pub(super) unsafe fn load(from: &[[f32; UNITS]; 3], at: usize) -> Self {
        // SAFETY: the caller has the instructions, and `at` is a multiple of the width.
        unsafe { Self { x: V::load(&from[0], at), y: V::load(&from[1], at), z: V::load(&from[2], at) } }
    }

    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> V {
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
    pub(super) fn scale(self, by: V) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }

    /// Number by number.
    #[inline(always)]
    pub(super) fn times(self, other: Self) -> Self {
        Self { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }
}

impl<V: Vector> Add for Vectors<V> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<V: Vector> Sub for Vectors<V> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}
