//! Boxes as callers have them: plain arrays of numbers, with a stride, in `f32` or `f64`.

use super::BoxError;
use crate::Aabb;

/// A view of boxes in the caller's memory. Each box is six numbers in a row: min x, y, z, max x, y, z.
#[derive(Clone, Copy, Debug)]
pub struct BoxSlice<'a> {
    numbers: Numbers<'a>,
    stride: usize,
    offset: usize,
    len: usize,
}

#[derive(Clone, Copy, Debug)]
enum Numbers<'a> {
    F32(&'a [f32]),
    F64(&'a [f64]),
}

impl<'a> BoxSlice<'a> {
    /// Boxes inside larger records of `stride` numbers, starting `offset` numbers into each.
    pub fn strided_f32(numbers: &'a [f32], stride: usize, offset: usize) -> Result<Self, BoxError> {
        let len = count(numbers.len(), stride, offset)?;
        Ok(Self { numbers: Numbers::F32(numbers), stride, offset, len })
    }

    /// The same in `f64`. Such boxes are rounded outward when they are stored.
    pub fn strided_f64(numbers: &'a [f64], stride: usize, offset: usize) -> Result<Self, BoxError> {
        let len = count(numbers.len(), stride, offset)?;
        Ok(Self { numbers: Numbers::F64(numbers), stride, offset, len })
    }

    /// How many boxes there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there no box?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The boxes as one slice, where they lie side by side in `f32`.
    #[inline]
    pub(crate) fn contiguous(&self) -> Option<&'a [Aabb]> {
        match self.numbers {
            Numbers::F32(numbers) if self.stride == 6 && self.offset == 0 => {
                bytemuck::try_cast_slice(&numbers[..self.len * 6]).ok()
            }
            _ => None,
        }
    }

    /// Box `index`, rounded outward; its numbers have not been looked at.
    ///
    /// # Panics
    /// If `index` is not below [`BoxSlice::len`].
    #[inline]
    pub fn get(&self, index: usize) -> Aabb {
        assert!(index < self.len, "box {index} of {}", self.len);
        let at = index * self.stride + self.offset;
        match self.numbers {
            Numbers::F32(numbers) => bytemuck::pod_read_unaligned(bytemuck::cast_slice(&numbers[at..at + 6])),
            Numbers::F64(numbers) => {
                let n = &numbers[at..at + 6];
                Aabb::from_f64_outward([n[0], n[1], n[2]], [n[3], n[4], n[5]])
            }
        }
    }

    /// Is box `index` one? Looks at the numbers as they were given: rounding `f64` outward could hide that min is above
    /// max.
    #[inline]
    pub(super) fn is_box(&self, index: usize) -> bool {
        match self.numbers {
            Numbers::F32(_) => self.get(index).is_box(),
            Numbers::F64(_) => {
                let [ax, ay, az, bx, by, bz] = self.given(index);
                // See `Aabb::is_box`.
                (bx - ax >= 0.0) & (by - ay >= 0.0) & (bz - az >= 0.0)
            }
        }
    }

    /// Numbers of box `index` as given.
    pub(super) fn given(&self, index: usize) -> [f64; 6] {
        let at = index * self.stride + self.offset;
        match self.numbers {
            Numbers::F32(numbers) => std::array::from_fn(|i| f64::from(numbers[at + i])),
            Numbers::F64(numbers) => std::array::from_fn(|i| numbers[at + i]),
        }
    }
}

fn count(numbers: usize, stride: usize, offset: usize) -> Result<usize, BoxError> {
    if stride < 6 {
        return Err(BoxError::BadStride { reason: "the stride is below 6 numbers; a box needs six" });
    }
    if offset.checked_add(6).is_none_or(|end| end > stride) {
        return Err(BoxError::BadStride {
            reason: "offset + 6 is above the stride; a box must lie inside its record",
        });
    }
    // The last record may end right after its box.
    let whole = numbers / stride;
    Ok(whole + usize::from(numbers % stride >= offset + 6))
}

impl<'a> From<&'a [Aabb]> for BoxSlice<'a> {
    fn from(boxes: &'a [Aabb]) -> Self {
        Self { numbers: Numbers::F32(bytemuck::cast_slice(boxes)), stride: 6, offset: 0, len: boxes.len() }
    }
}

impl<'a> From<&'a Vec<Aabb>> for BoxSlice<'a> {
    fn from(boxes: &'a Vec<Aabb>) -> Self {
        boxes.as_slice().into()
    }
}
