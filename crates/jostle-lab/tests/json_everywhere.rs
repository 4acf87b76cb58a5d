//! `--json` of every command: one JSON document on standard output, and nothing else there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn jostle(folder: &Path, words: &str) -> Output {
    let words = words.split(' ');
    Command::new(env!("CARGO_BIN_EXE_jostle")).args(words).current_dir(folder).output().unwrap()
}

/// What a command says with `--json`; its exit code may be 0, or 3 where it measured that a promise is not kept.
fn json(folder: &Path, words: &str) -> Value {
    let output = jostle(folder, &format!("{words} --json"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{words}: {:?} {said}", output.status);
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words}: {error}: {text}"))
}

/// Every way to call a command that matters, and a field of what it says (`""`: it is an array).
const TABLE: [(&str, &str); 27] = [
    ("run --scene rain --bodies 20 --frames 3 --record rain.jrec", "hash"),
    ("replay rain.jrec", "hash"),
    ("replay rain.jrec --boxes rain.jbox", "boxes"),
    ("scenes", ""),
    ("scenes room", "file"),
    ("bench --stream fast --n 50 --frames 2 --finders sap,tree --verify", "results"),
    ("bench --scene room --frames 2 --finders sap", "results"),
    ("measure threads --stream fast --n 100 --frames 4 --threads 1,2", "results"),
    ("measure auto --stream fast --n 100 --frames 4 --finders sweep,tree", "results"),
    ("measure order --stream fast --n 100 --frames 4", "results"),
    ("measure first --stream fast --n 100 --frames 4", "results"),
    ("measure world-threads --threads 1,2 --n 20 --settling 5 --frames 3", "results"),
    ("measure world-growth --n 20,40 --frames 3", "results"),
    ("measure world-sleep --n 10 --frames 3", "results"),
    ("measure predictable --stream fast --n 50 --frames 3 --finders brute", "results"),
    ("experiment --list", ""),
    (
        "experiment search --finders sap --scene pile --vary objects=20..60 --frames 3 --points 3 --out s",
        "findings",
    ),
    ("report s", "statistics"),
    ("compared compare.json", "cells"),
    ("compared compare.json --into README.md", "into"),
    ("record --n 20 --frames 2 --out boxes.jbox", "frames"),
    ("record --scene room --frames 2 --out room.jbox", "frames"),
    ("picture --n 20 --out picture.svg", "file"),
    ("finders", ""),
    ("doctor", "checks"),
    ("completions bash", "script"),
    ("man pages", "pages"),
];

#[test]
fn every_command_prints_one_document() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/compare.json"), at.join("compare.json"))
        .unwrap();
    fs::write(at.join("README.md"), "<!-- compared -->\n<!-- /compared -->\n").unwrap();
    for (words, field) in TABLE {
        if words.contains("predictable") && jostle(at, words).status.code() == Some(2) {
            eprintln!("SKIPPED: valgrind is missing");
            continue;
        }
        let said = json(at, words);
        match field {
            "" => assert!(said.as_array().is_some_and(|list| !list.is_empty()), "{words}: {said}"),
            field => assert!(!said[field].is_null(), "{words}: no `{field}` in {said}"),
        }
    }
    // The table has every command there is: each has a manual page.
    let pages = json(at, "man pages")["pages"].clone();
    let name = |page: &Value| page.as_str().unwrap().trim_end_matches(".1").replace("jostle-", "");
    let commands: BTreeSet<String> = pages.as_array().unwrap().iter().map(name).collect();
    for command in commands.iter().filter(|name| !matches!(name.as_str(), "jostle" | "measure")) {
        let called = |(words, _): &&(&str, &str)| {
            format!("{words} ").replace("measure ", "measure-").starts_with(&format!("{command} "))
        };
        assert!(TABLE.iter().any(|row| called(&row)), "{command} is not in the table");
    }
    assert!(commands.len() > 20, "{commands:?}");
}

#[test]
fn what_goes_wrong_leaves_standard_output_empty() {
    let folder = TempDir::new().unwrap();
    for words in [
        "compared nosuch.json",
        "replay nosuch.jrec",
        "scenes nosuch",
        "report nosuch",
        "bench --scene nosuch",
    ] {
        let output = jostle(folder.path(), &format!("{words} --json"));
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{words}");
    }
}
