//! Every way to ask for an impossible shape, and what the answer says.

use super::*;
use crate::ShapeError;

#[test]
fn bad_input_is_named() {
    let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mut with_nan = corner.to_vec();
    with_nan.push(Vec3::new(1.0, f32::NAN, 0.0));
    let square = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::X + Vec3::Z];
    let sheet = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(0.5, 1.0e-6, 0.5)];
    let line: Vec<Vec3> = (0..10).map(|x| Vec3::X * x as f32).collect();
    let many = vec![Vec3::ZERO; (1 << 20) + 1];
    let heights = [0.0, 1.0, f32::NAN, 0.0];
    #[rustfmt::skip]
    let table: Vec<(Result<Shape, ShapeError>, &str)> = vec![
        (Shape::ball(0.0), "radius is 0"),
        (Shape::ball(-1.0), "radius is -1"),
        (Shape::ball(f32::NAN), "radius is NaN"),
        (Shape::ball(f32::INFINITY), "radius is inf"),
        (Shape::cuboid(Vec3::new(0.0, 1.0, 1.0)), "half extent x is 0"),
        (Shape::cuboid(Vec3::new(1.0, -1.0, 1.0)), "half extent y is -1"),
        (Shape::cuboid(Vec3::new(1.0, 1.0, f32::NAN)), "half extent z is NaN"),
        (Shape::capsule(0.0, 1.0), "half height is 0"),
        (Shape::capsule(1.0, f32::NAN), "radius is NaN"),
        (Shape::cylinder(f32::INFINITY, 1.0), "half height is inf"),
        (Shape::cylinder(1.0, -2.0), "radius is -2"),
        (Shape::cone(f32::NAN, 1.0), "half height is NaN"),
        (Shape::cone(1.0, 0.0), "radius is 0"),
        (Shape::half_space(Vec3::ZERO), "the normal is [0, 0, 0]"),
        (Shape::half_space(Vec3::new(0.0, f32::NAN, 1.0)), "the normal is [0, NaN, 1]"),
        (Shape::half_space(Vec3::new(0.0, f32::INFINITY, 1.0)), "the normal is [0, inf, 1]"),
        (Shape::convex_hull(&[]), "0 points have no convex hull"),
        (Shape::convex_hull(&corner[..3]), "3 points have no convex hull"),
        (Shape::convex_hull(&with_nan), "point 4 is [1, NaN, 0]"),
        (Shape::convex_hull(&[Vec3::ONE; 6]), "the 6 points enclose no volume: 0 across and only 0 thick"),
        (Shape::convex_hull(&line), "the 10 points enclose no volume: 9 across and only 0 thick"),
        (Shape::convex_hull(&square), "the 4 points enclose no volume"),
        (Shape::convex_hull(&sheet), "the 4 points enclose no volume"),
        (Shape::convex_hull(&many), "1048577 points are too many; at most 1048576"),
        (Shape::triangle_mesh(&corner, &[]), "the mesh has no triangles"),
        (Shape::triangle_mesh(&[], &[[0, 0, 0]]), "triangle 0 names vertex 0, but there are 0 vertices"),
        (Shape::triangle_mesh(&corner, &[[0, 1, 2], [1, 2, 4]]), "triangle 1 names vertex 4, but there are 4 vertices"),
        (Shape::triangle_mesh(&corner, &[[0, 1, 2], [1, 2, 1]]), "triangle 1 has no area"),
        (Shape::triangle_mesh(&line, &[[0, 3, 7]]), "triangle 0 has no area"),
        (Shape::triangle_mesh(&with_nan, &[[0, 1, 2]]), "point 4 is [1, NaN, 0]"),
        (Shape::height_field(1, 4, &[0.0; 4], Vec3::ONE), "a grid of 1 rows and 4 columns with 4 heights"),
        (Shape::height_field(4, 1, &[0.0; 4], Vec3::ONE), "a grid of 4 rows and 1 columns with 4 heights"),
        (Shape::height_field(2, 3, &[0.0; 5], Vec3::ONE), "a grid of 2 rows and 3 columns with 5 heights"),
        (Shape::height_field(usize::MAX, 3, &[0.0; 5], Vec3::ONE), "and 3 columns with 5 heights"),
        (Shape::height_field(2, 2, &heights, Vec3::ONE), "the height in row 1, column 0 is NaN"),
        (Shape::height_field(2, 2, &[0.0, 1.0e30, 0.0, 0.0], Vec3::splat(1.0e30)), "the height in row 0, column 1 is"),
        (Shape::height_field(2, 2, &[0.0; 4], Vec3::new(1.0, 1.0, 0.0)), "scale z is 0"),
        (Shape::height_field(2, 2, &[0.0; 4], Vec3::new(1.0, f32::NAN, 1.0)), "scale y is NaN"),
        (Shape::height_field(2, 2, &[0.0; 4], Vec3::new(-1.0, 1.0, 1.0)), "scale x is -1"),
    ];
    for (result, says) in table {
        let error = result.expect_err(says).to_string();
        assert!(error.contains(says), "'{error}' does not say '{says}'");
    }
}
