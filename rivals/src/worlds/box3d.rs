//! Box3D's whole step: default settings, four substeps, its own scheduler where there are several threads.
//!
//! It has no half-spaces: the ground is a box as wide as the scene says, with its top at the origin.

use anyhow::{Result, ensure};
use box3d_sys::*;
use jostle_broad::glam::{Quat, Vec3};

use super::scene::{DENSITY, FRICTION, Form, GRAVITY, RESTITUTION, Scene};
use super::world::{Counts, Engine, Pose, RivalWorld};

/// The entry of the list of engines.
pub const ENGINE: Engine = Engine {
    name: "box3d",
    version: "Box3D 0.1.0 (box3d-sys 0.1.16)",
    passes: "4 substeps, in each one pass with bias and one without",
    make: |scene, threads| Ok(Box::new(Box3d::new(scene, threads)?)),
};

/// As its documentation advises.
const SUBSTEPS: i32 = 4;
/// Half the height of the box that is the ground.
const GROUND_DEPTH: f32 = 5.0;

struct Box3d {
    world: b3WorldId,
    ids: Vec<b3BodyId>,
    /// From the origin of a body of Box3D to that of the scene.
    lifts: Vec<f32>,
}

fn vector(v: Vec3) -> b3Vec3 {
    b3Vec3 { x: v.x, y: v.y, z: v.z }
}

impl Box3d {
    fn new(scene: &Scene, threads: usize) -> Result<Self> {
        ensure!(threads <= 32, "Box3D has at most 32 workers; choose fewer threads");
        // SAFETY: plain constructors, given definitions that the library made itself; ids are of this world.
        unsafe {
            let mut definition = b3DefaultWorldDef();
            definition.gravity = vector(Vec3::Y * -GRAVITY);
            definition.enableSleep = false;
            definition.workerCount = threads as u32;
            let mut made = Self { world: b3CreateWorld(&definition), ids: Vec::new(), lifts: Vec::new() };
            ensure!(b3World_IsValid(made.world), "Box3D made no world: 128 at a time is its limit");
            for spec in &scene.bodies {
                let lift = if matches!(spec.form, Form::Ground { .. }) { GROUND_DEPTH } else { 0.0 };
                let mut body = b3DefaultBodyDef();
                if spec.dynamic {
                    body.type_ = b3BodyType_b3_dynamicBody;
                }
                body.position = vector(spec.position - Vec3::Y * lift);
                let q = spec.rotation;
                body.rotation = b3Quat { v: b3Vec3 { x: q.x, y: q.y, z: q.z }, s: q.w };
                body.linearVelocity = vector(spec.velocity);
                body.angularVelocity = vector(spec.spin);
                let id = b3CreateBody(made.world, &body);
                let mut shape = b3DefaultShapeDef();
                shape.density = DENSITY;
                shape.baseMaterial.friction = FRICTION;
                shape.baseMaterial.restitution = RESTITUTION;
                match spec.form {
                    Form::Ball(radius) => {
                        b3CreateSphereShape(id, &shape, &b3Sphere { center: vector(Vec3::ZERO), radius });
                    }
                    Form::Cuboid(half) => {
                        let hull = b3MakeBoxHull(half.x, half.y, half.z);
                        b3CreateHullShape(id, &shape, &raw const hull.base);
                    }
                    Form::Ground { reach } => {
                        let hull = b3MakeBoxHull(reach, GROUND_DEPTH, reach);
                        b3CreateHullShape(id, &shape, &raw const hull.base);
                    }
                }
                made.ids.push(id);
                made.lifts.push(lift);
            }
            Ok(made)
        }
    }
}

impl Drop for Box3d {
    fn drop(&mut self) {
        // SAFETY: made in `new` and destroyed once.
        unsafe { b3DestroyWorld(self.world) }
    }
}

impl RivalWorld for Box3d {
    fn step(&mut self, dt: f32) -> Result<()> {
        // SAFETY: the world is alive.
        unsafe { b3World_Step(self.world, dt, SUBSTEPS) }
        Ok(())
    }

    fn poses(&self, out: &mut Vec<Pose>) {
        out.clear();
        out.extend(self.ids.iter().zip(&self.lifts).map(|(id, lift)| {
            // SAFETY: the body is one of this world.
            let (p, q) = unsafe { (b3Body_GetPosition(*id), b3Body_GetRotation(*id)) };
            Pose {
                position: Vec3::new(p.x, p.y + lift, p.z),
                rotation: Quat::from_xyzw(q.v.x, q.v.y, q.v.z, q.s),
            }
        }));
    }

    fn allow_sleep(&mut self, allowed: bool) -> Result<()> {
        // SAFETY: the world is alive.
        unsafe { b3World_EnableSleeping(self.world, allowed) }
        Ok(())
    }

    fn awake(&self) -> usize {
        // SAFETY: the world is alive.
        unsafe { b3World_GetAwakeBodyCount(self.world) as usize }
    }

    fn counts(&self) -> Counts {
        // SAFETY: the world is alive.
        let counters = unsafe { b3World_GetCounters(self.world) };
        // Its histogram of awake contacts by how many manifolds they have starts with one.
        let manifolds: i32 = counters.manifoldCounts.iter().zip(1..).map(|(count, each)| count * each).sum();
        Counts { pairs: counters.contactCount as usize, manifolds: manifolds as usize }
    }

    fn stages(&self) -> Vec<(&'static str, f64)> {
        // SAFETY: the world is alive.
        let profile = unsafe { b3World_GetProfile(self.world) };
        [
            ("pairs", profile.pairs),
            ("collide", profile.collide),
            ("solve", profile.solve),
            (" solver setup", profile.solverSetup),
            (" constraints", profile.constraints),
            ("  prepare", profile.prepareConstraints),
            ("  integrate velocities", profile.integrateVelocities),
            ("  warm start", profile.warmStart),
            ("  solve impulses", profile.solveImpulses),
            ("  integrate positions", profile.integratePositions),
            ("  relax impulses", profile.relaxImpulses),
            ("  restitution", profile.applyRestitution),
            ("  store impulses", profile.storeImpulses),
            (" split islands", profile.splitIslands),
            (" transforms", profile.transforms),
            (" refit", profile.refit),
            (" bullets", profile.bullets),
            (" sleep islands", profile.sleepIslands),
            ("step", profile.step),
        ]
        .map(|(name, time)| (name, f64::from(time)))
        .to_vec()
    }
}
