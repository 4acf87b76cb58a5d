//! What is written: read back bit by bit, statistics recomputed, reports rebuilt, broken files named.

use std::fs;

use tempfile::TempDir;

use super::known::{CELLS, Known, Trouble, options, run, text, whole};
use crate::experiment::folder::{Folder, PUBLISHED};
use crate::experiment::publish::publish;

#[test]
fn what_is_written_is_read_back_bit_by_bit() {
    let folder = TempDir::new().unwrap();
    whole(folder.path(), 5, 1).unwrap();
    let there = Folder::new(folder.path());
    let results = there.results(&there.manifest().unwrap()).unwrap();
    assert_eq!(results.planned, CELLS);
    for (index, name) in CELLS.iter().enumerate() {
        let expected = Known::new(5 + 20 * index, (0, Trouble::None)).0.measure(index, &options(1)).unwrap();
        assert_eq!(results.cells[*name], expected, "{name}");
    }
}

#[test]
fn reports_are_rebuilt_to_the_byte() {
    let folder = TempDir::new().unwrap();
    let study = whole(folder.path(), 0, 1).unwrap();
    let before = PUBLISHED.map(|name| text(folder.path(), name));
    PUBLISHED.iter().for_each(|name| fs::remove_file(folder.path().join(name)).unwrap());
    publish(&study, &Folder::new(folder.path())).unwrap();
    assert_eq!(PUBLISHED.map(|name| text(folder.path(), name)), before);
}

#[test]
fn statistics_are_those_of_the_samples() {
    let folder = TempDir::new().unwrap();
    whole(folder.path(), 3, 1).unwrap();
    let mut samples = csv::Reader::from_path(folder.path().join("samples.csv")).unwrap();
    let all: Vec<csv::StringRecord> = samples.records().map(Result::unwrap).collect();
    let mut statistics = csv::Reader::from_path(folder.path().join("statistics.csv")).unwrap();
    let mut rows = 0;
    for row in statistics.records().map(Result::unwrap) {
        let same = |sample: &&csv::StringRecord| (0..4).all(|field| sample[field] == row[field]);
        let values: Vec<f64> = all.iter().filter(same).map(|sample| sample[5].parse().unwrap()).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance =
            values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0).max(1.0);
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
        let p99 = sorted[(0.99 * count).ceil() as usize - 1];
        let expected =
            [count, mean, variance.sqrt(), sorted[0], sorted[sorted.len() - 1], mean * count, middle, p99];
        for (field, expected) in expected.into_iter().enumerate() {
            let found: f64 = row[4 + field].parse().unwrap();
            assert!(
                (found - expected).abs() <= 1e-9 * expected.abs(),
                "{row:?}: field {field}, not {expected}"
            );
        }
        rows += 1;
    }
    assert_eq!(rows, CELLS.len() * 3);
}

#[test]
fn a_broken_file_is_named_with_the_place_and_the_remedy() {
    let folder = TempDir::new().unwrap();
    whole(folder.path(), 0, 1).unwrap();
    let path = folder.path().join("cells/third_x.csv");
    let good = fs::read(&path).unwrap();
    let lines: Vec<&str> = std::str::from_utf8(&good).unwrap().lines().collect();
    let replaced = |line: usize, with: &str| {
        let mut lines = lines.clone();
        lines[line - 1] = with;
        (lines.join("\n") + "\n").into_bytes()
    };
    let who = "\"grid, \"\"fine\"\"\"";
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "first line"),
        (
            "last line lost",
            (lines[..lines.len() - 1].join("\n") + "\n").into_bytes(),
            "holds 40 samples, but 41 were written",
        ),
        ("cut in a line", good[..good.len() / 2].to_vec(), "line"),
        ("other heads", replaced(1, "a,b,c,d,e"), "first line is not `who,measure,unit,frame,value`"),
        ("a field too few", replaced(5, &format!("{who},broad,ms,3")), "line 5: does not have 5 fields"),
        ("not a number", replaced(5, &format!("{who},broad,ms,3,fast")), "line 5: `fast` is not a number"),
        ("no finite number", replaced(5, &format!("{who},broad,ms,3,inf")), "line 5: `inf` is not a number"),
        ("unknown unit", replaced(5, &format!("{who},broad,weeks,3,1")), "line 5: `weeks` is not a unit"),
        ("a frame twice", replaced(5, &format!("{who},broad,ms,2,1")), "line 5: frame 2"),
        ("not UTF-8", [b"\xff\xfe", &good[..]].concat(), "third_x.csv"),
    ];
    for (what, bytes, expected) in cases {
        fs::write(&path, bytes).unwrap();
        let study = Known::new(0, (0, Trouble::None));
        for error in [
            run(&study, folder.path(), &options(1), false, usize::MAX).map(|_| ()).unwrap_err(),
            publish(&study, &Folder::new(folder.path())).map(|_| ()).unwrap_err(),
        ] {
            let said = error.to_string();
            assert!(said.contains("third_x.csv") && said.contains(expected), "{what}: {said}");
            assert!(said.contains("delete it"), "{what}: {said}");
        }
        assert_eq!(study.measured(), 0, "{what}");
    }
    // The remedy.
    fs::remove_file(&path).unwrap();
    assert_eq!(whole(folder.path(), 0, 1).unwrap().measured(), 1);
}
