//! A finder of one's own is listed, run, verified and timed by every command, and found out when it is wrong.

use std::process::{Command, Output};

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::verify::verify;
use jostle_broad::{Boxes, FindSettings, PairFinder};
use my_finder::SortAndSweep;
use serde_json::Value;

const MINE: &str = env!("CARGO_BIN_EXE_my-finder");
const FORGETFUL: &str = env!("CARGO_BIN_EXE_forgetful");

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

fn text(arguments: &[&str]) -> String {
    let output = run(MINE, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&text(arguments)).unwrap()
}

#[test]
fn the_finder_and_its_program_are_short() {
    let lines =
        include_str!("../src/lib.rs").lines().count() + include_str!("../src/main.rs").lines().count();
    assert!(lines < 60, "{lines} lines");
}

#[test]
fn it_finds_the_true_pairs() {
    let settings = FindSettings { changes: true, ..FindSettings::default() };
    for kind in StreamKind::ALL {
        for n in [0, 1, 700] {
            let mut stream = BoxStream::new(kind, n, 5);
            let mut finder = SortAndSweep::default();
            for _ in 0..4 {
                let boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
                finder.update(&boxes, &settings).unwrap();
                verify(&boxes, finder.pairs().as_slice()).unwrap();
                stream.advance();
            }
        }
    }
}

#[test]
fn it_is_listed() {
    let listed = text(&["finders"]);
    assert!(listed.lines().any(|line| line.starts_with("mine ")), "{listed}");
    assert!(listed.lines().any(|line| line.starts_with("auto ")), "{listed}");
}

#[test]
fn bench_verifies_and_times_it_on_all_streams() {
    let report = json(&["bench", "--stream", "all", "--n", "0,400", "--frames", "5", "--verify", "--json"]);
    let rows = report["results"].as_array().unwrap();
    let mine: Vec<&Value> = rows.iter().filter(|row| row["finder"] == "mine").collect();
    assert_eq!(mine.len(), 2 * StreamKind::ALL.len());
    for row in mine {
        assert_eq!(
            (&row["verified"], &row["verified_frames"]),
            (&Value::Bool(true), &Value::from(5)),
            "{row}"
        );
        assert!(row["median_ms"].as_f64().unwrap() > 0.0, "{row}");
        let stages: Vec<&str> =
            row["stages"].as_array().unwrap().iter().map(|stage| stage["stage"].as_str().unwrap()).collect();
        assert_eq!(stages, ["store", "sort", "sweep", "order"], "{row}");
    }
}

#[test]
fn a_world_with_it_has_the_same_history() {
    let hash = |finder: &str| {
        let asked = ["run", "--scene", "pit", "--bodies", "120", "--frames", "60", "--json", "--finder"];
        json(&asked.iter().chain(&[finder]).copied().collect::<Vec<_>>())["hash"].clone()
    };
    assert!(hash("mine").is_string());
    assert_eq!(hash("mine"), hash("auto"));
}

#[test]
fn promises_can_be_measured_with_it() {
    let asked = ["measure", "order", "--n", "500", "--frames", "3", "--stream", "fast", "--finders", "mine"];
    let output = run(MINE, &asked);
    let said = String::from_utf8_lossy(&output.stdout);
    // Whether it keeps the promise depends on the clock.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("mine"), "{said}");
}

#[test]
fn a_finder_that_loses_a_pair_is_found_out() {
    for verify in [&["--verify"][..], &[]] {
        let asked = ["bench", "--n", "500", "--frames", "4", "--finders", "auto,forgetful"];
        let output = run(FORGETFUL, &asked.iter().chain(verify).copied().collect::<Vec<_>>());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
        assert!(said.contains("forgetful with") && said.contains("frame 2"), "{said}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("WRONG"));
    }
}
