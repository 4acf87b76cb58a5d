//! Scenes of bodies that lie or fly about: `rain`, `pit`, `gas`, `layer`, `giant`.

use glam::Vec3;

use super::Scene;
use super::builder::{Builder, ball, cuboid, place, side_of_cube, side_of_layers, side_of_square};
use super::palette::{Palette, REACH};
use crate::{Body, Material, Velocity};

pub(super) const RAIN: &str = "mixed shapes fall on a plane and come to rest";
pub(super) const PIT: &str = "unit boxes, turned at random, are poured into a pit with walls";
pub(super) const GAS: &str = "balls that lose no energy fly about in a closed room, without gravity";
pub(super) const LAYER: &str = "small flat boxes side by side slide on a plane until they rest";
pub(super) const GIANT: &str = "a huge slab falls on a field of small balls and boxes";

/// Layers of bodies in `rain` and `pit`, from a thousand bodies on.
const LAYERS: usize = 10;

pub(super) fn rain(bodies: usize, seed: u64) -> Scene {
    let mut scene = Builder::new("rain", seed);
    let palette = Palette::new();
    scene.ground(Material::default());
    let side = side_of_layers(bodies, LAYERS);
    for index in 0..bodies {
        let center = place(index, side) * (2.0 * REACH + 0.1) + Vec3::Y * 2.0 + scene.offset(0.05);
        let body = palette.body(&mut scene).at(center);
        let velocity = scene.offset(0.5);
        // The air keeps balls from rolling for ever.
        scene.add(body.moving(velocity - Vec3::Y * 2.0).damping(0.05, 0.5));
    }
    scene.finish("rain", RAIN)
}

pub(super) fn pit(bodies: usize, seed: u64) -> Scene {
    /// A turned box has a diagonal of 1.732.
    const SPACING: f32 = 1.75;
    let mut scene = Builder::new("pit", seed);
    scene.ground(Material::default());
    let side = side_of_layers(bodies, LAYERS);
    let layers = bodies.div_ceil(side * side).max(1);
    let inner = 0.5 * SPACING * side as f32;
    scene.walls(inner, SPACING * layers as f32 + 2.0, Material::default());
    let shape = cuboid(Vec3::splat(0.5));
    for index in 0..bodies {
        let rotation = scene.rotation();
        let center = place(index, side) * SPACING + Vec3::Y * (1.0 + 0.5 * SPACING);
        scene.add(Body::dynamic(shape.clone()).rotated(rotation).at(center));
    }
    scene.finish("pit", PIT)
}

pub(super) fn gas(bodies: usize, seed: u64) -> Scene {
    /// One ball of volume 0.52 in a cube of this side: a tenth of the room is filled.
    const SPACING: f32 = 1.75;
    const RADIUS: f32 = 0.5;
    const SPEED: f32 = 5.0;
    let mut scene = Builder::new("gas", seed);
    scene.settings.gravity = Vec3::ZERO;
    scene.settings.sleep.enabled = false;
    scene.settings.response.bounce_speed = 0.0;
    let material = Material::default().with_friction(0.0).with_restitution(1.0);
    let side = side_of_cube(bodies);
    let inner = 0.5 * SPACING * side as f32;
    scene.walls(inner, 2.0 * inner, material);
    let lid = Vec3::new(inner + 4.0, 2.0, inner + 4.0);
    scene.block(Vec3::Y * -2.0, lid, material);
    scene.block(Vec3::Y * (2.0 * inner + 2.0), lid, material);
    let shape = ball(RADIUS);
    let room = 0.49 * SPACING - RADIUS;
    for index in 0..bodies {
        let center = place(index, side) * SPACING + Vec3::Y * (0.5 * SPACING) + scene.offset(room);
        let velocity = scene.random.direction() * scene.random.between(0.5 * SPEED, 1.5 * SPEED);
        scene.add(Body::dynamic(shape.clone()).at(center).moving(velocity).material(material));
    }
    scene.finish("gas", GAS)
}

pub(super) fn layer(bodies: usize, seed: u64) -> Scene {
    const HALF: Vec3 = Vec3::new(0.05, 0.02, 0.05);
    /// From middle to middle: neighbours are 5 mm apart, less than the margin at which contacts are found.
    const SPACING: f32 = 0.105;
    let mut scene = Builder::new("layer", seed);
    let material = Material::default().with_friction(0.3);
    scene.ground(material);
    let side = side_of_square(bodies);
    let shape = cuboid(HALF);
    for index in 0..bodies {
        let center = place(index, side) * SPACING + Vec3::Y * HALF.y;
        let push = scene.offset(0.5) * Vec3::new(1.0, 0.0, 1.0);
        scene.add(Body::dynamic(shape.clone()).at(center).moving(push).material(material));
    }
    scene.finish("layer", LAYER)
}

pub(super) fn giant(bodies: usize, seed: u64) -> Scene {
    const SPACING: f32 = 0.5;
    let mut scene = Builder::new("giant", seed);
    scene.ground(Material::default());
    let small = bodies.saturating_sub(1);
    let side = side_of_square(small);
    let shapes = [ball(0.2), cuboid(Vec3::splat(0.16))];
    for index in 0..small {
        let center = place(index, side) * SPACING + Vec3::Y * 0.2;
        let shape = shapes[scene.random.below(shapes.len())].clone();
        let jitter = scene.offset(0.04) * Vec3::new(1.0, 0.0, 1.0);
        scene.add(Body::dynamic(shape).at(center + jitter));
    }
    if bodies > 0 {
        let reach = SPACING * side as f32;
        let half = Vec3::new(0.25, 0.05, 0.25) * reach;
        // As heavy as what can lie below it.
        let below = 0.25 * small as f32 * 30.0;
        let velocity = Velocity { linear: Vec3::X * 2.0, angular: Vec3::Y * 0.2 };
        let slab = Body::dynamic(cuboid(half)).at(Vec3::Y * (half.y + 1.0)).mass(below.max(30.0));
        scene.add(slab.moving(velocity.linear).spinning(velocity.angular));
    }
    scene.finish("giant", GIANT)
}
