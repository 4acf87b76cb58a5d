//! Bytes come back as the same shape; broken bytes come back as an error.

use proptest::prelude::*;

use super::*;
use crate::{ShapeBytesError, ShapeError};

proptest! {
    #[test]
    fn bytes_come_back_the_same(shape in any_shape(), pose in pose()) {
        let bytes = shape.to_bytes();
        let back = Shape::from_bytes(&bytes).unwrap();
        prop_assert_eq!(back.hash(), shape.hash());
        prop_assert_eq!(back.geometry(), shape.geometry());
        prop_assert_eq!(back.radius().to_bits(), shape.radius().to_bits());
        prop_assert_eq!(back.aabb(&pose), shape.aabb(&pose));
        prop_assert_eq!(back.mass_properties(3.0), shape.mass_properties(3.0));
        prop_assert_eq!(back.to_bytes(), bytes);
    }

    #[test]
    fn cut_and_padded_bytes_are_refused(shape in any_shape()) {
        let mut bytes = shape.to_bytes();
        for length in 0..bytes.len() {
            let error = Shape::from_bytes(&bytes[..length]).unwrap_err();
            prop_assert!(matches!(error, ShapeBytesError::Length { found, needed } if found == length && needed > length), "{error}");
        }
        for _ in 0..13 {
            bytes.push(0);
            let error = Shape::from_bytes(&bytes).unwrap_err();
            prop_assert!(matches!(error, ShapeBytesError::Length { .. }), "{error}");
        }
    }

    #[test]
    fn different_contents_have_different_hashes(one in any_shape(), other in any_shape()) {
        prop_assert_eq!(one.hash() == other.hash(), one.to_bytes() == other.to_bytes());
    }

    /// One word replaced by an awkward one: an error, or a shape that is exactly those bytes. Huge counts among them.
    #[test]
    fn damaged_bytes_never_panic(
        shape in any_shape(),
        at in any::<prop::sample::Index>(),
        word in prop_oneof![
            any::<u32>(), Just(u32::MAX), Just(f32::NAN.to_bits()), Just(f32::INFINITY.to_bits()), Just(0), Just(1 << 31),
            Just(0x5555_5556),
        ],
    ) {
        let mut bytes = shape.to_bytes();
        let at = 4 * at.index(bytes.len() / 4);
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        if let Ok(shape) = Shape::from_bytes(&bytes) {
            prop_assert_eq!(shape.to_bytes(), bytes);
        }
    }

    #[test]
    fn random_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..80), kind in 0u8..12) {
        if bytes.len() >= 4 {
            bytes[..4].copy_from_slice(&[1, kind, 0, 0]);
        }
        if let Ok(shape) = Shape::from_bytes(&bytes) {
            prop_assert_eq!(shape.to_bytes(), bytes);
        }
    }
}

#[test]
fn headers_are_checked() {
    let good = Shape::ball(1.0).unwrap().to_bytes();
    assert_eq!(good, [1, 1, 0, 0, 0, 0, 0x80, 0x3f]);
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        Shape::from_bytes(&bytes).unwrap_err()
    };
    assert_eq!(with(0, 2), ShapeBytesError::Version { found: 2 });
    assert_eq!(with(1, 0), ShapeBytesError::Kind { found: 0 });
    assert_eq!(with(1, 10), ShapeBytesError::Kind { found: 10 });
    assert_eq!(with(2, 7), ShapeBytesError::Reserved { at: 2, found: 7 });
    assert_eq!(with(3, 8), ShapeBytesError::Reserved { at: 3, found: 8 });
}

#[test]
fn bad_numbers_are_named() {
    let mut bytes = Shape::convex_hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap().to_bytes();
    bytes[8 + 2 * 12..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let error = Shape::from_bytes(&bytes).unwrap_err();
    assert!(matches!(error, ShapeBytesError::Shape(ShapeError::BadPoint { index: 2, .. })), "{error}");

    // A normal that is not of length 1 was not written by us.
    let mut bytes = Shape::half_space(Vec3::Y).unwrap().to_bytes();
    bytes[4..8].copy_from_slice(&1.0f32.to_le_bytes());
    let error = Shape::from_bytes(&bytes).unwrap_err();
    assert!(matches!(error, ShapeBytesError::Shape(ShapeError::BadNormal { .. })), "{error}");
}
