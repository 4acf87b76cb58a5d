//! A small scene with a bit of everything, and what happens in it.

// Each test file uses its share.
#![allow(dead_code)]

use jostle::glam::{Quat, Vec3, Vec3Swizzles};
use jostle::{
    AxisLocks, Body, BodyId, Command, Events, Execution, Material, Pose, Shape, StateHash, Velocity, World,
    WorldSettings,
};

pub(crate) const DT: f32 = 1.0 / 60.0;
pub(crate) const FRAMES: u64 = 150;

/// Ids far apart and in no order of the bodies.
pub(crate) fn id(index: u32) -> BodyId {
    BodyId(index.wrapping_mul(2_654_435_761) % 1_000_003)
}

/// Numbers in no order anyone could rely on.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub(crate) fn unit(&mut self) -> f32 {
        self.next() as f32 / (1u64 << 31) as f32
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.next() as usize % (last + 1));
        }
    }
}

const GROUND: u32 = 0;
const MOVER: u32 = 1;
const SENSOR: u32 = 2;
const SLEEPER: u32 = 3;
const LEAVER: u32 = 4;
const STACK: u32 = 10;
const HEAP: u32 = 100;
const LATE: u32 = 200;

/// The bodies it starts with: a stack, a heap to be, a mover that sweeps through, a sensor.
pub(crate) fn bodies() -> Vec<(BodyId, Body)> {
    let cuboid = |half: f32| Shape::cuboid(Vec3::splat(half)).unwrap();
    let ball = |radius: f32| Shape::ball(radius).unwrap();
    let mut list = vec![
        (id(GROUND), Body::fixed(Shape::half_space(Vec3::Y).unwrap())),
        (id(MOVER), Body::kinematic(cuboid(0.4)).at(Vec3::new(-6.0, 0.4, 0.0)).moving(Vec3::X * 2.0)),
        (id(SENSOR), Body::sensor(cuboid(1.0)).at(Vec3::new(1.0, 1.0, 0.0))),
        (id(SLEEPER), Body::dynamic(cuboid(0.5)).at(Vec3::new(-8.0, 0.5, 8.0))),
        (id(LEAVER), Body::dynamic(cuboid(0.5)).at(Vec3::new(8.0, 0.5, 8.0)).user_data(9)),
        (id(LEAVER + 1), Body::dynamic(cuboid(0.5)).at(Vec3::new(8.0, 1.5, 8.0))),
    ];
    for level in 0..5 {
        let at = Vec3::new(8.0, 0.5 + level as f32, 0.0);
        list.push((id(STACK + level), Body::dynamic(cuboid(0.5)).at(at)));
    }
    let mut random = Random(7);
    for index in 0..60 {
        let size = 0.2 + 0.2 * random.unit();
        let body = match index % 4 {
            0 => Body::dynamic(ball(0.3)).material(Material::default().with_restitution(0.5)),
            1 => Body::dynamic(cuboid(0.25)),
            2 => Body::dynamic(cuboid(size)).damping(0.1, 0.1).lock(AxisLocks::PLANE_XY),
            _ => Body::dynamic(ball(0.2)).with_shape_at(cuboid(0.15), Pose::at(Vec3::X * 0.25)),
        };
        let at = Vec3::new((index % 4) as f32, 1.0 + (index / 16) as f32, (index / 4 % 4) as f32) * 0.75;
        let turn = Quat::from_xyzw(random.unit(), random.unit(), random.unit(), 1.0).normalize();
        list.push((id(HEAP + index), body.at(at).rotated(turn).user_data(u64::from(index))));
    }
    list
}

/// What is commanded before a step, `frame` steps being done.
pub(crate) fn commands(frame: u64) -> Vec<(BodyId, Command)> {
    let add = |body: Body| Command::Add(body.into());
    match frame {
        0 => bodies().into_iter().map(|(id, body)| (id, add(body))).collect(),
        2 => vec![(id(SLEEPER), Command::Sleep)],
        20 => (0..8)
            .flat_map(|index| {
                let body = id(HEAP + index);
                let push = Vec3::new(0.0, 40.0, 7.0 - index as f32);
                [
                    (body, Command::Impulse { impulse: push, point: None }),
                    (body, Command::Impulse { impulse: push.zxy(), point: Some(Vec3::ONE) }),
                    (body, Command::Force { force: push * 3.0, point: None }),
                    (body, Command::Force { force: push.yzx(), point: Some(Vec3::X) }),
                    (body, Command::Torque(push)),
                    (body, Command::AngularImpulse(push * 0.01)),
                    (body, Command::SetUserData(77 + u64::from(index))),
                ]
            })
            .collect(),
        // From under the one above it, after both fell asleep.
        70 => vec![(id(LEAVER), Command::Remove), (id(MOVER), Command::SetVelocity(Velocity::ZERO))],
        75 => vec![
            (id(LEAVER), add(Body::dynamic(Shape::ball(0.4).unwrap()).at(Vec3::new(-7.6, 4.0, 8.0)))),
            (id(LATE), add(Body::dynamic(Shape::ball(0.6).unwrap()).at(Vec3::new(8.2, 7.0, 0.1)))),
        ],
        90 => vec![
            (id(HEAP + 9), Command::Teleport(Pose::at(Vec3::new(8.0, 3.0, 8.0)))),
            (id(HEAP + 10), Command::Wake),
            (id(MOVER), Command::SetVelocity(Velocity { linear: Vec3::X * -3.0, angular: Vec3::Y })),
        ],
        _ => Vec::new(),
    }
}

/// What a run looks like from outside, step by step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace(pub(crate) Vec<(StateHash, Events)>);

pub(crate) fn execution(threads: usize, finder: &str, lanes: jostle::broad::Lanes) -> Execution {
    Execution { threads, finder: finder.to_string(), lanes }
}

pub(crate) fn world(execution: &Execution) -> World {
    World::with_execution(WorldSettings::default(), execution).unwrap()
}

/// Steps to a frame by the script, the commands of each frame arranged by `arrange`.
pub(crate) fn run_arranged(
    world: &mut World,
    until: u64,
    mut arrange: impl FnMut(&mut Vec<(BodyId, Command)>),
) -> Trace {
    let mut trace = Vec::new();
    while world.frame() < until {
        let mut list = commands(world.frame());
        arrange(&mut list);
        for (id, command) in list {
            world.command(id, command).unwrap();
        }
        world.step(DT).unwrap();
        trace.push((world.state_hash(), world.events().clone()));
    }
    Trace(trace)
}

pub(crate) fn run(world: &mut World, until: u64) -> Trace {
    run_arranged(world, until, |_| {})
}

impl Trace {
    /// Fails with the first frame that differs.
    pub(crate) fn assert_is(&self, expected: &Self, what: &str) {
        assert_eq!(self.0.len(), expected.0.len(), "{what}");
        for (frame, (this, other)) in self.0.iter().zip(&expected.0).enumerate() {
            assert_eq!(this.0, other.0, "{what}: state {frame} steps on");
            assert_eq!(this.1, other.1, "{what}: events {frame} steps on");
        }
    }

    /// The rest of it, from a frame on.
    pub(crate) fn from(&self, frame: u64) -> Self {
        Self(self.0[frame as usize..].to_vec())
    }
}
