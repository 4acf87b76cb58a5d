//! Scenes of stacked boxes: `pyramid` and `wall`.

use glam::Vec3;

use super::Scene;
use super::builder::{Builder, ball, cuboid};
use crate::{Body, BodyId, Command, Material, Pose, Velocity};

pub(super) const PYRAMID: &str = "pyramids of 20 rows, one behind the other, that must stand";
pub(super) const WALL: &str = "walls of boxes, into each of which a heavy ball is shot every 5 seconds";

/// Half a brick.
const HALF: Vec3 = Vec3::splat(0.5);
/// Between neighbours in a row, from middle to middle.
const STEP: f32 = 1.05;

pub(super) fn pyramid(bodies: usize, seed: u64) -> Scene {
    const ROWS: usize = 20;
    let mut scene = Builder::new("pyramid", seed);
    scene.ground(Material::default());
    let rows = (1..ROWS).find(|rows| rows * (rows + 1) / 2 >= bodies).unwrap_or(ROWS);
    let full = rows * (rows + 1) / 2;
    let shape = cuboid(HALF);
    for index in 0..bodies {
        // Row by row from the bottom: the last pyramid may lack its top.
        let (mut row, mut column) = (0, index % full);
        while column >= rows - row {
            column -= rows - row;
            row += 1;
        }
        let x = (column as f32 - 0.5 * (rows - row - 1) as f32) * STEP;
        let center = Vec3::new(x, 0.5 + row as f32, (index / full) as f32 * 3.0);
        scene.add(Body::dynamic(shape.clone()).at(center));
    }
    scene.finish("pyramid", PYRAMID)
}

pub(super) fn wall(bodies: usize, seed: u64) -> Scene {
    const WIDTH: usize = 20;
    /// Bricks of a wall and its ball.
    const UNIT: usize = 10 * WIDTH + 1;
    const RADIUS: f32 = 1.0;
    /// Frames between two shots of a ball.
    const PAUSE: u64 = 300;
    let mut scene = Builder::new("wall", seed);
    scene.ground(Material::default());
    let brick = cuboid(HALF);
    let bullet = ball(RADIUS);
    let mut balls: Vec<(BodyId, Pose, Velocity)> = Vec::new();
    let count = bodies.div_ceil(UNIT);
    for which in 0..count {
        let z = which as f32 * 60.0;
        let bricks = (bodies - which * UNIT).min(UNIT) - 1;
        let width = WIDTH.min(bricks.div_ceil(2)).max(1);
        for index in 0..bricks {
            let (row, column) = (index / width, index % width);
            // Every other row is shifted by half a brick.
            let shift = 0.5 * (row % 2) as f32;
            let x = (column as f32 - 0.5 * width as f32 + shift) * STEP;
            scene.add(Body::dynamic(brick.clone()).at(Vec3::new(x, 0.5 + row as f32, z)));
        }
        let across = scene.random.between(-0.25, 0.25) * width as f32;
        let start = Vec3::new(across, RADIUS + 1.5, z - 12.0);
        let velocity = Velocity { linear: Vec3::new(0.0, 3.0, 20.0), angular: Vec3::ZERO };
        let shot = Body::dynamic(bullet.clone()).at(start).moving(velocity.linear).mass(8000.0);
        balls.push((scene.add(shot), Pose::at(start), velocity));
    }
    scene.drive(move |frame| {
        let again = frame > 0 && frame.is_multiple_of(PAUSE);
        let shots = balls.iter().filter(|_| again).flat_map(|&(id, pose, velocity)| {
            [(id, Command::Teleport(pose)), (id, Command::SetVelocity(velocity))]
        });
        shots.collect()
    });
    scene.finish("wall", WALL)
}
