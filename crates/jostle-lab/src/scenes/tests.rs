//! Scene files: those of all names can be read back, and `docs/scenes.md` knows every field.

use super::fields::{Field, Visit};
use super::*;

#[test]
fn an_empty_file_is_the_room_with_its_defaults() {
    assert_eq!(SceneSpec::from_toml("").unwrap(), Room::default().into());
    assert_eq!(SceneSpec::from_toml("kind = \"room\"").unwrap(), Room::default().into());
}

#[test]
fn all_named_scenes_can_be_written_and_read_back() {
    for scene in named::all() {
        let text = scene.spec.to_toml().unwrap();
        let again = SceneSpec::from_toml(&text).unwrap_or_else(|error| panic!("{error:#}\n{text}"));
        assert_eq!(again, scene.spec, "{}:\n{text}", scene.name);
    }
    let mut names: Vec<_> = named::all().into_iter().map(|scene| scene.name).collect();
    names.sort();
    assert!(names.windows(2).all(|two| two[0] != two[1]), "every name stands for one scene: {names:?}");
}

#[test]
fn the_example_file_is_the_standard_benchmark() {
    let Some(root) = repository() else { return };
    let path = root.join("scenes/standard-benchmark.toml");
    assert_eq!(SceneSpec::from_file(&path).unwrap(), Room::standard(500).into());
}

#[test]
fn values_may_be_written_in_several_ways() {
    let room = |text: &str| match SceneSpec::from_toml(text) {
        Ok(SceneSpec::Room(room)) => *room,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(room("size = 25").size, Distribution::constant(25.0));
    assert_eq!(room("size = { uniform = [25, 75.0] }").size, Distribution::uniform(25.0, 75.0));
    assert_eq!(room("[size]\nnormal = [50, 10]").size, Distribution::normal(50.0, 10.0));
    assert_eq!(room("seed = 0xAAAA_AAAA").seed, 0xAAAA_AAAA);
    assert_eq!(room("objects = 1_000").objects, 1000);
    assert_eq!(room("acceleration = 0").acceleration, Distribution::constant(0.0));
    assert_eq!(room("acceleration = [1, 2, 3]").acceleration, Distribution::Constant([1.0, 2.0, 3.0]));
    let aspect = Distribution::Uniform([0.5, 0.5], [1.5, 2.5]);
    assert_eq!(room("aspect = { uniform = [0.5, [1.5, 2.5]] }").aspect, aspect);
}

#[test]
fn scenes_can_be_changed() {
    for scene in named::all() {
        let spec = scene.spec.with_frames(7).with_objects(33).unwrap().with_seed(5).unwrap();
        assert_eq!((spec.frames(), spec.objects(), spec.seed()), (7, 33, 5), "{}", scene.name);
    }
    let file = SceneSpec::Boxes(Boxes::default());
    assert!(file.clone().with_objects(3).is_err() && file.with_seed(3).is_err());
}

/// Every named scene, small: its frames are the same twice, and what it says of itself is so.
#[test]
fn all_named_scenes_bake_and_play_twice() {
    let watch = Watch::alone(&|_| {}, &|| false);
    for scene in named::all() {
        let spec = scene.spec.with_frames(3).with_objects(40).unwrap();
        let baked = spec.bake(1, &watch).unwrap_or_else(|error| panic!("{}: {error:#}", scene.name));
        assert_eq!(baked.frames, 3);
        assert_eq!(baked.contacts.len(), if spec.has_world() { 3 } else { 0 }, "{}", scene.name);
        assert_eq!(baked.stage("find_contacts").len(), baked.contacts.len());
        let (mut a, mut b) = (baked.play().unwrap(), baked.play().unwrap());
        for frame in 0..3 {
            if frame > 0 {
                a.advance().unwrap();
                b.advance().unwrap();
            }
            assert_eq!(a.boxes().len(), baked.boxes(), "{}", scene.name);
            assert_eq!(a.boxes(), b.boxes(), "{} frame {frame}", scene.name);
        }
    }
}

/// The folder of the repository; a package that was published alone has none around it.
fn repository() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("rustfmt.toml").exists().then_some(root)
}

/// One row of the tables of `docs/scenes.md` for each field.
struct Rows(Vec<String>);

impl Visit for Rows {
    fn field(&mut self, name: &'static str, about: &'static str, field: &mut dyn Field) -> Result<()> {
        self.0.push(format!("| `{name}` | `{}` | {} | {about} |", field.write(), field.range()));
        Ok(())
    }
}

#[test]
fn the_documentation_has_every_field() {
    let Some(root) = repository() else { return };
    let document = std::fs::read_to_string(root.join("docs/scenes.md")).unwrap();
    let kinds: [SceneSpec; 6] = [
        Room::default().into(),
        Crowd::default().into(),
        SceneSpec::Fall(Fall::default()),
        SceneSpec::Stream(Stream::default()),
        SceneSpec::World(World::default()),
        SceneSpec::Boxes(Boxes::default()),
    ];
    let mut rows = Rows(Vec::new());
    for mut kind in kinds {
        kind.fields(&mut rows).unwrap();
    }
    let missing: Vec<_> = rows.0.iter().filter(|row| !document.contains(&***row)).cloned().collect();
    assert!(missing.is_empty(), "docs/scenes.md lacks these rows:\n{}", missing.join("\n"));
    for scene in named::all() {
        assert!(document.contains(&format!("`{}`", scene.name)), "docs/scenes.md lacks `{}`", scene.name);
    }
}
