//! rapier's whole step, with its default settings.
//!
//! The ground is a half-space. Threads are a pool of the pipeline's own; with one thread that is a pool of one, because
//! one program cannot hold both the parallel and the serial build of a crate.

use anyhow::Result;
use jostle_broad::glam::{Quat, Vec3};
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, Pose as RapierPose, RigidBodyActivation, RigidBodyBuilder,
    RigidBodyHandle, Rotation, SharedShape, Vector,
};

use super::scene::{DENSITY, FRICTION, Form, GRAVITY, RESTITUTION, Scene};
use super::world::{Counts, Engine, Pose, RivalWorld};

/// The entry of the list of engines.
pub const ENGINE: Engine = Engine {
    name: "rapier",
    version: "rapier3d 0.36.1",
    passes: "4 iterations, in each one pass with bias and one without",
    make: |scene, threads| Ok(Box::new(Rapier::new(scene, threads)?)),
};

struct Rapier {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
}

impl Rapier {
    fn new(scene: &Scene, threads: usize) -> Result<Self> {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::Y * -GRAVITY;
        world.physics_pipeline.configure_thread_pool(threads)?;
        world.physics_pipeline.counters.enable();
        let mut handles = Vec::with_capacity(scene.bodies.len());
        for spec in &scene.bodies {
            let builder = if spec.dynamic { RigidBodyBuilder::dynamic() } else { RigidBodyBuilder::fixed() };
            let pose = RapierPose::from_parts(
                Vector::from_array(spec.position.to_array()),
                Rotation::from_array(spec.rotation.to_array()),
            );
            let body = builder
                .pose(pose)
                .linvel(Vector::from_array(spec.velocity.to_array()))
                .angvel(Vector::from_array(spec.spin.to_array()))
                .can_sleep(false)
                .build();
            let collider = match spec.form {
                Form::Ball(radius) => ColliderBuilder::ball(radius),
                Form::Cuboid(half) => ColliderBuilder::cuboid(half.x, half.y, half.z),
                Form::Ground { .. } => ColliderBuilder::new(SharedShape::halfspace(Vector::Y)),
            };
            let collider = collider.density(DENSITY).friction(FRICTION).restitution(RESTITUTION).build();
            let handle = world.bodies.insert(body);
            world.colliders.insert_with_parent(collider, handle, &mut world.bodies);
            handles.push(handle);
        }
        Ok(Self { world, handles })
    }
}

impl RivalWorld for Rapier {
    fn step(&mut self, dt: f32) -> Result<()> {
        self.world.integration_parameters.dt = dt;
        self.world.step();
        Ok(())
    }

    fn poses(&self, out: &mut Vec<Pose>) {
        out.clear();
        out.extend(self.handles.iter().map(|handle| {
            let pose = self.world.bodies[*handle].position();
            Pose {
                position: Vec3::from_array(pose.translation.to_array()),
                rotation: Quat::from_array(pose.rotation.to_array()),
            }
        }));
    }

    fn allow_sleep(&mut self, allowed: bool) -> Result<()> {
        let settings =
            if allowed { RigidBodyActivation::active() } else { RigidBodyActivation::cannot_sleep() };
        for handle in &self.handles {
            let activation = self.world.bodies[*handle].activation_mut();
            activation.normalized_linear_threshold = settings.normalized_linear_threshold;
            activation.angular_threshold = settings.angular_threshold;
        }
        Ok(())
    }

    fn awake(&self) -> usize {
        self.world.islands.num_active_bodies()
    }

    fn counts(&self) -> Counts {
        let pairs = || self.world.narrow_phase.contact_pairs();
        Counts {
            pairs: pairs().count(),
            manifolds: pairs()
                .flat_map(|pair| pair.solver_manifolds())
                .filter(|manifold| manifold.data.num_active_contacts() > 0)
                .count(),
        }
    }

    fn stages(&self) -> Vec<(&'static str, f64)> {
        let counters = &self.world.physics_pipeline.counters;
        let (stages, cd, solver) = (&counters.stages, &counters.cd, &counters.solver);
        vec![
            ("user changes", stages.user_changes.time_ms()),
            ("collision detection", stages.collision_detection_time.time_ms()),
            (" broad phase", cd.broad_phase_time.time_ms()),
            (" final broad phase", cd.final_broad_phase_time.time_ms()),
            (" narrow phase", cd.narrow_phase_time.time_ms()),
            ("island construction", stages.island_construction_time.time_ms()),
            ("constraints collection", stages.island_constraints_collection_time.time_ms()),
            ("solver", stages.solver_time.time_ms()),
            (" assembly", solver.velocity_assembly_time.time_ms()),
            (" resolution", solver.velocity_resolution_time.time_ms()),
            (" update", solver.velocity_update_time.time_ms()),
            (" writeback", solver.velocity_writeback_time.time_ms()),
            ("update", stages.update_time.time_ms()),
            ("continuous detection", stages.ccd_time.time_ms()),
            ("step", counters.step_time.time_ms()),
        ]
    }
}
