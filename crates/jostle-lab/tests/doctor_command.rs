//! `jostle doctor` end to end; and that every command that lists or writes something tells programs about it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

fn jostle(folder: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_jostle")).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&jostle(folder, arguments)).unwrap()
}

#[test]
fn the_doctor_says_what_is_here_and_what_holds() {
    let folder = TempDir::new().unwrap();
    let report = json(folder.path(), &["doctor", "--json"]);
    assert!(report["machine"]["cores"].as_u64().unwrap() >= 1, "{report}");
    assert!(report["threads"]["gain"].as_f64().unwrap() > 0.0, "{report}");
    let checks = report["checks"].as_array().unwrap();
    assert_eq!(checks.len(), report["machine"]["lanes"].as_array().unwrap().len() + 1, "{report}");
    assert!(checks.iter().all(|check| check["holds"] == Value::Bool(true)), "{report}");
    for tool in report["tools"].as_array().unwrap() {
        for field in ["name", "needed_for", "remedy"] {
            assert!(!tool[field].as_str().unwrap().is_empty(), "{tool}");
        }
    }
    let text = jostle(folder.path(), &["doctor"]);
    for part in ["lanes", "memory", "caches", "threads", "checked here and now", "valgrind", "GPU", "MPI"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn lists_and_files_are_told_to_programs() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let names = |report: &Value| -> Vec<String> {
        report.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_string()).collect()
    };
    let first_words = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split_whitespace().next().unwrap().to_string()).collect()
    };
    assert_eq!(names(&json(at, &["finders", "--json"])), first_words(&jostle(at, &["finders"])));
    // The list of scenes has heads of columns.
    assert_eq!(names(&json(at, &["scenes", "--json"])), first_words(&jostle(at, &["scenes"]))[1..]);
    assert_eq!(json(at, &["finders", "--json"])[0]["size_limit"], 20_000, "of brute force");
    let recorded = json(at, &["record", "--n", "20", "--frames", "3", "--out", "boxes.jbox", "--json"]);
    assert_eq!((&recorded["n"], &recorded["frames"]), (&Value::from(20), &Value::from(3)), "{recorded}");
    let drawn = json(at, &["picture", "--n", "20", "--out", "picture.svg", "--json"]);
    assert_eq!((&drawn["n"], &drawn["file"]), (&Value::from(20), &Value::from("picture.svg")), "{drawn}");
}

#[test]
fn manual_pages_and_completions_are_written() {
    let folder = TempDir::new().unwrap();
    assert!(jostle(folder.path(), &["man", "pages/man1"]).contains("pages"));
    let pages = folder.path().join("pages/man1");
    for name in ["jostle.1", "jostle-bench.1", "jostle-measure-order.1"] {
        assert!(std::fs::read_to_string(pages.join(name)).unwrap().contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(jostle(folder.path(), &["completions", "bash"]).contains("complete -F"));
}
