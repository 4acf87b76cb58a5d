//! Volumes fitted to shapes contain them, and never part what overlaps.

use jostle::broad::{Aabb, BoundingVolume, Kdop14, Kdop18, Kdop26, OrientedBox, Sphere};
use jostle::glam::{Quat, Vec3};
use jostle::query::{QueryFilter, Ray, overlap, penetration};
use jostle::volumes::{FitVolume, measure_filters};
use jostle::{Body, BodyId, Pose, Shape, World};
use proptest::prelude::*;

fn vector(size: f32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from_array)
}

fn pose() -> impl Strategy<Value = Pose> {
    let rotation = prop::array::uniform4(-1.0f32..1.0).prop_map(|[x, y, z, w]| {
        let rotation = Quat::from_xyzw(x, y, z, w);
        if rotation.length() > 0.1 { rotation.normalize() } else { Quat::IDENTITY }
    });
    // Near the origin and a kilometre away, where floats are coarse.
    let position = prop_oneof![vector(2.0), vector(2.0).prop_map(|near| near + Vec3::new(1e3, -1e3, 5e2))];
    (position, rotation).prop_map(|(position, rotation)| Pose::new(position, rotation))
}

fn shape() -> impl Strategy<Value = Shape> {
    let round = (0.1f32..1.5, 0.1f32..1.5);
    prop_oneof![
        2 => (0.1f32..2.0).prop_map(|radius| Shape::ball(radius).unwrap()),
        2 => prop::array::uniform3(0.05f32..2.0)
            .prop_map(|half| Shape::cuboid(Vec3::from_array(half)).unwrap()),
        1 => round.clone().prop_map(|(half_height, radius)| Shape::capsule(half_height, radius).unwrap()),
        1 => round.clone().prop_map(|(half_height, radius)| Shape::cylinder(half_height, radius).unwrap()),
        1 => round.prop_map(|(half_height, radius)| Shape::cone(half_height, radius).unwrap()),
        // Around the origin, where the rays of `surface` go.
        1 => prop::collection::vec(vector(1.2), 4..12).prop_filter_map("a hull", |mut points| {
            points.extend([Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(-1.0)].map(|point| point * 0.3));
            Shape::convex_hull(&points).ok()
        }),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    (shape(), prop::option::of((shape(), vector(2.0)))).prop_map(|(first, second)| {
        let body = Body::fixed(first);
        match second {
            Some((shape, at)) => {
                body.with_shape_at(shape, Pose::new(at, Quat::from_xyzw(0.6, 0.0, 0.8, 0.0)))
            }
            None => body,
        }
    })
}

/// Points of the surface: where rays from all sides enter.
fn surface(body: &Body, pose: &Pose, directions: &[Vec3]) -> Vec<Vec3> {
    let mut world = World::default();
    let mut body = body.clone();
    body.pose = *pose;
    world.add(BodyId(1), body.clone()).unwrap();
    world.step(1.0 / 60.0).unwrap();
    let mut points = Vec::new();
    for part in &body.parts {
        let center = pose.then(&part.local).position;
        for direction in directions {
            let ray = Ray::new(center + *direction * 8.0, -*direction);
            let hit = world.cast_ray(&ray, &QueryFilter::ALL).unwrap().expect("aimed at its middle");
            // A little inside: the point itself is rounded.
            points.push(hit.point.lerp(center, 1e-3));
        }
    }
    points
}

fn check<V: FitVolume + std::fmt::Debug>(
    body: &Body,
    pose: &Pose,
    points: &[Vec3],
) -> Result<(), TestCaseError> {
    let volume = V::fit_body(body, pose).unwrap();
    for &point in points {
        prop_assert!(volume.contains_point(point), "{} {:?} {}", V::NAME, volume, point);
    }
    // Not just something large: no wider than three times the box of the body.
    let (around, tight) = (volume.aabb(), Aabb::fit_body(body, pose).unwrap());
    prop_assert!(around.longest_side() <= 3.0 * tight.longest_side() + 0.1, "{}", V::NAME);
    Ok(())
}

fn keeps<V: FitVolume>(a: (&Body, &Pose), b: (&Body, &Pose)) -> bool {
    V::fit_body(a.0, a.1).unwrap().overlaps(&V::fit_body(b.0, b.1).unwrap())
}

/// What every kind of volume says of two bodies.
fn all_keep(a: (&Body, &Pose), b: (&Body, &Pose)) -> [bool; 6] {
    [
        keeps::<Aabb>(a, b),
        keeps::<Sphere>(a, b),
        keeps::<OrientedBox>(a, b),
        keeps::<Kdop14>(a, b),
        keeps::<Kdop18>(a, b),
        keeps::<Kdop26>(a, b),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn volumes_contain_the_surface(
        body in body(),
        pose in pose(),
        directions in prop::collection::vec(vector(1.0).prop_filter("long", |d| d.length() > 0.5), 24),
    ) {
        let directions: Vec<Vec3> = directions.iter().map(|direction| direction.normalize()).collect();
        let points = surface(&body, &pose, &directions);
        check::<Aabb>(&body, &pose, &points)?;
        check::<Sphere>(&body, &pose, &points)?;
        check::<OrientedBox>(&body, &pose, &points)?;
        check::<Kdop14>(&body, &pose, &points)?;
        check::<Kdop18>(&body, &pose, &points)?;
        check::<Kdop26>(&body, &pose, &points)?;
    }

    #[test]
    fn a_filter_never_removes_what_overlaps(a in shape(), b in shape(), at in pose(), by in vector(3.0), there in pose()) {
        // From both sides towards touching: the last place where they overlap is the hardest.
        let (mut near, mut far) = (0.0f32, 4.0f32);
        let place = |along: f32| Pose::new(at.position + by * along, there.rotation);
        prop_assume!(by.length() > 1.0);
        for _ in 0..24 {
            let middle = 0.5 * (near + far);
            if overlap(&a, &at, &b, &place(middle)).unwrap() { near = middle } else { far = middle }
        }
        let (body_a, body_b) = (Body::fixed(a.clone()), Body::fixed(b.clone()));
        for along in [near, near - 1e-5, near - 1e-4, 0.5 * near] {
            let there = place(along);
            // Iterations take a gap of a few roundings for touching.
            let depth = penetration(&a, &at, &b, &there).unwrap().map_or(0.0, |found| found.depth);
            if depth < 1e-5 {
                continue;
            }
            let kept = all_keep((&body_a, &at), (&body_b, &there));
            prop_assert_eq!(kept, [true; 6], "{:?} {:?}", there, along);
        }
    }
}

#[test]
fn surfaces_are_contained_too() {
    let heights: Vec<f32> = (0..42).map(|index| (index * 7 % 5) as f32 * 0.2).collect();
    let field = Shape::height_field(6, 7, &heights, Vec3::new(8.0, 2.0, 6.0)).unwrap();
    let vertices = [Vec3::ZERO, Vec3::X * 3.0, Vec3::new(0.5, 2.0, 0.0), Vec3::new(0.0, 0.5, -2.0)];
    let mesh = Shape::triangle_mesh(&vertices, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let pose = Pose::new(Vec3::new(4.0, -7.0, 100.0), Quat::from_xyzw(0.1, 0.7, -0.5, 0.5).normalize());
    let fitted = Kdop26::fit_shape(&mesh, &pose).unwrap();
    assert!(vertices.iter().all(|&vertex| fitted.contains_point(pose.transform(vertex))));
    assert!(!fitted.contains_point(pose.transform(Vec3::new(2.5, 2.0, 0.0))), "the corner of its box is cut");
    let corners: Vec<Vec3> = (0..42)
        .map(|index| {
            let (row, column) = ((index / 7) as f32, (index % 7) as f32);
            Vec3::new(column / 6.0 - 0.5, heights[index], row / 5.0 - 0.5) * Vec3::new(8.0, 2.0, 6.0)
        })
        .collect();
    for (shape, points) in [(&field, &corners[..]), (&mesh, &vertices[..])] {
        let (sphere, turned) =
            (Sphere::fit_shape(shape, &pose).unwrap(), OrientedBox::fit_shape(shape, &pose).unwrap());
        let kdop = Kdop18::fit_shape(shape, &pose).unwrap();
        for point in points.iter().map(|&point| pose.transform(point)) {
            assert!(
                sphere.contains_point(point) && turned.contains_point(point) && kdop.contains_point(point)
            );
        }
    }
}

#[test]
fn a_half_space_has_no_bounded_volume() {
    let plane = Shape::half_space(Vec3::Y).unwrap();
    assert!(Sphere::fit_shape(&plane, &Pose::IDENTITY).is_none());
    assert!(OrientedBox::fit_shape(&plane, &Pose::IDENTITY).is_none());
    let kdop = Kdop14::fit_shape(&plane, &Pose::IDENTITY).unwrap();
    assert!(kdop.contains_point(Vec3::new(1e6, -1e6, 3.0)) && !kdop.contains_point(Vec3::Y));
    assert!(Sphere::fit(&[]).is_none() && OrientedBox::fit(&[]).is_none());
    assert!(Kdop26::fit(&[]).is_none() && Aabb::fit(&[]).is_none());
}

#[test]
fn the_table_counts_what_is_left() {
    let mut world = World::default();
    let stick = Shape::cuboid(Vec3::new(2.0, 0.1, 0.1)).unwrap();
    let askew = Quat::from_rotation_y(0.8) * Quat::from_rotation_z(0.5);
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y).unwrap()).at(Vec3::Y * -50.0)).unwrap();
    for index in 0..200 {
        let at = Vec3::new((index % 6) as f32, (index / 36) as f32, (index / 6 % 6) as f32) * 0.8;
        world.add(BodyId(index + 1), Body::dynamic(stick.clone()).at(at).rotated(askew)).unwrap();
    }
    world.step(1.0 / 60.0).unwrap();
    let table = measure_filters(&world);
    let names: Vec<&str> = table.iter().map(|row| row.volume).collect();
    assert_eq!(names, ["box", "sphere", "14-dop", "18-dop", "26-dop", "oriented box"]);
    for row in &table {
        assert!(row.pairs > 1000 && row.overlapping <= row.kept && row.kept <= row.pairs, "{row:?}");
    }
    let kept = |name: &str| table.iter().find(|row| row.volume == name).unwrap().kept;
    assert!(kept("26-dop") <= kept("14-dop") && kept("26-dop") <= kept("18-dop"));
    assert!(kept("oriented box") < kept("box") / 2, "parallel sticks askew: made for oriented boxes");
}
