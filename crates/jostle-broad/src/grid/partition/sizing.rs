//! How large the cells of a grid may be, so that no more than a capacity of boxes that do not intersect reach into one.

use super::{CapacityError, checked};

/// The sides of a cell, in multiples of the smallest box, and how many boxes may reach into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellFactors {
    /// Ascending.
    pub sides: [usize; 3],
    /// The most boxes of the smallest size that can reach into the cell.
    pub most_boxes: usize,
}

/// The largest cell for a capacity: of all `x <= y <= z` with `2x + 2y + 2z + (x - 1)(y - 1)(z - 1)` at most the capacity
/// the one with the largest `x`, then the largest `y`, then the largest `z`.
///
/// ```
/// let factors = jostle_broad::cell_factors(1024)?;
/// assert_eq!((factors.sides, factors.most_boxes), ([10, 11, 11], 964));
/// # Ok::<(), jostle_broad::CapacityError>(())
/// ```
pub fn cell_factors(capacity: usize) -> Result<CellFactors, CapacityError> {
    let capacity = checked(capacity)?;
    let boxes = |x: usize, y: usize, z: usize| 2 * (x + y + z) + (x - 1) * (y - 1) * (z - 1);
    let largest = |fits: &dyn Fn(usize) -> bool, from: usize| {
        (from..).take_while(|&side| fits(side)).last().unwrap_or(from)
    };
    let x = largest(&|side| boxes(side, side, side) <= capacity, 1);
    let y = largest(&|side| boxes(x, side, side) <= capacity, x);
    let z = largest(&|side| boxes(x, y, side) <= capacity, y);
    Ok(CellFactors { sides: [x, y, z], most_boxes: boxes(x, y, z) })
}
