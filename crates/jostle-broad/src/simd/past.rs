//! The kernel of storing very many boxes. A plain store reads the line of memory that it writes to, and puts it into a cache
//! from which it is gone before anyone reads it; so lines are written past the caches.

use super::kernels::are_boxes;
use super::lanes::Vector;
use crate::Aabb;

/// Numbers in a line of memory.
pub(super) const LINE: usize = 16;
/// So many boxes are read for the second time while they are still at hand.
const TOGETHER: usize = 512;

/// See [`crate::Lanes::store_past_caches`].
#[inline(always)]
pub(super) fn store_past_caches<V: Vector>(from: &[Aabb], to: &mut [Aabb]) -> bool {
    assert_eq!(from.len(), to.len());
    let mut good = true;
    for (from, to) in from.chunks(TOGETHER).zip(to.chunks_mut(TOGETHER)) {
        write_lines::<V>(bytemuck::cast_slice(from), bytemuck::cast_slice_mut(to));
        good &= are_boxes::<V>(from);
    }
    // SAFETY: the dispatcher runs this instantiation only where its instructions exist.
    unsafe { V::end_lines() };
    good
}

#[inline(always)]
fn write_lines<V: Vector>(from: &[f32], to: &mut [f32]) {
    let first = to.as_ptr().align_offset(LINE * size_of::<f32>()).min(to.len());
    let (from_lines, _) = from[first..].as_chunks::<LINE>();
    let (to_lines, _) = to[first..].as_chunks_mut::<LINE>();
    let last = first + LINE * to_lines.len();
    for (from, to) in from_lines.iter().zip(to_lines) {
        let mut line = [0.0; LINE];
        for at in 0..LINE {
            line[at] = from[at] + 0.0;
        }
        // SAFETY: as above; these lines begin where lines of memory do.
        unsafe { V::write_line(&line, to) };
    }
    for at in (0..first).chain(last..to.len()) {
        to[at] = from[at] + 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lanes;

    #[test]
    fn boxes_stored_past_the_caches_are_the_same_but_for_the_sign_of_zero() {
        let numbers: Vec<f32> = (0..6 * 600).map(|i| if i % 7 == 3 { -0.0 } else { i as f32 }).collect();
        let plain: Vec<f32> = numbers.iter().map(|number| number + 0.0).collect();
        let (from, plain): (&[Aabb], &[Aabb]) =
            (bytemuck::cast_slice(&numbers), bytemuck::cast_slice(&plain));
        let bits = |boxes: &[Aabb]| bytemuck::cast_slice::<Aabb, u32>(boxes).to_vec();
        for lanes in Lanes::available() {
            for first in 0..9 {
                for count in [0, 1, 2, 3, 8, 50, 513, 580] {
                    let these = first..first + count;
                    let mut to = vec![Aabb::EVERYWHERE; 600];
                    let mut expected = to.clone();
                    expected[these.clone()].copy_from_slice(&plain[these.clone()]);
                    let good = lanes.store_past_caches(&from[these.clone()], &mut to[these.clone()]);
                    assert_eq!(good, from[these].iter().all(Aabb::is_box), "{lanes}");
                    assert_eq!(bits(&to), bits(&expected), "{lanes}");
                }
            }
        }
    }
}
