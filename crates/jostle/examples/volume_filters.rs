//! How many pairs of boxes do tighter volumes remove, and what does that cost?
//!
//! `cargo run --release -p jostle --example volume_filters [bodies]`

use jostle::glam::{Quat, Vec3};
use jostle::volumes::measure_filters;
use jostle::{Body, BodyId, Shape, World};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Bodies of one shape, turned all ways, in a cube of a density at which each box meets a few others.
fn scene(count: u32, shape: &Shape) -> Result<World> {
    let mut world = World::default();
    let side = (f64::from(count).cbrt().ceil()) as u32;
    let spacing = 1.2 * shape.radius();
    for index in 0..count {
        let at = Vec3::new((index % side) as f32, (index / side % side) as f32, (index / side / side) as f32);
        let turn = Quat::from_euler(jostle::glam::EulerRot::XYZ, index as f32, 2.3 * index as f32, 0.7);
        world.add(BodyId(index), Body::dynamic(shape.clone()).at(at * spacing).rotated(turn))?;
    }
    world.step(1.0 / 240.0)?;
    Ok(world)
}

fn main() -> Result<()> {
    let count = std::env::args().nth(1).map_or(Ok(2000), |count| count.parse())?;
    let shapes = [
        ("balls", Shape::ball(0.5)?),
        ("cubes", Shape::cuboid(Vec3::splat(0.5))?),
        ("sticks", Shape::cuboid(Vec3::new(1.0, 0.1, 0.1))?),
        ("plates", Shape::cuboid(Vec3::new(0.8, 0.05, 0.8))?),
    ];
    for (name, shape) in shapes {
        println!("{count} {name}");
        println!(
            "  {:14}{:>9}{:>9}{:>10}{:>14}{:>16}",
            "volume", "pairs", "removed", "overlap", "fit ns/body", "total ns/pair"
        );
        for row in measure_filters(&scene(count, &shape)?) {
            println!(
                "  {:14}{:>9}{:>8.1}%{:>9.1}%{:>14.0}{:>16.1}",
                row.volume,
                row.pairs,
                100.0 * row.removed(),
                100.0 * row.overlapping as f64 / row.pairs.max(1) as f64,
                row.fitting.as_nanos() as f64 / row.fitted.max(1) as f64,
                row.nanoseconds_per_pair(),
            );
        }
    }
    Ok(())
}
