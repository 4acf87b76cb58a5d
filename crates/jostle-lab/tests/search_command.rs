//! `jostle experiment search` end to end: it finds the same in every run, goes on after an interruption, and shows its path.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn jostle(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_jostle")).args(arguments).current_dir(folder).output().unwrap()
}

const POINTS: usize = 12;

fn search(folder: &Path, out: &str) -> String {
    let asked = ["experiment", "search", "--finders", "sap,sweep", "--frames", "6", "--points", "12"];
    let more = ["--vary", "objects=20..120,size=20..60", "--out", out];
    let output = jostle(folder, &asked.iter().chain(&more).copied().collect::<Vec<_>>());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The samples of all points, without those that depend on the clock.
fn samples(folder: &Path) -> Vec<String> {
    let cell =
        |index: usize| fs::read_to_string(folder.join(format!("cells/point-{:04}.csv", index + 1))).unwrap();
    let lines = (0..POINTS).flat_map(|index| cell(index).lines().map(str::to_string).collect::<Vec<_>>());
    lines.filter(|line| !line.contains(",ms,")).collect()
}

/// The part of the summary that says where the search went.
fn path(summary: &str) -> &str {
    let from = summary.find("== The path").unwrap();
    &summary[from..from + summary[from..].find("\nstudy: ").unwrap()]
}

#[test]
fn a_search_repeats_and_goes_on_after_an_interruption() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let first = search(at, "first");
    assert!(path(&first).contains("objects = 70, size = 40"), "it begins in the middle: {first}");
    assert!(path(&first).contains("Step by step") && path(&first).contains("Every point"), "{first}");
    assert!(first.contains("AGREES") && first.contains("12 points were measured"), "{first}");
    let second = search(at, "second");
    assert_eq!(path(&first), path(&second));
    assert_eq!(samples(&at.join("first")), samples(&at.join("second")));

    // As Ctrl-C leaves it: the last points are not there.
    for index in 7..POINTS {
        fs::remove_file(at.join(format!("second/cells/point-{:04}.csv", index + 1))).unwrap();
    }
    assert_eq!(path(&search(at, "second")), path(&first));
    assert_eq!(samples(&at.join("first")), samples(&at.join("second")));

    let again = jostle(at, &["report", "second"]);
    assert_eq!(path(&String::from_utf8(again.stdout).unwrap()), path(&first));
    let report = fs::read_to_string(at.join("first/report.html")).unwrap();
    assert!(report.contains("Where sap is at its worst") && report.contains("<svg"), "no plots");
}

#[test]
fn what_is_kept_costs_more_than_all_that_was_measured() {
    let folder = TempDir::new().unwrap();
    let asked = ["experiment", "search", "--scene", "pile", "--vary", "objects=50..400", "--frames", "4"];
    let more = ["--finders", "all-pairs", "--points", "9", "--out", "pile"];
    let output = jostle(folder.path(), &asked.iter().chain(&more).copied().collect::<Vec<_>>());
    let text = String::from_utf8(output.stdout).unwrap();
    // All pairs of n boxes are n (n - 1) / 2 tests: the worst is the end of the range.
    assert!(path(&text).contains("objects = 400  79,800"), "{text}");
}

#[test]
fn a_scene_file_that_was_edited_is_not_mixed_in() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    fs::write(at.join("body.obj"), mesh).unwrap();
    let room = "kind = \"room\"\nobjects = 20\nbunny = \"body.obj\"\n";
    fs::write(at.join("mine.toml"), room).unwrap();
    let asked =
        ["experiment", "search", "--scene", "mine.toml", "--vary", "objects=10..30", "--finders", "sap"];
    let asked: Vec<&str> =
        asked.into_iter().chain(["--frames", "3", "--points", "3", "--out", "a"]).collect();
    let first = jostle(at, &asked);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert_eq!(jostle(at, &asked).stdout, first.stdout, "the same file goes on");
    assert_eq!(fs::read_to_string(at.join("a/scenes/mine.toml")).unwrap(), room);

    for (file, before, after) in
        [("mine.toml", room, format!("{room}friction = 0.1\n")), ("body.obj", mesh, format!("{mesh}\n"))]
    {
        fs::write(at.join(file), after).unwrap();
        let output = jostle(at, &asked);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(said.contains(&format!("another file {file}")) && said.contains("--fresh"), "{said}");
        assert!(output.stdout.is_empty());
        fs::write(at.join(file), before).unwrap();
    }
    // The report needs what is in its folder, and nothing else.
    fs::remove_file(at.join("mine.toml")).unwrap();
    assert_eq!(jostle(at, &["report", "a"]).stdout, first.stdout);
    let output = jostle(at, &asked);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    assert!(said.contains("mine.toml: cannot be read"), "{said}");
}

#[test]
fn bad_searches_are_refused_and_nothing_is_written() {
    let table: [(&[&str], &str); 8] = [
        (&["--vary", "colour=1..2"], "there are: objects"),
        (&["--vary", "size"], "--vary"),
        (&["--vary", "size=9..1"], "is empty"),
        (&["--vary", "objects=100..100000", "--finders", "brute"], "takes at most"),
        (&["--scene", "nowhere"], "--scene"),
        (&["--finders", "sap,sweep,tree"], "--finders"),
        (&["--points", "1"], "--points"),
        (&["--values", "2"], "--values"),
    ];
    let folder = TempDir::new().unwrap();
    let refused = |arguments: &[&str], fragment: &str| {
        let output = jostle(folder.path(), arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{arguments:?}: {said}");
        assert!(said.contains(fragment), "{fragment} in {said}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?} wrote something");
    };
    for (more, fragment) in table {
        refused(&["experiment", "search"].iter().chain(more).copied().collect::<Vec<_>>(), fragment);
    }
    refused(&["experiment", "finders", "--best"], "--best is an option of the study `search`");
}
