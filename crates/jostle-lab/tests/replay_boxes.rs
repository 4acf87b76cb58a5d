//! `jostle replay --boxes`: what a world's finder saw becomes a file that any finder can be run on.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_jostle"))
        .args(arguments)
        .arg("--json")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn boxes_of_a_recorded_world_have_its_pairs() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    for scene in ["rain", "pit", "wall", "gas"] {
        let run = json(
            at,
            &["run", "--scene", scene, "--bodies", "60", "--frames", "50", "--record", "world.jrec"],
        );
        let finder = if scene == "pit" { "tree" } else { "auto" };
        let replay = json(at, &["replay", "world.jrec", "--boxes", "world.jbox", "--finder", finder]);
        assert_eq!((&replay["hash"], &replay["frames"]), (&run["hash"], &Value::from(50)), "{scene}");
        let furniture = run["furniture"].as_u64().unwrap();
        let n = run["bodies"].as_u64().unwrap() + furniture;
        assert_eq!(replay["boxes"], serde_json::json!({"file": "world.jbox", "n": n, "frames": 50}));

        let bench = json(at, &["bench", "--boxes", "world.jbox", "--verify"]);
        for row in bench["results"].as_array().unwrap() {
            assert_eq!((&row["n"], &row["frames"]), (&Value::from(n), &Value::from(50)), "{scene}");
            assert_eq!(row["verified"], Value::Bool(true), "{scene}: {row}");
            let pairs = row["pairs"].as_u64().unwrap();
            let of_world = run["pairs"].as_u64().unwrap();
            // Fixed bodies pair with each other in a file of boxes, and never in a world.
            let most = of_world + furniture * furniture.saturating_sub(1) / 2;
            assert!((of_world..=most).contains(&pairs), "{scene}: {pairs} pairs, the world had {of_world}");
        }
    }
}

#[test]
fn nothing_is_written_when_a_replay_fails() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("bad.jrec"), "not a recording").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_jostle"))
        .args(["replay", "bad.jrec", "--boxes", "out.jbox"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "only the bad recording is there");
}
