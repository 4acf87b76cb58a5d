//! jostle's world, with its default settings.

use anyhow::{Context, Result};
use jostle::{Body, BodyId, Execution, Material, Shape, StepReport, World, WorldSettings};
use jostle_broad::glam::Vec3;

use super::scene::{BodySpec, DENSITY, FRICTION, Form, GRAVITY, RESTITUTION};
use super::world::{Counts, Engine, Pose, RivalWorld};

/// The entry of the list of engines.
pub const ENGINE: Engine = Engine {
    name: "jostle",
    version: "jostle 0.1.0",
    passes: "12 substeps, in each one pass with bias and one without",
    make: |scene, threads| {
        let execution = Execution { threads, ..Execution::default() };
        let world = fill(&scene.bodies, false, &execution)?;
        let specs = scene.bodies.clone();
        Ok(Box::new(Ours { world, specs, execution, report: StepReport::default() }))
    },
};

struct Ours {
    world: World,
    specs: Vec<BodySpec>,
    execution: Execution,
    report: StepReport,
}

/// A world of these bodies; their places are their ids.
fn fill(specs: &[BodySpec], sleep: bool, execution: &Execution) -> Result<World> {
    let mut settings = WorldSettings { gravity: Vec3::Y * -GRAVITY, ..WorldSettings::default() };
    settings.sleep.enabled = sleep;
    let mut world = World::with_execution(settings, execution)?;
    let material = Material { friction: FRICTION, restitution: RESTITUTION, density: DENSITY };
    for (spec, id) in specs.iter().zip(0..) {
        let shape = match spec.form {
            Form::Ball(radius) => Shape::ball(radius)?,
            Form::Cuboid(half) => Shape::cuboid(half)?,
            Form::Ground { .. } => Shape::half_space(Vec3::Y)?,
        };
        let body = if spec.dynamic { Body::dynamic(shape) } else { Body::fixed(shape) };
        let body = body.at(spec.position).rotated(spec.rotation).moving(spec.velocity);
        world.add(BodyId(id), body.spinning(spec.spin).material(material))?;
    }
    Ok(world)
}

impl RivalWorld for Ours {
    fn step(&mut self, dt: f32) -> Result<()> {
        self.report = self.world.step(dt)?;
        Ok(())
    }

    fn poses(&self, out: &mut Vec<Pose>) {
        out.clear();
        out.extend((0..self.specs.len() as u32).filter_map(|id| {
            let pose = self.world.pose(BodyId(id))?;
            Some(Pose { position: pose.position, rotation: pose.rotation })
        }));
    }

    /// Sleeping is a rule of a world for all its life: the bodies move to a new one, which has to find their contacts'
    /// impulses again.
    fn allow_sleep(&mut self, allowed: bool) -> Result<()> {
        for (spec, id) in self.specs.iter_mut().zip(0..) {
            let now = self.world.body(BodyId(id)).context("a body is gone")?;
            (spec.position, spec.rotation) = (now.pose.position, now.pose.rotation);
            (spec.velocity, spec.spin) = (now.velocity.linear, now.velocity.angular);
        }
        self.world = fill(&self.specs, allowed, &self.execution)?;
        Ok(())
    }

    fn awake(&self) -> usize {
        self.report.awake
    }

    fn counts(&self) -> Counts {
        Counts { pairs: self.report.pairs, manifolds: self.report.manifolds }
    }

    fn stages(&self) -> Vec<(&'static str, f64)> {
        self.report.stages().map(|(name, time)| (name, time.as_secs_f64() * 1e3)).collect()
    }
}
