//! The scene of a search, and how a parameter of it is set by name.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use jostle_broad::scene::StreamKind;

use super::plan::{Parameter, Point};
use crate::experiment::SceneFile;
use crate::scenes::command::{Changed, chosen};
use crate::scenes::{Distribution, ObjectType, Room, SceneSpec, Stream};

/// What can be varied.
const OF_ROOM: [&str; 9] = [
    "objects",
    "size",
    "mass",
    "aspect",
    "acceleration",
    "linear_velocity",
    "angular_velocity",
    "friction",
    "restitution",
];
const OF_OTHERS: [&str; 1] = ["objects"];
const USUAL_OBJECTS: usize = 200;
/// A room in which an object has found no place after so many tries is full. Fewer than a study allows itself: full
/// rooms are an answer here.
const TRIES: u32 = 10_000;

/// The scene a search begins with.
pub(super) fn base(name: &str, frames: u32, seed: u64) -> Result<SceneSpec> {
    if name == "room" {
        // Spheres, because concave bodies say little about boxes and take long.
        let room = Room {
            kind: ObjectType::Spheres,
            cycles: frames,
            seed,
            tries: TRIES,
            ..Room::standard(USUAL_OBJECTS)
        };
        return Ok(room.into());
    }
    if let Ok(stream) = name.parse::<StreamKind>() {
        return Ok(SceneSpec::Stream(Stream { stream, objects: USUAL_OBJECTS, frames, seed }));
    }
    let (_, spec) = chosen(name, Changed { objects: None, frames: Some(frames), seed: Some(seed) })?;
    if !matches!(spec, SceneSpec::Room(_) | SceneSpec::Stream(_) | SceneSpec::World(_)) {
        bail!("--scene: `{name}` has no parameters to search; choose a room, a stream of boxes or a world");
    }
    Ok(spec)
}

/// What the scene is made from, if it is a file: the file itself, and of each mesh it names a hash.
pub(super) fn files(name: &str, spec: &SceneSpec) -> Result<Vec<SceneFile>> {
    let path = Path::new(name);
    if path.extension().is_none_or(|end| end != "toml") {
        return Ok(Vec::new());
    }
    let called = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let remedy = "name a file that is there and yours";
    let read = |path: &Path| {
        fs::read(path).with_context(|| format!("--scene: {}: cannot be read; {remedy}", path.display()))
    };
    let mut files =
        vec![SceneFile { name: called(path), text: String::from_utf8_lossy(&read(path)?).into_owned() }];
    for mesh in spec.meshes() {
        files.push(SceneFile {
            name: format!("{}.hash", called(mesh)),
            text: format!("{:016x}\n", fnv(&read(mesh)?)),
        });
    }
    Ok(files)
}

/// The FNV-1a hash: that of the standard library may be another one with its next version.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Do the parameters belong to the scene?
pub(super) fn check(spec: &SceneSpec, parameters: &[Parameter]) -> Result<()> {
    let known: &[&str] = if matches!(spec, SceneSpec::Room(_)) { &OF_ROOM } else { &OF_OTHERS };
    for parameter in parameters {
        let name = parameter.name.as_str();
        if !known.contains(&name) {
            bail!(
                "--vary: `{name}` is no parameter of the scene `{}`; there are: {}",
                spec.name(),
                known.join(", ")
            );
        }
        let least = match name {
            "objects" | "size" | "mass" | "aspect" => f64::MIN_POSITIVE,
            _ => 0.0,
        };
        if parameter.low < least {
            bail!("--vary: `{name}` cannot be as low as {}; choose a higher end", parameter.low);
        }
        if name == "objects" && !parameter.whole {
            bail!("--vary: `objects` are counted; write its ends without a decimal point");
        }
        if name == "restitution" && parameter.high > 1.0 {
            bail!("--vary: `restitution` is at most 1");
        }
    }
    Ok(())
}

/// The scene with these values.
pub(super) fn at(mut spec: SceneSpec, parameters: &[Parameter], point: &Point) -> SceneSpec {
    for (parameter, &value) in parameters.iter().zip(point) {
        set(&mut spec, &parameter.name, value);
    }
    spec
}

fn set(spec: &mut SceneSpec, name: &str, value: f64) {
    let objects = value as usize;
    match spec {
        SceneSpec::Room(room) => match name {
            "size" => room.size = scaled(room.size, value),
            "mass" => room.mass = scaled(room.mass, value),
            "aspect" => room.aspect = scaled(room.aspect, value),
            "acceleration" => room.acceleration = scaled(room.acceleration, value),
            "linear_velocity" => room.linear_velocity = scaled(room.linear_velocity, value),
            "angular_velocity" => room.angular_velocity = scaled(room.angular_velocity, value),
            "friction" => room.friction = value,
            "restitution" => room.restitution = value,
            _ => room.objects = objects,
        },
        SceneSpec::Stream(stream) => stream.objects = objects,
        SceneSpec::World(world) => world.objects = objects,
        _ => {}
    }
}

/// The same spread, larger or smaller: the greatest of its numbers becomes this one. Of zeros all become it.
fn scaled<const N: usize>(spread: Distribution<N>, greatest: f64) -> Distribution<N> {
    let (first, second) = match spread {
        Distribution::Constant(first) => (first, [0.0; N]),
        Distribution::Uniform(first, second) | Distribution::Normal(first, second) => (first, second),
    };
    let now = first.iter().chain(&second).fold(0.0_f64, |most, number| most.max(number.abs()));
    if now == 0.0 {
        return Distribution::constant(greatest);
    }
    let scale = |numbers: [f64; N]| numbers.map(|number| number * greatest / now);
    match spread {
        Distribution::Constant(_) => Distribution::Constant(scale(first)),
        Distribution::Uniform(..) => Distribution::Uniform(scale(first), scale(second)),
        Distribution::Normal(..) => Distribution::Normal(scale(first), scale(second)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(texts: &[&str]) -> Vec<Parameter> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn parameters_are_set_by_name() {
        let vary: Vec<String> = OF_ROOM.iter().map(|name| format!("{name}=1..9")).collect();
        let mut parameters = parameters(&vary.iter().map(String::as_str).collect::<Vec<_>>());
        parameters[8].high = 1.0;
        let base = base("room", 10, 3).unwrap();
        check(&base, &parameters).unwrap();
        let point: Point = (1..=9).map(f64::from).collect();
        let SceneSpec::Room(room) = at(base, &parameters, &point) else { panic!("no room") };
        assert_eq!((room.objects, room.cycles, room.seed), (1, 10, 3));
        assert_eq!(room.size, Distribution::uniform(1.0, 2.0));
        assert_eq!(room.mass, Distribution::constant(3.0));
        assert_eq!(room.acceleration, Distribution::constant(5.0));
        assert_eq!(room.linear_velocity, Distribution::uniform(-6.0, 6.0));
        assert_eq!((room.friction, room.restitution), (8.0, 9.0));
        let tilted = scaled(Distribution::Normal([0.0, -10.0], [5.0, 0.0]), 20.0);
        assert_eq!(tilted, Distribution::Normal([0.0, -20.0], [10.0, 0.0]));
    }

    #[test]
    fn what_the_scene_does_not_have_is_refused() {
        let table = [
            ("room", "colour=1..2", "there are: objects, size"),
            ("room", "objects=1.5..9", "without a decimal point"),
            ("room", "size=0..9", "cannot be as low"),
            ("room", "restitution=0.0..2.0", "at most 1"),
            ("pile", "size=1..2", "there are: objects"),
            ("rain", "mass=1..2", "there are: objects"),
        ];
        for (scene, vary, fragment) in table {
            let error = check(&base(scene, 1, 1).unwrap(), &parameters(&[vary])).unwrap_err().to_string();
            assert!(error.starts_with("--vary: ") && error.contains(fragment), "{error}");
        }
        assert!(format!("{:#}", base("nowhere", 1, 1).unwrap_err()).starts_with("--scene: "));
    }
}
