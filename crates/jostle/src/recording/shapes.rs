//! The shapes of a recording: each is written once, before the first command that needs it.

use std::collections::{HashMap, HashSet};

use crate::state::bytes::{Broken, Reader, Write};
use crate::{Shape, ShapeHash};

/// The fewest bytes of a shape: a length and a header.
const LEAST_BYTES: usize = 8;

/// Writes those shapes that were not written yet.
pub(super) fn write_new<'a>(
    shapes: impl Iterator<Item = &'a Shape>,
    written: &mut HashSet<ShapeHash>,
    out: &mut Vec<u8>,
) {
    let new: Vec<_> = shapes.filter(|shape| written.insert(shape.hash())).collect();
    out.count(new.len());
    for shape in new {
        let bytes = shape.to_bytes();
        out.count(bytes.len());
        out.bytes(&bytes);
    }
}

/// Reads shapes into those that are known.
pub(super) fn read_new(from: &mut Reader<'_>, known: &mut HashMap<ShapeHash, Shape>) -> Result<(), Broken> {
    for _ in 0..from.count(LEAST_BYTES)? {
        let length = from.u32()? as usize;
        let shape = Shape::from_bytes(from.take(length)?).map_err(|_| Broken("a shape cannot be"))?;
        known.insert(shape.hash(), shape);
    }
    Ok(())
}
