//! `jostle bench` end to end: what it prints, that its pairs are the truth, and that files go round.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use jostle_broad::scene::StreamKind;
use serde_json::Value;
use tempfile::TempDir;

fn jostle(folder: &Path, arguments: &[&str]) -> Output {
    let output =
        Command::new(env!("CARGO_BIN_EXE_jostle")).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["bench", "--json"].iter().chain(arguments).copied().collect();
    serde_json::from_slice(&jostle(folder, &all).stdout).unwrap()
}

fn results(report: &Value) -> &[Value] {
    report["results"].as_array().unwrap()
}

/// The finders `jostle finders` lists.
fn finders(folder: &Path) -> Vec<String> {
    let text = String::from_utf8(jostle(folder, &["finders"]).stdout).unwrap();
    text.lines().map(|line| line.split_whitespace().next().unwrap().to_string()).collect()
}

#[test]
fn json_has_every_field_for_every_finder_stream_and_size() {
    let folder = TempDir::new().unwrap();
    let report = json(folder.path(), &["--stream", "all", "--n", "0,1,200", "--frames", "4", "--verify"]);
    assert!(report["machine"]["cores"].as_u64().unwrap() >= 1);
    assert_eq!(report["asked"], serde_json::json!({"canonical": true, "changes": true}));
    assert_eq!(results(&report).len(), StreamKind::ALL.len() * 3 * finders(folder.path()).len());
    for row in results(&report) {
        assert_eq!((row["threads"].as_u64(), row["frames"].as_u64()), (Some(1), Some(4)), "{row}");
        assert_eq!(row["verified"], Value::Bool(true), "{row}");
        assert_eq!(row["verified_frames"], 4, "{row}");
        for field in ["stream", "finder", "lanes"] {
            assert!(row[field].is_string(), "{field} of {row}");
        }
        for field in ["median_ms", "p99_ms", "first_ms"] {
            assert!(row[field].as_f64().unwrap() > 0.0, "{field} of {row}");
        }
        for field in ["n", "pairs", "tests", "bytes"] {
            assert!(row[field].is_u64(), "{field} of {row}");
        }
        assert_eq!(row["ns_per_object"].is_null(), row["n"] == 0, "{row}");
        assert_eq!(row["stages"][0]["stage"], "store", "{row}");
        assert!(row["p99_ms"].as_f64() >= row["median_ms"].as_f64(), "{row}");
        let expected = if row["n"] == 200 { 100..500 } else { 0..1 };
        assert!(expected.contains(&row["pairs"].as_u64().unwrap()), "{row}");
    }
}

#[test]
fn what_is_asked_of_the_finders_is_said() {
    let folder = TempDir::new().unwrap();
    let cases: &[(&[&str], bool, bool)] = &[
        (&[], true, true),
        (&["--changes"], true, true),
        (&["--no-changes"], true, false),
        (&["--no-order"], false, false),
    ];
    for (more, canonical, changes) in cases {
        let arguments: Vec<&str> =
            ["--n", "100", "--frames", "3", "--verify"].iter().chain(*more).copied().collect();
        let report = json(folder.path(), &arguments);
        assert_eq!(report["asked"]["canonical"], Value::Bool(*canonical), "{more:?}");
        assert_eq!(report["asked"]["changes"], Value::Bool(*changes), "{more:?}");
        assert!(results(&report).iter().all(|row| row["verified"] == Value::Bool(true)), "{report}");
    }
}

#[test]
fn unverified_results_say_so_and_too_large_scenes_are_skipped() {
    let folder = TempDir::new().unwrap();
    let report = json(folder.path(), &["--finders", "brute,all-pairs", "--n", "100,20001", "--frames", "1"]);
    let ran: Vec<(u64, &str)> = results(&report)
        .iter()
        .map(|row| (row["n"].as_u64().unwrap(), row["finder"].as_str().unwrap()))
        .collect();
    assert_eq!(ran, [(100, "brute"), (100, "all-pairs"), (20_001, "all-pairs")]);
    assert!(results(&report).iter().all(|row| row["verified"].is_null()));
    let skipped = report["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 1, "{report}");
    assert_eq!((&skipped[0]["finder"], &skipped[0]["n"]), (&Value::from("brute"), &Value::from(20_001)));
    assert!(skipped[0]["reason"].as_str().unwrap().starts_with("skipped: takes at most"), "{report}");
}

#[test]
fn the_exponent_of_the_times_is_fitted() {
    let folder = TempDir::new().unwrap();
    let report =
        json(folder.path(), &["--finders", "brute", "--n", "300,600,1200", "--frames", "9", "--scaling"]);
    let fits = report["scaling"].as_array().unwrap();
    assert_eq!(fits.len(), 1);
    assert_eq!(fits[0]["finder"], "brute");
    let sizes: Vec<&Value> =
        fits[0]["memory"].as_array().unwrap().iter().map(|memory| &memory["n"]).collect();
    assert_eq!(sizes, [300, 600, 1200]);
    assert!(fits[0]["memory"][0]["bytes_per_box"].as_f64().unwrap() > 8.0, "{report}");
    // Of the times that were taken, whatever they are: with sizes that double, the fit is the slope between the ends.
    let log = |row: &Value| row["median_ms"].as_f64().unwrap().log2();
    let slope = (log(&results(&report)[2]) - log(&results(&report)[0])) / 2.0;
    assert!((fits[0]["exponent"].as_f64().unwrap() - slope).abs() < 1e-9, "{slope} {report}");
}

#[test]
fn every_frame_is_told_where_asked_for() {
    let folder = TempDir::new().unwrap();
    let asked = ["--finders", "auto-work,sweep", "--n", "300", "--frames", "30", "--each-frame"];
    let (first, second) = (json(folder.path(), &asked), json(folder.path(), &asked));
    let chosen = |report: &Value| -> Vec<Value> {
        let frames = results(report)[0]["each_frame"].as_array().unwrap();
        assert!(frames.iter().all(|frame| frame["ms"].as_f64().unwrap() > 0.0), "{report}");
        frames.iter().map(|frame| frame["detail"].clone()).collect()
    };
    assert_eq!(chosen(&first).len(), 30);
    assert!(chosen(&first).iter().all(Value::is_string), "{first}");
    assert_eq!(chosen(&first), chosen(&second), "auto-work chooses the same in every run");
    assert!(results(&json(folder.path(), &asked[..6]))[0]["each_frame"].is_null());
}

#[test]
fn the_table_names_finders_and_says_verified() {
    let folder = TempDir::new().unwrap();
    let text = String::from_utf8(
        jostle(folder.path(), &["bench", "--n", "500", "--frames", "3", "--verify", "--threads", "1,2"])
            .stdout,
    )
    .unwrap();
    assert!(text.contains("brownian, n = 500, 3 frames, verified in every frame"), "{text}");
    for finder in finders(folder.path()) {
        let rows: Vec<&str> =
            text.lines().filter(|line| line.split_whitespace().next() == Some(finder.as_str())).collect();
        assert_eq!(rows.len(), 2, "{finder} with 1 and 2 threads: {text}");
        assert!(rows.iter().all(|row| row.ends_with("verified")), "{text}");
    }
}

/// Reads a pairs file by its description in `docs/formats.md`.
fn read_pairs(path: &Path) -> Vec<Vec<(u32, u32)>> {
    let bytes = fs::read(path).unwrap();
    let mut words = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    let mut frames = Vec::new();
    while let Some(count) = words.next() {
        frames.push((0..count).map(|_| (words.next().unwrap(), words.next().unwrap())).collect());
    }
    frames
}

/// Reads the boxes of a JBOX file by its description in `docs/formats.md`.
fn read_boxes(path: &Path) -> Vec<Vec<[f32; 6]>> {
    let bytes = fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"JBOX\x01\0\0\0");
    let words: Vec<u32> =
        bytes[8..].chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let (n, frames) = (words[0] as usize, words[1] as usize);
    let numbers: Vec<f32> = words[2..].iter().map(|word| f32::from_bits(*word)).collect();
    assert_eq!(numbers.len(), n * frames * 6);
    let boxes: Vec<[f32; 6]> = numbers.chunks(6).map(|six| six.try_into().unwrap()).collect();
    (0..frames).map(|frame| boxes[frame * n..(frame + 1) * n].to_vec()).collect()
}

/// The definition of a pair, written out once more and without jostle.
fn overlapping(boxes: &[[f32; 6]]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (low, a) in boxes.iter().enumerate() {
        for (high, b) in boxes.iter().enumerate().skip(low + 1) {
            if (0..3).all(|axis| a[axis] <= b[axis + 3] && b[axis] <= a[axis + 3]) {
                pairs.push((low as u32, high as u32));
            }
        }
    }
    pairs
}

#[test]
fn recorded_boxes_give_the_pairs_of_the_definition_with_every_finder() {
    let folder = TempDir::new().unwrap();
    let in_folder = |name: &str| folder.path().join(name);
    for (stream, n, frames) in
        [("still10", "300", "5"), ("disparity", "300", "3"), ("fast", "1", "2"), ("pile", "0", "3")]
    {
        jostle(
            folder.path(),
            &["record", "--stream", stream, "--n", n, "--frames", frames, "--seed", "7", "--out", "boxes"],
        );
        let truth: Vec<Vec<(u32, u32)>> =
            read_boxes(&in_folder("boxes")).iter().map(|boxes| overlapping(boxes)).collect();
        assert_eq!(truth.len().to_string(), frames);
        for finder in finders(folder.path()) {
            for order in ["--changes", "--no-order"] {
                let arguments =
                    ["--boxes", "boxes", "--finders", &finder, "--dump-pairs", "pairs", "--verify", order];
                let report = json(folder.path(), &arguments);
                let row = &results(&report)[0];
                assert_eq!((row["stream"].as_str(), row["n"].to_string()), (Some("boxes"), n.to_string()));
                assert_eq!(read_pairs(&in_folder("pairs")), truth, "{finder} on {stream}");
            }
        }
    }
    let mut left: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["boxes", "pairs"], "no partial file is left");
}

#[test]
fn a_recorded_stream_is_the_stream() {
    let folder = TempDir::new().unwrap();
    let common = ["--n", "200", "--frames", "4", "--seed", "3"];
    let record: Vec<&str> = ["record", "--out", "boxes"].iter().chain(&common).copied().collect();
    jostle(folder.path(), &record);
    jostle(folder.path(), &["bench", "--boxes", "boxes", "--dump-pairs", "from_file"]);
    let bench: Vec<&str> = ["bench", "--dump-pairs", "from_stream"].iter().chain(&common).copied().collect();
    jostle(folder.path(), &bench);
    let pairs = read_pairs(&folder.path().join("from_file"));
    assert_eq!(pairs.len(), 4);
    assert_eq!(pairs, read_pairs(&folder.path().join("from_stream")));
}

#[test]
fn boxes_without_end_are_legal_in_files() {
    let folder = TempDir::new().unwrap();
    let everywhere =
        [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY, 0.0];
    let boxes = [everywhere, [0.0, 0.0, -0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]];
    let mut bytes = b"JBOX".to_vec();
    [1u32, 3, 1].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    boxes.as_flattened().iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    fs::write(folder.path().join("boxes"), bytes).unwrap();
    jostle(folder.path(), &["bench", "--boxes", "boxes", "--verify", "--dump-pairs", "pairs"]);
    assert_eq!(read_pairs(&folder.path().join("pairs")), [[(0, 1), (1, 2)]]);
}

#[test]
fn every_command_has_help_with_an_example_that_runs() {
    let folder = TempDir::new().unwrap();
    for command in ["record", "bench", "picture", "finders"] {
        let help = String::from_utf8(jostle(folder.path(), &[command, "--help"]).stdout).unwrap();
        let examples: Vec<&str> = help
            .lines()
            .filter(|line| !line.starts_with("Usage:"))
            .filter_map(|line| line.split_once("jostle ").map(|(_, rest)| rest))
            .filter(|rest| rest.starts_with(command))
            .collect();
        assert!(!examples.is_empty(), "{help}");
        // Those of `bench` take seconds each; the README's are run elsewhere.
        if command != "bench" {
            for example in examples {
                let words: Vec<&str> = example.split_whitespace().collect();
                jostle(folder.path(), &words);
            }
        }
    }
    let svg = fs::read_to_string(folder.path().join("pile.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
}

#[test]
fn a_report_is_one_page_with_plots() {
    let folder = TempDir::new().unwrap();
    let asked =
        ["bench", "--stream", "fast,pile", "--n", "100,300", "--frames", "5", "--finders", "sweep,tree"];
    let more = ["--verify", "--threads", "1,2", "--report", "page.html"];
    jostle(folder.path(), &asked.iter().chain(&more).copied().collect::<Vec<_>>());
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    // For each of four scenes two plots, and for each of two streams one of growth.
    assert_eq!(page.matches("<svg").count(), 10, "{page}");
    for part in [
        "Finders side by side",
        "fast, 300 boxes",
        "Growth on pile",
        "sweep@2",
        "16 of 16 rows were compared",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(!page.contains("<script") && !page.contains("src="), "it needs nothing else");
}

/// Half of these boxes are absent in any frame; the scene has them all the same.
#[test]
fn boxes_that_are_absent_in_the_last_frame_are_counted() {
    let asked = ["bench", "--scene", "stress-flicker", "--n", "200", "--frames", "5", "--finders", "sweep"];
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_jostle")).args(asked).arg("--json").output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["results"][0]["n"], 200, "{report}");
}
