//! `jostle run` end to end: what it prints, and that neither threads nor finders show in the hash.

use std::process::Command;

use serde_json::Value;

fn jostle(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_jostle")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["run", "--json"].iter().chain(arguments).copied().collect();
    serde_json::from_str(&jostle(&all)).unwrap()
}

/// The names of scenes with a world that `jostle scenes` lists.
fn scenes() -> Vec<String> {
    let list: Value = serde_json::from_str(&jostle(&["scenes", "--json"])).unwrap();
    let worlds = list.as_array().unwrap().iter().filter(|scene| scene["world"] == true);
    worlds.map(|scene| scene["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn json_has_every_field() {
    let report =
        json(&["--bodies", "80", "--frames", "40", "--threads", "2", "--finder", "sweep", "--seed", "3"]);
    let expected =
        [("bodies", 80), ("frames", 40), ("threads", 2), ("seed", 3), ("clamped", 0), ("frozen", 0)];
    for (field, value) in expected {
        assert_eq!(report[field], value, "{field} of {report}");
    }
    assert_eq!((&report["scene"], &report["finder"]), (&Value::from("rain"), &Value::from("sweep")));
    assert_eq!(report["hash"].as_str().unwrap().len(), 16, "{report}");
    for field in ["awake", "pairs", "manifolds", "points"] {
        assert!(report[field].as_u64().unwrap() > 0, "{field} of {report}");
    }
    assert!(report["fps"].as_f64().unwrap() > 0.0 && report["p99_ms"].as_f64() >= report["mean_ms"].as_f64());
    let stages = report["stages"].as_array().unwrap();
    let names: Vec<&str> = stages.iter().map(|stage| stage["stage"].as_str().unwrap()).collect();
    assert_eq!(names, jostle::STAGES);
    let sum = |field: &str| stages.iter().map(|stage| stage[field].as_f64().unwrap()).sum::<f64>();
    assert!((sum("share") - 1.0).abs() < 1e-6, "{report}");
    assert!((sum("mean_ms") / report["mean_ms"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{report}");
}

#[test]
fn threads_and_finders_do_not_show_in_the_hash() {
    let hash = |scene: &str, more: &[&str]| {
        let asked = ["--scene", scene, "--bodies", "150", "--frames", "50"];
        let asked: Vec<&str> = asked.iter().chain(more).copied().collect();
        json(&asked)["hash"].as_str().unwrap().to_string()
    };
    for scene in scenes() {
        let first = hash(&scene, &[]);
        for other in
            [["--threads", "2"], ["--finder", "brute"], ["--finder", "tree"], ["--finder", "auto-work"]]
        {
            assert_eq!(hash(&scene, &other), first, "{scene} {other:?}");
        }
    }
    assert_ne!(hash("rain", &["--seed", "2"]), hash("rain", &[]), "the hash of other bodies is another");
}

#[test]
fn the_table_has_a_line_for_each_stage_and_ends_with_the_hash() {
    let arguments = ["run", "--scene", "pit", "--bodies", "60", "--frames", "30"];
    let text = jostle(&arguments);
    for name in
        jostle::STAGES.iter().chain(&["frame", "60 bodies, 30 frames", "frames a second", "contacts with"])
    {
        assert!(text.contains(name), "{name} in {text}");
    }
    let hash = json(&arguments[1..])["hash"].as_str().unwrap().to_string();
    assert!(text.lines().last().unwrap().contains(&hash), "{hash} in {text}");
}

#[test]
fn every_scene_is_listed_with_what_it_is() {
    let listed = scenes();
    assert!(
        jostle::scenes::all().iter().all(|entry| listed.iter().any(|name| name == entry.name)),
        "{listed:?}"
    );
    let text = jostle(&["scenes"]);
    assert!(jostle::scenes::all().iter().all(|entry| text.contains(entry.summary)), "{text}");
}

#[test]
fn a_recorded_run_is_played_again() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("wall.jrec");
    let name = file.to_str().unwrap();
    let asked = ["--scene", "wall", "--bodies", "30", "--frames", "310", "--record", name];
    let hash = json(&asked)["hash"].as_str().unwrap().to_string();
    let text = jostle(&["replay", name, "--threads", "2", "--finder", "tree"]);
    assert!(text.contains("310 frames") && text.contains(&hash), "{hash} in {text}");

    let failing = |fragment: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_jostle")).args(["replay", name]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(
            said.contains("wall.jrec") && said.contains("run --record") && said.contains(fragment),
            "{fragment} in {said}"
        );
    };
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    failing("whole frames");
    std::fs::write(&file, "").unwrap();
    failing("recording");
    std::fs::remove_file(&file).unwrap();
    failing("cannot be");
}
