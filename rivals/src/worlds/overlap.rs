//! How deep bodies are in one another, measured alike for every engine: from its poses and the scene's shapes.
//!
//! The depth of two boxes is the least of their overlaps along the 15 axes of the separating axis test. parry's
//! `query::contact` is not used for them: it measures from one corner to the nearest face of the other box, which for
//! boxes that rest on one another with an offset is not the face between them.

use anyhow::Result;
use jostle_broad::glam::Vec3;
use jostle_broad::{Aabb, Boxes, Catalog, FindSettings};
use parry3d::math::{Pose as ParryPose, Rotation, Vector};
use parry3d::query::{contact, sat};
use parry3d::shape::{Ball, Cuboid};

use super::scene::{Form, Scene};
use super::world::Pose;
use crate::compare::numbers::percentile;

/// Nearer than this counts as touching, in metres: what rapier and Box3D make contacts for.
const TOUCHING: f32 = 0.02;

/// Depths in percent of the thickness of the thinner of two bodies that move.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Overlap {
    /// Pairs nearer than 2 cm.
    pub touching: usize,
    /// Pairs that overlap.
    pub overlapping: usize,
    /// Pairs deeper than 5 percent.
    pub deep: usize,
    /// The deepest.
    pub max: f64,
    /// What 99 of 100 overlapping pairs do not exceed.
    pub p99: f64,
    /// The mean of the overlapping pairs.
    pub mean: f64,
    /// Bodies whose origins are below the ground or outside the walls.
    pub escaped: usize,
}

/// Measures all pairs of the scene's bodies in these poses, pairs of two fixed bodies apart.
pub fn measure(scene: &Scene, poses: &[Pose]) -> Result<Overlap> {
    // The ground's box would be a pair with every body: it is asked apart.
    let mut bounded = Vec::new();
    let mut boxes = Vec::new();
    let mut grounds = Vec::new();
    for (index, spec) in scene.bodies.iter().enumerate() {
        match bounds(&spec.form, &poses[index]) {
            Some(aabb) => {
                bounded.push(index);
                boxes.push(aabb.inflate(TOUCHING));
            }
            None => grounds.push(index),
        }
    }
    let mut finder = Catalog::builtin().get("sweep")?.make();
    finder.update(&Boxes::from_aabbs(&boxes)?, &FindSettings::default())?;
    let pairs = finder.pairs();
    let near = pairs.as_slice().iter().map(|pair| [pair.low, pair.high].map(|id| bounded[id as usize]));
    let on_ground = grounds.iter().flat_map(|ground| bounded.iter().map(|body| [*ground, *body]));

    let (mut touching, mut depths) = (0, Vec::new());
    for [a, b] in near.chain(on_ground) {
        let (first, second) = (&scene.bodies[a], &scene.bodies[b]);
        if !first.dynamic && !second.dynamic {
            continue;
        }
        let gap = separation((&first.form, &poses[a]), (&second.form, &poses[b]));
        touching += usize::from(gap < TOUCHING);
        if gap < 0.0 {
            let thinner = [first, second]
                .iter()
                .filter(|body| body.dynamic)
                .map(|body| thickness(&body.form))
                .fold(f32::INFINITY, f32::min);
            depths.push(f64::from(-gap / thinner) * 100.0);
        }
    }
    let dynamic = scene.bodies.iter().zip(poses).filter(|(body, _)| body.dynamic);
    let escaped = dynamic.filter(|(_, pose)| is_outside(scene, pose.position)).count();
    Ok(Overlap {
        touching,
        overlapping: depths.len(),
        deep: depths.iter().filter(|depth| **depth > 5.0).count(),
        max: depths.iter().copied().fold(0.0, f64::max),
        p99: percentile(&depths, 0.99).unwrap_or(0.0),
        mean: depths.iter().fold(0.0, |sum, depth| sum + depth) / depths.len().max(1) as f64,
        escaped,
    })
}

fn is_outside(scene: &Scene, position: Vec3) -> bool {
    let beyond = |walls: f32| position.x.abs().max(position.z.abs()) > walls;
    !position.is_finite() || position.y < 0.0 || scene.walls.is_some_and(beyond)
}

fn thickness(form: &Form) -> f32 {
    match form {
        Form::Ball(radius) => 2.0 * radius,
        Form::Cuboid(half) => 2.0 * half.min_element(),
        Form::Ground { .. } => f32::INFINITY,
    }
}

fn bounds(form: &Form, pose: &Pose) -> Option<Aabb> {
    let half = match form {
        Form::Ball(radius) => Vec3::splat(*radius),
        Form::Cuboid(half) => {
            let [x, y, z] = [Vec3::X * half.x, Vec3::Y * half.y, Vec3::Z * half.z];
            (pose.rotation * x).abs() + (pose.rotation * y).abs() + (pose.rotation * z).abs()
        }
        Form::Ground { .. } => return None,
    };
    Some(Aabb::new(pose.position - half, pose.position + half))
}

fn parry_pose(pose: &Pose) -> ParryPose {
    ParryPose::from_parts(
        Vector::from_array(pose.position.to_array()),
        Rotation::from_array(pose.rotation.to_array()),
    )
}

fn cuboid(half: &Vec3) -> Cuboid {
    Cuboid::new(Vector::from_array(half.to_array()))
}

/// The distance of two bodies, negative where they overlap; where they are apart, a number not above it.
fn separation(first: (&Form, &Pose), second: (&Form, &Pose)) -> f32 {
    match (first.0, second.0) {
        (Form::Ball(a), Form::Ball(b)) => (first.1.position - second.1.position).length() - a - b,
        (Form::Cuboid(a), Form::Cuboid(b)) => {
            let (a, b) = (cuboid(a), cuboid(b));
            let pose = parry_pose(first.1).inverse() * parry_pose(second.1);
            let faces = sat::cuboid_cuboid_find_local_separating_normal_oneway(&a, &b, &pose).0;
            let other_faces =
                sat::cuboid_cuboid_find_local_separating_normal_oneway(&b, &a, &pose.inverse()).0;
            let edges = sat::cuboid_cuboid_find_local_separating_edge_twoway(&a, &b, &pose).0;
            faces.max(other_faces).max(edges)
        }
        (Form::Cuboid(half), Form::Ball(radius)) => {
            let found = contact(
                &parry_pose(first.1),
                &cuboid(half),
                &parry_pose(second.1),
                &Ball::new(*radius),
                TOUCHING,
            );
            found.ok().flatten().map_or(TOUCHING, |contact| contact.dist)
        }
        (Form::Ball(_), Form::Cuboid(_)) => separation(second, first),
        (Form::Ground { .. }, form) => {
            let lowest = bounds(form, second.1).map_or(f32::INFINITY, |aabb| aabb.min.y);
            lowest - first.1.position.y
        }
        (_, Form::Ground { .. }) => separation(second, first),
    }
}
