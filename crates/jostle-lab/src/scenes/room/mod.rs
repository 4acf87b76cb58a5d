//! The Room: Woulfe's generic benchmark (his thesis, sections 3.6.1 to 3.6.3). A cube with six walls
//! whose side depends on the number of objects alone, and ten parameters.
//!
//! In: a [`Room`]. Out: the objects it begins with, and a scene of a world. The same room gives the same bits everywhere.

mod object;
mod place;
mod shapes;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::{Context, Result};
use jostle::scenes::Scene;
use jostle::{Body, Material, Shape, WorldSettings};
use jostle_broad::glam::Vec3;

use super::draw::{Distribution, Draws};
pub(crate) use object::{Object, ObjectType};
use shapes::Shapes;

pub(crate) const ROOM: &str = "Woulfe's generic benchmark: objects in a cube with six walls";

/// How thick walls are, in metres: as thick as a default object, so that nothing gets through between two frames.
const WALL: f32 = 50.0;

/// The ten parameters, and what the thesis leaves open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Room {
    /// 1. How many frames of a sixtieth of a second.
    pub(crate) cycles: u32,
    /// 2. How many objects.
    pub(crate) objects: usize,
    /// 3. What they are.
    pub(crate) kind: ObjectType,
    /// 4. Where they begin.
    pub(crate) location: Location,
    /// 5. Metres along each axis, drawn for each axis apart.
    pub(crate) size: Distribution<1>,
    /// 6. Kilograms.
    pub(crate) mass: Distribution<1>,
    /// 7. Height and depth as shares of the size.
    pub(crate) aspect: Distribution<2>,
    /// 8. Of all objects, drawn once.
    pub(crate) acceleration: Distribution<3>,
    /// 9. Of each object, in metres a second.
    pub(crate) linear_velocity: Distribution<3>,
    /// 10. Of each object, in radians a second.
    pub(crate) angular_velocity: Distribution<3>,
    /// Of both generators.
    pub(crate) seed: u64,
    /// How often a place is drawn for an object before the room counts as full.
    pub(crate) tries: u32,
    /// Of all surfaces.
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    /// Meshes instead of the concave bodies made by rule.
    pub(crate) bunny: Option<PathBuf>,
    pub(crate) armadillo: Option<PathBuf>,
}

/// Where objects begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// In rows that form a grid around the middle.
    Constant,
    /// Anywhere in the cube, free of each other.
    Uniform,
    /// Around the middle of the cube, free of each other.
    Normal,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            cycles: 1000,
            objects: 10,
            kind: ObjectType::Spheres,
            location: Location::Constant,
            size: Distribution::constant(50.0),
            mass: Distribution::constant(1.0),
            aspect: Distribution::constant(1.0),
            acceleration: Distribution::Constant([0.0, -9.8, 0.0]),
            linear_velocity: Distribution::constant(0.0),
            angular_velocity: Distribution::constant(0.0),
            seed: 0xAAAA_AAAA,
            tries: 1_000_000,
            friction: 0.5,
            restitution: 0.0,
            bunny: None,
            armadillo: None,
        }
    }
}

impl Room {
    /// Woulfe's 'standard benchmark', on which all his hardware was measured.
    pub(crate) fn standard(objects: usize) -> Self {
        Self {
            objects,
            kind: ObjectType::Uniform,
            location: Location::Uniform,
            size: Distribution::uniform(25.0, 50.0),
            acceleration: Distribution::constant(0.0),
            linear_velocity: Distribution::uniform(-25.0, 25.0),
            angular_velocity: Distribution::uniform(-2.5, 2.5),
            ..Self::default()
        }
    }

    /// The side of the cube in metres: a fifth of it is filled by bounding cubes of default objects, whatever the size.
    pub(crate) fn side(&self) -> f64 {
        libm::cbrt(self.objects as f64 * 50.0 * 50.0 * 50.0 * 5.0)
    }

    /// From middle to middle of neighbours on the constant grid: the sum of the two parameters of the size, or 5 m more
    /// than the only one.
    pub(crate) fn spacing(&self) -> f64 {
        match self.size {
            Distribution::Constant([size]) => size + 5.0,
            Distribution::Uniform([low], [high]) => low + high,
            Distribution::Normal([mean], [deviation]) => mean + deviation,
        }
    }

    /// The acceleration of all objects, and each object at its start.
    pub(crate) fn start(&self) -> Result<(Vec3, Vec<Object>)> {
        let mut draws = Draws::new(self.seed);
        let acceleration = self.acceleration.draw_vector(&mut draws);
        let mut objects: Vec<Object> = (0..self.objects).map(|_| Object::draw(self, &mut draws)).collect();
        place::place(self, &mut objects, &mut draws)?;
        Ok((acceleration, objects))
    }

    /// Walls first, then the objects, all ready to step.
    pub(crate) fn scene(&self) -> Result<Scene> {
        let (gravity, objects) = self.start()?;
        let settings = WorldSettings { gravity, ..WorldSettings::default() };
        let material =
            Material::default().with_friction(self.friction as f32).with_restitution(self.restitution as f32);
        let mut shapes = Shapes::new(self)?;
        let mut bodies = self.walls()?;
        for (index, object) in objects.iter().enumerate() {
            let body = shapes.body(object).with_context(|| {
                format!("object {index} ({object}) cannot be made; choose another `size` or `aspect`")
            })?;
            bodies.push(body);
        }
        let bodies = bodies.into_iter().map(|body| body.material(material));
        Ok(Scene::new("room", ROOM, settings, bodies))
    }

    /// Slabs around the cube, longer than its sides, so that they meet behind its edges.
    fn walls(&self) -> Result<Vec<Body>> {
        let inner = 0.5 * self.side() as f32;
        let mut walls = Vec::with_capacity(6 + self.objects);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let half = axis * (0.5 * WALL) + (Vec3::ONE - axis) * (inner + WALL);
            let slab = Shape::cuboid(half)?;
            for sign in [-1.0, 1.0] {
                walls.push(Body::fixed(slab.clone()).at(axis * sign * (inner + 0.5 * WALL)));
            }
        }
        Ok(walls)
    }
}
