//! Sixteen boxes in the form that vector kernels read.

use crate::Aabb;

/// How many boxes share a [`Block`].
pub(crate) const BLOCK: usize = 16;

/// Sixteen boxes as six arrays: min x, y, z, max x, y, z. Empty lanes hold NaN and overlap nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [[f32; BLOCK]; 6]);

impl Block {
    pub(crate) const EMPTY: Self = Self([[f32::NAN; BLOCK]; 6]);

    #[inline]
    pub(crate) fn set(&mut self, lane: usize, aabb: &Aabb) {
        let numbers: [f32; 6] = bytemuck::cast(*aabb);
        for (column, number) in self.0.iter_mut().zip(numbers) {
            column[lane] = number;
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, lane: usize) -> Aabb {
        let [ax, ay, az, bx, by, bz] = &self.0;
        Aabb::new(
            glam::Vec3::new(ax[lane], ay[lane], az[lane]),
            glam::Vec3::new(bx[lane], by[lane], bz[lane]),
        )
    }
}
