//! Scene files end to end: those that are right run in every command, and of one that is wrong a single line names the
//! file, the line, the field and the remedy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn jostle(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_jostle")).args(arguments).current_dir(folder).output().unwrap()
}

fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = jostle(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn bad_scene_files() {
    // What the file says, and what is said of it.
    let cases: &[(&str, &[&str])] = &[
        // Not TOML.
        ("objects 10", &["line 1", "jostle scenes NAME"]),
        ("kind = \"room\"\nobjects = ", &["line 2"]),
        ("size = [1, 2", &["line 1"]),
        ("objects = 1\nobjects = 2", &["line 2", "duplicate"]),
        ("type = \"spheres", &["line 1"]),
        // Names.
        ("kind = \"rom\"", &["line 1", "`kind`", "\"rom\"", "did you mean \"room\"?", "\"crowd\""]),
        ("kind = \"zebra\"", &["`kind`", "\"zebra\"", "write \"room\", \"crowd\""]),
        ("kind = 3", &["line 1", "`kind`", "is not a name", "\"room\""]),
        ("\n\nobject = 3", &["line 3", "`object`", "no such field", "did you mean `objects`?"]),
        ("zebra = 3", &["`zebra`", "no such field", "its fields are: cycles, objects"]),
        ("frames = 3", &["`frames`", "no such field"]),
        ("kind = \"crowd\"\ncycles = 3", &["line 2", "`cycles`", "no such field"]),
        ("[size]\nuniform = [1, 2]\n[sizes]", &["line 3", "`sizes`", "did you mean `size`?"]),
        ("type = \"sphere\"", &["`type`", "\"sphere\"", "did you mean \"spheres\"?", "\"cuboids\""]),
        ("type = 7", &["`type`", "7 is not one of its names", "\"spheres\""]),
        ("location = \"\"", &["`location`", "\"constant\""]),
        ("size = { uniforn = [1, 2] }", &["`size`", "`uniforn`", "did you mean `uniform`?"]),
        // Numbers.
        ("objects = 0", &["line 1", "`objects`", "0 is out of range", "from 1 to 100,000,000"]),
        ("objects = -1", &["`objects`", "-1 is out of range"]),
        ("objects = 1.5", &["`objects`", "1.5 is not a whole number"]),
        ("objects = \"10\"", &["`objects`", "\"10\" is not a whole number"]),
        ("objects = 99999999999999999999", &["`objects`", "out of range"]),
        ("cycles = 1000001", &["`cycles`", "1000001 is out of range", "from 1 to 1,000,000"]),
        ("seed = -1", &["`seed`", "-1 is out of range"]),
        ("tries = 4294967296", &["`tries`", "out of range"]),
        ("friction = -0.1", &["`friction`", "-0.1 is out of range", "from 0 to 100"]),
        ("friction = nan", &["`friction`", "nan is not a number"]),
        ("restitution = inf", &["`restitution`", "inf is not a number"]),
        ("restitution = true", &["`restitution`", "true is not a number"]),
        ("kind = \"fall\"\nwalls = 1", &["line 2", "`walls`", "1 is neither true nor false"]),
        ("kind = \"crowd\"\ndimensions = 4", &["`dimensions`", "4 is out of range", "from 2 to 3"]),
        // Distributions.
        ("size = 0", &["`size`", "0 is out of range", "from 0.001"]),
        ("size = -50.0", &["`size`", "-50 is out of range"]),
        ("size = [50, 60]", &["`size`", "a list of 2 is not a number"]),
        ("size = { uniform = [75, 25] }", &["`size`", "the least value is above the greatest"]),
        ("size = { uniform = [25] }", &["`size`", "`uniform` has 1 values instead of two"]),
        ("size = { uniform = 25 }", &["`size`", "one name with a list of two values"]),
        ("size = { uniform = [1, 2], normal = [1, 2] }", &["`size`", "one name with a list"]),
        ("size = { normal = [-1, 2] }", &["`size`", "-1 is out of range"]),
        ("size = { normal = [1, -2] }", &["`size`", "-2 is out of range"]),
        ("size = {}", &["`size`", "uniform = [least, greatest]"]),
        ("mass = \"heavy\"", &["`mass`", "\"heavy\" is not a number"]),
        ("aspect = [1, 2, 3]", &["`aspect`", "a list of 3", "a list of 2 numbers"]),
        ("acceleration = [0, \"down\", 0]", &["`acceleration`", "a list of 3"]),
        ("linear_velocity = 1979-05-27", &["`linear_velocity`", "a date is not a number"]),
        // What does not go together.
        ("kind = \"crowd\"\ndimensions = 2\narrangement = \"line-z\"", &["`arrangement`", "dimensions = 3"]),
        ("kind = \"crowd\"\ndimensions = 2\narrangement = \"layer\"", &["`arrangement`", "\"line-x\""]),
        ("kind = \"boxes\"", &["`file`", "is not there", "jostle record"]),
        ("kind = \"boxes\"\nfile = 3", &["line 2", "`file`", "3 is not the name of a file"]),
        // What only shows when the scene is made.
        ("kind = \"boxes\"\nfile = \"none.jbox\"", &["none.jbox", "cannot be read", "jostle record"]),
        (
            "location = \"uniform\"\nsize = 100\ntries = 100",
            &["no free place in 100 tries", "choose a smaller `size`"],
        ),
        (
            "type = \"bunnies\"\nbunny = \"none.obj\"",
            &["`bunny`", "none.obj", "name a mesh that can be read"],
        ),
        ("objects = 100000000", &["100,000,000 bodies", "memory", "`objects`"]),
    ];
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("case.toml");
    for (text, fragments) in cases {
        fs::write(&file, text).unwrap();
        let output = jostle(folder.path(), &["record", "--scene", "case.toml", "--out", "out.jbox"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{text}: {stderr}");
        for fragment in *fragments {
            assert!(stderr.contains(fragment), "{text}: `{fragment}` is not in: {stderr}");
        }
        assert!(stderr.contains("case.toml"), "{text}: {stderr}");
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["case.toml"], "{text}: left files behind");
    }
}

#[test]
fn files_that_are_no_scene_files() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("bytes.toml"), [0xff, 0xfe, 0]).unwrap();
    fs::write(folder.path().join("long.toml"), "# long\n".repeat(200_000)).unwrap();
    fs::create_dir(folder.path().join("folder.toml")).unwrap();
    for (name, said) in [
        ("bytes.toml", "is not text"),
        ("long.toml", "is longer than a scene file can be"),
        ("folder.toml", "is not a plain file"),
        ("missing.toml", "cannot be read"),
    ] {
        let output = jostle(folder.path(), &["bench", "--scene", name]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.lines().count() == 1 && stderr.contains(name) && stderr.contains(said), "{stderr}");
    }
}

/// What a name stands for and the file it prints are the same scene.
#[test]
fn a_printed_scene_is_the_scene() {
    let folder = TempDir::new().unwrap();
    for name in ["room", "stress-flicker", "004-cubes", "stream-pile", "pit"] {
        fs::write(folder.path().join("mine.toml"), printed(folder.path(), &["scenes", name])).unwrap();
        let record = |scene: &str, out: &str| {
            let asked = ["record", "--scene", scene, "--n", "60", "--frames", "12", "--out", out];
            printed(folder.path(), &asked);
            fs::read(folder.path().join(out)).unwrap()
        };
        assert!(record(name, "a.jbox") == record("mine.toml", "b.jbox"), "{name}");
    }
}

/// A recorded scene has the pairs of the scene, walls, gaps and dimensions included.
#[test]
fn recorded_scenes_have_the_pairs_of_the_scene() {
    let folder = TempDir::new().unwrap();
    for name in ["standard-benchmark", "stress-flicker", "001-flat", "stress-coincident", "broadmark-gravity"]
    {
        let asked = ["--n", "150", "--frames", "20"];
        let with = |first: &[&str]| first.iter().chain(&asked).map(ToString::to_string).collect::<Vec<_>>();
        let run = |arguments: Vec<String>| {
            printed(folder.path(), &arguments.iter().map(String::as_str).collect::<Vec<_>>());
        };
        run(with(&["record", "--scene", name, "--out", "scene.jbox"]));
        run(with(&[
            "bench",
            "--scene",
            name,
            "--verify",
            "--finders",
            "sap,tree,sweep,auto",
            "--dump-pairs",
            "a",
        ]));
        let played = [
            "bench",
            "--boxes",
            "scene.jbox",
            "--verify",
            "--finders",
            "grid,bvh,all-pairs",
            "--dump-pairs",
            "b",
        ];
        printed(folder.path(), &played);
        let (a, b) = (fs::read(folder.path().join("a")).unwrap(), fs::read(folder.path().join("b")).unwrap());
        assert!(a == b && a.len() > 20 * 4, "{name}: {} and {} bytes", a.len(), b.len());
        let as_scene = ["bench", "--scene", "scene.jbox", "--finders", "auto", "--frames", "3"];
        assert!(printed(folder.path(), &as_scene).contains("scene.jbox"));
    }
}

#[test]
fn scenes_are_drawn() {
    let folder = TempDir::new().unwrap();
    for (name, boxes) in [("standard-benchmark", "20 boxes"), ("004-cubes", "20 boxes")] {
        let asked = ["picture", "--scene", name, "--n", "20", "--frame", "5", "--out", "a.svg"];
        assert!(printed(folder.path(), &asked).contains(boxes), "{name}");
        let svg = fs::read_to_string(folder.path().join("a.svg")).unwrap();
        assert!(svg.contains(name) && !svg.contains("NaN") && !svg.contains("inf"), "{name}");
    }
}

/// The example files of the repository.
#[test]
fn example_scenes_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        let file = file.to_str().unwrap();
        let asked =
            ["bench", "--scene", file, "--n", "100", "--frames", "3", "--verify", "--finders", "auto,sap"];
        printed(&folder, &asked);
    }
}
