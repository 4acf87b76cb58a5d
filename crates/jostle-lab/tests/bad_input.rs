//! Promise 3, nothing lost in silence: whatever is wrong with a command or a file is told in one line on standard error
//! that names what, where and the remedy; the exit code is 2, and no file is left behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn jostle(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_jostle")).args(arguments).current_dir(folder).output().unwrap()
}

/// A JBOX file with these words in its header and these numbers after it.
fn jbox(magic: &[u8; 4], header: [u32; 3], numbers: &[f32]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    header.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes
}

const UNIT: [f32; 6] = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];

/// A box that is not there.
const ABSENT: [f32; 6] =
    [f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];

/// Two frames of two boxes of version 2, with these words for walls and dimensions.
fn second(words: [u32; 2], numbers: &[f32]) -> Vec<u8> {
    let mut bytes = jbox(b"JBOX", [2, 2, 2], &[]);
    words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes
}

/// Two frames of two boxes, with one number of the second box of the second frame replaced.
fn with_number(at: usize, number: f32) -> Vec<u8> {
    let mut numbers = UNIT.repeat(4);
    numbers[18 + at] = number;
    jbox(b"JBOX", [1, 2, 2], &numbers)
}

/// Runs the command, and checks how it fails: every fragment is in the one line.
fn expect_failure(folder: &Path, arguments: &[&str], fragments: &[&str]) {
    let before = listing(folder);
    let output = jostle(folder, arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{arguments:?}: {stderr}");
    assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
    for fragment in fragments {
        assert!(stderr.contains(fragment), "{arguments:?}: `{fragment}` is not in: {stderr}");
    }
    assert!(output.stdout.is_empty(), "{arguments:?}: printed {:?}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(listing(folder), before, "{arguments:?}: left files behind");
}

fn listing(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn bad_arguments() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    let cases: &[(&[&str], &[&str])] = &[
        (&["bench", "--finders", "nosuch"], &["--finders", "unknown finder `nosuch`", "there are: brute"]),
        (&["bench", "--finders", ""], &["unknown finder ``"]),
        (&["bench", "--stream", "nosuch"], &["--stream", "unknown stream `nosuch`", "there are: brownian"]),
        (&["bench", "--threads", "0"], &["--threads", "0 is not in 1..=1024"]),
        (&["bench", "--threads", "100000"], &["--threads", "100000 is not in"]),
        (&["bench", "--threads", "two"], &["--threads", "two"]),
        (&["bench", "--awake=-1"], &["--awake", "`-1` is not a number of milliseconds"]),
        (
            &["measure", "threads", "--awake", "long"],
            &["--awake", "`long` is not a number of milliseconds", "20"],
        ),
        (
            &["bench", "--n", "500", "--pair-limit", "9"],
            &["pairs overlap", "`pair_limit` is 9", "raise it to"],
        ),
        (&["bench", "--lanes", "mmx"], &["--lanes", "`mmx` are not available", "scalar"]),
        (&["bench", "--n", "ten"], &["--n", "`ten` is not a count", "10k"]),
        (&["bench", "--n", "-5"], &["-5"]),
        (&["bench", "--n", "99999999999999999999999"], &["--n", "is not a count"]),
        (&["bench", "--n", "100000000M"], &["memory", "choose a smaller --n"]),
        (&["record", "--n", "100000000M", "--out", "x"], &["memory", "choose a smaller --n"]),
        (&["bench", "--frames", "0"], &["--frames", "0 is not in 1..="]),
        (&["bench", "--frames", "4000000000"], &["--frames"]),
        (&["bench", "--seed", "x"], &["--seed"]),
        (&["bench", "--scaling", "--n", "100"], &["--scaling needs at least two counts"]),
        (&["bench", "--n", "10,20", "--dump-pairs", "x"], &["--dump-pairs", "one --n"]),
        (&["bench", "--stream", "all", "--dump-pairs", "x"], &["--dump-pairs", "one --stream"]),
        (&["bench", "--changes", "--no-order"], &["--changes", "--no-order", "cannot be used with"]),
        (&["bench", "--boxes", "x", "--n", "10"], &["--boxes", "--n", "cannot be used with"]),
        (&["bench", "--n", "10", "--dump-pairs", "no/such/place"], &["no/such/place", "cannot be written"]),
        (&["bench", "--n", "10", "--dump-pairs", "folder"], &["folder", "is a folder", "name a file"]),
        (&["bench", "--n", "10", "--dump-pairs", "nowhere/.."], &["nowhere/..", "is not the name of a file"]),
        (&["bench", "--n", "10", "--dump-pairs", ""], &["--dump-pairs", "a value is required"]),
        (&["record", "--n", "10", "--out", "no/such/place"], &["no/such/place", "cannot be written"]),
        (&["record", "--n", "10"], &["--out <FILE>", "required"]),
        (&["record", "--stream", "nosuch", "--out", "x"], &["--stream", "unknown stream `nosuch`"]),
        (&["picture", "--n", "1M", "--out", "x"], &["picture of 1,000,000 boxes", "at most 5,000"]),
        (&["picture", "--out", "no/such/place"], &["no/such/place", "cannot be written"]),
        (&["run", "--scene", "snow"], &["--scene", "unknown scene `snow`", "`jostle scenes` lists all"]),
        (&["run", "--scene", "rian"], &["unknown scene `rian`", "did you mean `rain`?"]),
        (&["run", "--scene", "stress-fast"], &["--scene", "`stress-fast`", "no world", "jostle bench"]),
        (&["run", "--scene", "none.toml"], &["--scene", "none.toml", "cannot be read", "jostle scenes NAME"]),
        (&["bench", "--scene", "standard"], &["--scene", "unknown scene `standard`"]),
        (&["bench", "--scene", "room", "--stream", "pile"], &["--scene", "--stream", "cannot be used with"]),
        (&["bench", "--scene", "room", "--boxes", "x"], &["--scene", "--boxes", "cannot be used with"]),
        (&["bench", "--scene", "room", "--n", "0"], &["room", "0 objects", "at least 1"]),
        (&["bench", "--scene", "room", "--n", "1000000000"], &["memory", "choose fewer"]),
        (
            &["record", "--scene", "room", "--n", "100k", "--frames", "1000000", "--out", "x"],
            &["1,000,000 frames", "memory", "choose fewer frames or objects"],
        ),
        (&["record", "--scene", "nosuch", "--out", "x"], &["--scene", "unknown scene `nosuch`"]),
        (&["picture", "--scene", "stress-fast", "--out", "x"], &["picture of 10,000 boxes", "at most 5,000"]),
        (&["picture", "--frame", "3", "--out", "x"], &["--scene"]),
        (&["run", "--scene", ""], &["unknown scene ``"]),
        (&["run", "--finder", "nosuch"], &["--finder", "unknown finder `nosuch`", "there are: brute"]),
        (&["run", "--finder", "brute", "--bodies", "20001"], &["`brute` takes at most 20,000", "`auto`"]),
        (&["run", "--bodies", "0"], &["--bodies", "at least 1"]),
        (&["run", "--bodies", "-5"], &["-5"]),
        (&["run", "--bodies", "many"], &["--bodies", "`many` is not a count"]),
        (&["run", "--bodies", "100000000M"], &["memory", "choose fewer --bodies"]),
        (&["run", "--frames", "0"], &["--frames", "0 is not in 1..="]),
        (&["run", "--frames", "4000000000"], &["--frames"]),
        (&["run", "--threads", "0"], &["--threads", "0 is not in 1..=1024"]),
        (&["run", "--seed", "x"], &["--seed"]),
        (&["run", "stray"], &["stray"]),
        (&["run", "--bodies", "5", "--record", "no/such/place"], &["no/such/place", "cannot be written"]),
        (&["run", "--bodies", "5", "--record", "folder"], &["folder", "is a folder", "name a file"]),
        (&["replay"], &["<FILE>"]),
        (&["replay", "missing"], &["missing", "cannot be read", "jostle run --record"]),
        (&["replay", "folder"], &["folder", "cannot be read", "jostle run --record"]),
        (&["replay", "missing", "--finder", "nosuch"], &["--finder", "unknown finder `nosuch`"]),
        (&["scenes", "stray"], &["unknown scene `stray`", "`jostle scenes` lists all"]),
        (&["nosuch"], &["nosuch", "--help"]),
        (&["bench", "--nosuch"], &["--nosuch", "--help"]),
        (&["bench", "stray\nword"], &["stray"]),
    ];
    for (arguments, fragments) in cases {
        expect_failure(folder.path(), arguments, fragments);
    }
}

#[test]
fn bad_box_files() {
    let good = jbox(b"JBOX", [1, 2, 2], &UNIT.repeat(4));
    let cases: Vec<(&str, Vec<u8>, &[&str])> = vec![
        ("empty", vec![], &["empty", "jostle record"]),
        ("cut in the magic", b"JB".to_vec(), &["ends inside its header", "2 bytes"]),
        ("cut in the header", good[..12].to_vec(), &["ends inside its header", "12 bytes"]),
        ("cut in a box", good[..good.len() - 1].to_vec(), &["truncated", "112 bytes", "111"]),
        ("cut after a frame", good[..64].to_vec(), &["truncated", "112 bytes", "64"]),
        ("trailing byte", [good.as_slice(), &[0]].concat(), &["followed by other bytes", "112 bytes", "113"]),
        ("other magic", jbox(b"JBOY", [1, 2, 2], &UNIT.repeat(4)), &["not a JBOX file", "JBOY"]),
        (
            "magic of odd bytes",
            jbox(b"\n\xff\0\"", [1, 2, 2], &UNIT.repeat(4)),
            &["not a JBOX file", "\\xff"],
        ),
        ("version 0", jbox(b"JBOX", [0, 2, 2], &UNIT.repeat(4)), &["version 0", "version 1"]),
        ("version 3", jbox(b"JBOX", [3, 2, 2], &UNIT.repeat(4)), &["version 3", "version 1"]),
        (
            "version 2 cut in the header",
            second([0, 3], &[])[..20].to_vec(),
            &["ends inside its header", "24"],
        ),
        ("more walls than boxes", second([3, 3], &UNIT.repeat(4)), &["3 walls among 2 boxes"]),
        ("four dimensions", second([0, 4], &UNIT.repeat(4)), &["4 dimensions", "2 or 3"]),
        ("version 2 truncated", second([0, 3], &UNIT.repeat(3)), &["truncated", "120 bytes", "96"]),
        ("absent in version 1", jbox(b"JBOX", [1, 1, 1], &ABSENT), &["frame 0", "box 0"]),
        (
            "half absent",
            second([0, 3], &[&UNIT.repeat(3)[..], &[f32::INFINITY, 0.0, 0.0, 1.0, 1.0, 1.0]].concat()),
            &["frame 1", "box 1", "x axis"],
        ),
        ("big-endian", jbox(b"JBOX", [1 << 24, 2, 2], &UNIT.repeat(4)), &["version 16777216"]),
        ("no frames", jbox(b"JBOX", [1, u32::MAX, 0], &[]), &["0 frames", "1 to 1000000"]),
        ("empty frames beyond number", jbox(b"JBOX", [1, 0, u32::MAX], &[]), &["4294967295 frames"]),
        ("more boxes than there are bytes", jbox(b"JBOX", [1, u32::MAX, 1000], &UNIT), &["truncated"]),
        ("largest counts", jbox(b"JBOX", [1, u32::MAX, 1_000_000], &[]), &["truncated"]),
        ("NaN min", with_number(0, f32::NAN), &["frame 1", "box 1", "x axis", "NaN"]),
        ("NaN max", with_number(5, f32::NAN), &["frame 1", "box 1", "z axis", "NaN"]),
        ("min above max", with_number(1, 2.0), &["frame 1", "box 1", "min 2 is above max 1 on the y axis"]),
        ("at infinity", with_number(3, f32::NEG_INFINITY), &["frame 1", "box 1", "x axis", "infinity"]),
        ("NaN at once", jbox(b"JBOX", [1, 1, 1], &[f32::NAN; 6]), &["frame 0", "box 0", "NaN"]),
    ];
    let folder = TempDir::new().unwrap();
    for (name, bytes, fragments) in cases {
        fs::write(folder.path().join("case.jbox"), bytes).unwrap();
        let fragments: Vec<&str> = fragments.iter().copied().chain(["case.jbox"]).collect();
        println!("{name}");
        expect_failure(
            folder.path(),
            &["bench", "--boxes", "case.jbox", "--dump-pairs", "pairs"],
            &fragments,
        );
    }
    fs::create_dir(folder.path().join("folder")).unwrap();
    expect_failure(folder.path(), &["bench", "--boxes", "folder"], &["folder", "is not a plain file"]);
    expect_failure(folder.path(), &["bench", "--boxes", "missing"], &["missing", "cannot be read"]);
    fs::write(folder.path().join("case.jbox"), good).unwrap();
    expect_failure(
        folder.path(),
        &["bench", "--boxes", "case.jbox", "--frames", "3"],
        &["case.jbox", "holds 2 frames", "asks for 3"],
    );
}

#[test]
fn a_finder_that_does_not_take_so_many_boxes_is_skipped_aloud() {
    let folder = TempDir::new().unwrap();
    let output = jostle(folder.path(), &["bench", "--finders", "brute", "--n", "20001", "--frames", "1"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{stderr}");
    assert!(
        lines[0].contains("brute") && lines[0].contains("skipped: takes at most 20,000 boxes"),
        "{stderr}"
    );
    assert!(lines[1].contains("no finder is left to run"), "{stderr}");
}
