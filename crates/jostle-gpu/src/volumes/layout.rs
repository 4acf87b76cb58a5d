//! Volumes as floats on the device, and back.

use jostle_broad::glam::{Mat3, Vec3};
use jostle_broad::{BoundingVolume, Kdop, OrientedBox, Sphere, VolumeError};

/// A volume that [`VolumeFilter`](crate::VolumeFilter) knows.
///
/// On the device it is [`FLOATS`](DeviceVolume::FLOATS) floats. A NaN in the first of them says that there is no volume,
/// as around something unbounded: pairs with it are kept. Volumes that a kernel writes must be such as the constructors of
/// `jostle-broad` allow.
///
/// | volume | floats |
/// |---|---|
/// | [`Sphere`] | centre x, y, z, radius |
/// | [`OrientedBox`] | centre, half widths, x axis, y axis, z axis, one unused |
/// | [`Kdop`] | min, max for each direction; filled up with two zeros to whole groups of four |
pub trait DeviceVolume: BoundingVolume + Sync + sealed::Sealed {
    /// How many floats it is on the device: whole groups of four.
    const FLOATS: usize;

    /// Writes the floats; what is unused is zero already.
    fn write(&self, floats: &mut [f32]);

    /// Do two volumes overlap, given as floats? The host's own answer.
    fn overlap(a: &[f32], b: &[f32]) -> Result<bool, VolumeError>;
}

/// The kernel's part for a kind of volume.
pub(super) mod sealed {
    /// Only volumes with a kernel.
    pub trait Sealed {
        /// Decides about two volumes.
        const DECIDE: &'static str;
    }
}

impl sealed::Sealed for Sphere {
    const DECIDE: &'static str = include_str!("../wgsl/volumes_sphere.wgsl");
}

impl DeviceVolume for Sphere {
    const FLOATS: usize = 4;

    fn write(&self, floats: &mut [f32]) {
        self.center().write_to_slice(floats);
        floats[3] = self.radius();
    }

    fn overlap(a: &[f32], b: &[f32]) -> Result<bool, VolumeError> {
        // A fitted radius can be infinite, and then reaches everything; a given one must be finite.
        let finite = |of: &[f32]| if of[3] == f32::INFINITY { 0.0 } else { of[3] };
        let [one, other] = [a, b].map(|of| Self::new(Vec3::from_slice(of), finite(of)));
        Ok(one?.overlaps(&other?) || a[3] == f32::INFINITY || b[3] == f32::INFINITY)
    }
}

impl sealed::Sealed for OrientedBox {
    const DECIDE: &'static str = include_str!("../wgsl/volumes_oriented.wgsl");
}

impl DeviceVolume for OrientedBox {
    const FLOATS: usize = 16;

    fn write(&self, floats: &mut [f32]) {
        self.center().write_to_slice(floats);
        self.half_extents().write_to_slice(&mut floats[3..]);
        self.axes().write_cols_to_slice(&mut floats[6..]);
    }

    fn overlap(a: &[f32], b: &[f32]) -> Result<bool, VolumeError> {
        let read = |of: &[f32]| {
            Self::from_axes(
                Vec3::from_slice(of),
                Vec3::from_slice(&of[3..]),
                Mat3::from_cols_slice(&of[6..15]),
            )
        };
        Ok(read(a)?.overlaps(&read(b)?))
    }
}

impl<const SLABS: usize> sealed::Sealed for Kdop<SLABS> {
    const DECIDE: &'static str = include_str!("../wgsl/volumes_kdop.wgsl");
}

impl<const SLABS: usize> DeviceVolume for Kdop<SLABS> {
    const FLOATS: usize = (2 * SLABS).next_multiple_of(4);

    fn write(&self, floats: &mut [f32]) {
        for (slot, (min, max)) in floats.chunks_exact_mut(2).zip(self.intervals()) {
            slot.copy_from_slice(&[min, max]);
        }
    }

    fn overlap(a: &[f32], b: &[f32]) -> Result<bool, VolumeError> {
        let mut slabs = a.chunks_exact(2).zip(b.chunks_exact(2));
        Ok(slabs.all(|(a, b)| a[0] <= b[1] && b[0] <= a[1]))
    }
}
