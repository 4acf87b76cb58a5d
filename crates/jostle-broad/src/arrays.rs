//! Boxes as six separate arrays, the form vector kernels read.

use crate::Aabb;

/// Six arrays of coordinates, padded with NaN.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoxArrays {
    /// min x, min y, min z, max x, max y, max z.
    columns: [Vec<f32>; 6],
    len: usize,
}

impl BoxArrays {
    /// Numbers past the end that a kernel may read (and finds to overlap nothing): one register of the widest kind.
    pub(crate) const PADDING: usize = 16;

    /// How many boxes there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The arrays with their padding: each holds at least `len + 16` numbers.
    #[inline]
    pub(crate) fn padded(&self) -> [&[f32]; 6] {
        self.columns.each_ref().map(Vec::as_slice)
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// Appends boxes.
    pub(crate) fn extend(&mut self, boxes: impl Iterator<Item = Aabb>) {
        for column in &mut self.columns {
            column.truncate(self.len);
        }
        for aabb in boxes {
            let numbers: [f32; 6] = bytemuck::cast(aabb);
            for (column, number) in self.columns.iter_mut().zip(numbers) {
                column.push(number);
            }
            self.len += 1;
        }
        for column in &mut self.columns {
            column.resize(self.len + Self::PADDING, f32::NAN);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.columns.iter().map(|column| column.capacity() * size_of::<f32>()).sum()
    }
}
