//! Ctrl-C: long work ends with what it has.
//!
//! A command that can be stopped starts to listen before it starts its output file, so that file says when a test may
//! press Ctrl-C; nothing here depends on the clock.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Starts a command that would take hours, presses Ctrl-C when it has begun to write into the folder, and gives what it
/// left.
fn stopped(folder: &Path, arguments: &[&str]) -> Output {
    stopped_once(folder, arguments, || std::fs::read_dir(folder).unwrap().next().is_some())
}

/// The same as soon as something is so.
fn stopped_once(folder: &Path, arguments: &[&str], begun: impl Fn() -> bool) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_jostle"))
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !begun() {
        assert!(child.try_wait().unwrap().is_none(), "{arguments:?} ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    child.wait_with_output().unwrap()
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn checked(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.lines().any(|line| line.starts_with("jostle: stopped by Ctrl-C after")), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["stopped"], Value::Bool(true), "{report}");
    report
}

#[test]
fn a_run_ends_with_what_it_has() {
    let folder = TempDir::new().unwrap();
    let asked = ["run", "--bodies", "50", "--frames", "1000000", "--record", "rain.jrec", "--json"];
    let report = checked(&stopped(folder.path(), &asked));
    let frames = report["frames"].as_u64().unwrap();
    assert!((1..1_000_000).contains(&frames), "{report}");
    let again = Command::new(env!("CARGO_BIN_EXE_jostle"))
        .args(["replay", "rain.jrec"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(again.stdout).unwrap();
    assert!(again.status.success() && text.contains(report["hash"].as_str().unwrap()), "{text}");
}

#[test]
fn a_bench_ends_with_what_it_has() {
    let folder = TempDir::new().unwrap();
    let asked = ["bench", "--n", "300", "--frames", "1000000", "--finders", "sweep,brute", "--verify"];
    let asked: Vec<&str> = asked.iter().chain(&["--dump-pairs", "pairs.bin", "--json"]).copied().collect();
    let report = checked(&stopped(folder.path(), &asked));
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{report}");
    let frames = results[0]["frames"].as_u64().unwrap();
    assert!((1..1_000_000).contains(&frames), "{report}");
    for row in results {
        assert_eq!((row["frames"].as_u64(), row["verified_frames"].as_u64()), (Some(frames), Some(frames)));
        assert_eq!(row["verified"], Value::Bool(true), "{row}");
    }
    let pairs = std::fs::read(folder.path().join("pairs.bin")).unwrap();
    let (mut rest, mut counted) = (pairs.as_slice(), 0);
    while let Some((count, more)) = rest.split_first_chunk::<4>() {
        rest = &more[8 * u32::from_le_bytes(*count) as usize..];
        counted += 1;
    }
    assert_eq!(counted, frames, "the pairs of every frame that was run, and no part of another");
}

/// Of what is not shown in parts: nothing is left.
#[test]
fn half_a_file_is_not_left() {
    let cases: [&[&str]; 2] = [
        &["record", "--n", "100", "--frames", "1000000", "--out", "a.jbox"],
        // Ends while its paths are made.
        &["bench", "--scene", "pit", "--n", "5", "--frames", "1000000", "--report", "page.html"],
    ];
    for arguments in cases {
        let folder = TempDir::new().unwrap();
        let output = stopped(folder.path(), arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{arguments:?}: {said}");
        assert!(said.lines().any(|line| line.starts_with("jostle: stopped by Ctrl-C")), "{said}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?}");
    }
}

#[test]
fn an_experiment_keeps_its_cells_and_goes_on() {
    let folder = TempDir::new().unwrap();
    let asked = ["experiment", "003-levels-count", "--frames", "3", "--out", "a"];
    let cells = folder.path().join("a/cells");
    let whole = || {
        let files = std::fs::read_dir(&cells).into_iter().flatten().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|end| end == "csv")).collect::<Vec<_>>()
    };
    let output = stopped_once(folder.path(), &asked, || !whole().is_empty());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("the same command goes on"), "{said}");
    let before: Vec<_> = whole().into_iter().map(|path| (std::fs::read(&path).unwrap(), path)).collect();
    assert!((1..4).contains(&before.len()), "{said}");

    let fine = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_jostle"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(fine(&["report", "a"]).contains(&format!("{} of 4 measured", before.len())));
    assert!(fine(&asked).contains("4 of 4 measured"));
    for (bytes, path) in before {
        assert!(std::fs::read(&path).unwrap() == bytes, "{}: was measured again", path.display());
    }
}
