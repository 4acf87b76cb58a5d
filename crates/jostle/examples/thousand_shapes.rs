//! A thousand mixed shapes fall on the ground.

use jostle::glam::Vec3;
use jostle::{Body, BodyId, EventKind, Shape, World, WorldSettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(WorldSettings::default())?;
    world.add(BodyId(0), Body::fixed(Shape::half_space(Vec3::Y)?))?;
    let shapes = [
        Shape::ball(0.4)?,
        Shape::cuboid(Vec3::new(0.5, 0.2, 0.3))?,
        Shape::capsule(0.3, 0.2)?,
        Shape::cylinder(0.3, 0.3)?,
        Shape::cone(0.3, 0.3)?,
    ];
    for i in 0..1000 {
        let place = Vec3::new((i % 10) as f32, 1.0 + (i / 100) as f32, (i / 10 % 10) as f32) * 1.2;
        let shape = shapes[i % shapes.len()].clone();
        world.add(BodyId(1 + i as u32), Body::dynamic(shape).at(place))?;
    }
    let mut began = 0;
    for _ in 0..120 {
        world.step(1.0 / 60.0)?;
        let contacts = world.events().contacts();
        began += contacts.iter().filter(|event| event.kind == EventKind::ContactBegan).count();
    }
    let heights = world.ids().into_iter().filter_map(|id| world.pose(id)).map(|pose| pose.position.y);
    println!("{began} contacts began; the highest body is at {:.2} m", heights.fold(0.0, f32::max));
    Ok(())
}
