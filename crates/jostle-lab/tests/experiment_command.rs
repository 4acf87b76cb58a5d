//! `jostle experiment` and `jostle report` end to end.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn jostle(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_jostle")).args(arguments).current_dir(folder).output().unwrap()
}

fn fine(folder: &Path, arguments: &[&str]) -> String {
    let output = jostle(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A small run of a study into a folder of this name.
fn small(folder: &Path, study: &str, name: &str) -> String {
    fine(folder, &["experiment", study, "--finders", "sweep,tree,auto-work", "--frames", "5", "--out", name])
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// A page without what depends on the clock: the content of all elements of class `timed`.
fn without_times(page: &str) -> String {
    let mut rest = page;
    let mut kept = String::new();
    while let Some(at) = rest.find(" class=\"timed\"") {
        let tag_at = rest[..at].rfind('<').unwrap();
        let tag = &rest[tag_at + 1..at];
        assert!(tag.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{tag}");
        kept.push_str(&rest[..tag_at]);
        kept.push_str(&format!("<{tag}-timed>"));
        let close = format!("</{tag}>");
        let end = rest[at..].find(&close).unwrap();
        rest = &rest[at + end + close.len()..];
    }
    kept + rest
}

#[test]
fn two_reports_of_a_seed_differ_only_in_times() {
    // Those of `finders` are compared beside the study: it takes longer.
    for (study, cells) in [("000-dynamic", "5 of 5 measured"), ("002-cycle-time", "1 of 1 measured")] {
        let folder = TempDir::new().unwrap();
        let summary = small(folder.path(), study, "a");
        assert!(summary.contains(cells), "{summary}");
        small(folder.path(), study, "b");
        let (a, b) = (text(folder.path(), "a/report.html"), text(folder.path(), "b/report.html"));
        assert_ne!(a, b, "times do differ");
        let (a, b) = (without_times(&a), without_times(&b));
        for (a, b) in a.lines().zip(b.lines()) {
            assert_eq!(a, b);
        }
        assert_eq!(a.lines().count(), b.lines().count());
        // What is left is most of the report, and holds its counts.
        assert!(a.matches("<td").count() > 20, "{a}");
        let counts = |name: &str| {
            let samples = text(folder.path(), name);
            samples.lines().filter(|line| !line.contains(",ms,")).map(str::to_string).collect::<Vec<_>>()
        };
        assert_eq!(counts("a/samples.csv"), counts("b/samples.csv"));
    }
}

#[test]
fn a_report_is_rebuilt_to_the_byte_and_json_says_the_same() {
    let folder = TempDir::new().unwrap();
    small(folder.path(), "000-dynamic", "a");
    let written = ["report.html", "summary.txt", "statistics.csv", "samples.csv"];
    let before = written.map(|name| text(folder.path(), &format!("a/{name}")));
    written.iter().for_each(|name| fs::remove_file(folder.path().join("a").join(name)).unwrap());
    let json: Value = serde_json::from_str(&fine(folder.path(), &["report", "a", "--json"])).unwrap();
    assert_eq!(written.map(|name| text(folder.path(), &format!("a/{name}"))), before);
    assert_eq!((&json["name"], &json["folder"]), (&"000-dynamic".into(), &"a".into()));
    assert_eq!((&json["cells"], &json["measured"]), (&5.into(), &5.into()));
    assert_eq!(json["statistics"].as_array().unwrap().len(), before[2].lines().count() - 1);
    assert!(json["findings"][0]["verdict"].is_string(), "{json}");
    assert_eq!(json["options"]["finders"], serde_json::json!(["sweep", "tree", "auto-work"]));
}

#[test]
fn studies_are_listed() {
    let folder = TempDir::new().unwrap();
    assert!(fine(folder.path(), &["experiment", "--list"]).lines().any(|line| line.starts_with("finders ")));
    let list: Value =
        serde_json::from_str(&fine(folder.path(), &["experiment", "--list", "--json"])).unwrap();
    let finders = list.as_array().unwrap().iter().find(|study| study["name"] == "finders").unwrap();
    assert_eq!((&finders["source"], &finders["waits_for"]), (&"ours".into(), &Value::Null));
}

#[test]
fn what_cannot_be_done_is_told_in_a_line_and_nothing_is_written() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::create_dir(folder.path().join("broken")).unwrap();
    fs::write(folder.path().join("broken/manifest.json"), "{").unwrap();
    let cases: &[(&[&str], &[&str])] = &[
        (&["experiment"], &["<NAME>", "required"]),
        (&["experiment", "finder"], &["unknown study `finder`", "did you mean `finders`?", "--list"]),
        (&["experiment", "qqqqqqqqqqqqq"], &["unknown study", "--list"]),
        (&["experiment", "finders", "--finders", "gird"], &["--finders", "unknown finder `gird`"]),
        (&["experiment", "finders", "--frames", "0"], &["--frames"]),
        (
            &["experiment", "queries", "--finders", "grid"],
            &["--finders", "`queries`", "leave --finders away"],
        ),
        (&["experiment", "rivals", "--finders", "grid"], &["--finders", "`rivals`"]),
        (&["experiment", "000-simd", "--finders", "grid"], &["--finders", "`000-simd`"]),
        (&["experiment", "001-balance", "--finders", "grid"], &["--finders", "`001-balance`"]),
        (&["experiment", "001-false-sharing", "--finders", "grid"], &["--finders", "`001-false-sharing`"]),
        (&["experiment", "001-response", "--finders", "grid"], &["--finders", "`001-response`"]),
        (&["experiment", "003-stages", "--finders", "grid"], &["--finders", "`003-stages`"]),
        (&["experiment", "003-levels-count", "--finders", "grid"], &["--finders", "`003-levels-count`"]),
        (&["experiment", "finders", "--threads", "0"], &["--threads"]),
        (&["experiment", "finders", "--seed", "x"], &["--seed"]),
        (&["experiment", "finders", "--out", "file"], &["file", "choose another --out"]),
        (&["experiment", "finders", "--out", "broken"], &["broken/manifest.json", "choose another --out"]),
        (&["report", "file"], &["file", "manifest.json", "jostle experiment"]),
        (&["report", "nosuch"], &["nosuch", "manifest.json", "jostle experiment"]),
        (&["report", "empty"], &["empty", "manifest.json", "jostle experiment"]),
        (&["report", "broken"], &["broken/manifest.json", "is not a manifest"]),
    ];
    for (arguments, fragments) in cases {
        let output = jostle(folder.path(), arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{arguments:?}: {stderr}");
        for fragment in *fragments {
            assert!(stderr.contains(fragment), "{arguments:?}: `{fragment}` is not in: {stderr}");
        }
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let mut left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["broken", "empty", "file"]);
    assert_eq!(fs::read_dir(folder.path().join("empty")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(folder.path().join("broken")).unwrap().count(), 1);
}

#[test]
fn rivals_of_another_file_are_never_mixed() {
    let folder = TempDir::new().unwrap();
    let data =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/compare.json")).unwrap();
    let input = folder.path().join("out/compare");
    fs::create_dir_all(&input).unwrap();
    fs::write(input.join("compare.json"), &data).unwrap();
    let asked = ["experiment", "rivals", "--out", "a"];
    let first = fine(folder.path(), &asked);
    assert_eq!(fine(folder.path(), &asked), first, "the same file goes on");

    fs::write(input.join("compare.json"), format!("{data} ")).unwrap();
    let output = jostle(folder.path(), &asked);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    assert!(said.contains("another file compare.json") && said.contains("--fresh"), "{said}");
    fine(folder.path(), &["experiment", "rivals", "--out", "a", "--fresh"]);
    assert_eq!(text(folder.path(), "a/scenes/compare.json"), format!("{data} "));
}
