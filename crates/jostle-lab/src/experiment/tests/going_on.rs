//! Going on after an interruption, refusing to mix, and what happens when a cell is wrong or fails.

use std::fs;

use tempfile::TempDir;

use super::known::{CELLS, Known, Trouble, options, run, text, whole, without_times};
use crate::experiment::Options;
use crate::experiment::folder::{Folder, PUBLISHED};
use crate::experiment::publish::publish;
use crate::failure::Disagreement;
use crate::report::Verdict;

#[test]
fn an_interrupted_study_goes_on_where_it_was() {
    let (once, twice) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    whole(once.path(), 0, 1).unwrap();

    let study = Known::new(1000, (0, Trouble::None));
    let ending = run(&study, twice.path(), &options(1), false, 2).unwrap();
    assert!(ending.stopped);
    // The cell during which the wish came is not kept: nobody knows whether it is whole.
    assert!(
        twice.path().join("cells/first.csv").exists() && !twice.path().join("cells/second-1.5.csv").exists()
    );
    assert!(text(twice.path(), "report.html").contains("1 of 4 measured"));
    assert!(text(twice.path(), "summary.txt").contains("1 of 4 measured"));
    let first = text(twice.path(), "cells/first.csv");

    assert_eq!(whole(twice.path(), 2000, 1).unwrap().measured(), 3, "what is there is kept");
    assert_eq!(text(twice.path(), "cells/first.csv"), first);
    for file in ["samples.csv", "statistics.csv"]
        .map(str::to_string)
        .into_iter()
        .chain(CELLS.map(|name| format!("cells/{name}.csv")))
    {
        let (a, b) = (text(once.path(), &file), text(twice.path(), &file));
        assert_eq!(without_times(&a), without_times(&b), "{file}");
        assert_ne!(a, b, "{file}: times do differ");
    }
    assert_eq!(whole(twice.path(), 3000, 1).unwrap().measured(), 0, "all is there");
}

#[test]
fn samples_of_other_options_are_never_mixed() {
    let folder = TempDir::new().unwrap();
    whole(folder.path(), 0, 1).unwrap();
    let before = text(folder.path(), "samples.csv");
    let changed: [(&str, Options); 5] = [
        ("--seed 1, not 2", options(2)),
        ("sweep the short sweep, not --full", Options { full: true, ..options(1) }),
        ("--frames its own, not 7", Options { frames: Some(7), ..options(1) }),
        (
            "--finders its own, not grid,tree",
            Options { finders: Some(vec!["grid".into(), "tree".into()]), ..options(1) },
        ),
        ("--threads 1, not 2", Options { threads: 2, ..options(1) }),
    ];
    for (difference, options) in changed {
        let study = Known::new(0, (0, Trouble::None));
        let error = run(&study, folder.path(), &options, false, usize::MAX).err().unwrap().to_string();
        assert!(error.contains(difference) && error.contains("--fresh"), "{error}");
        assert_eq!((study.measured(), text(folder.path(), "samples.csv")), (0, before.clone()));
    }
    for (field, value) in [
        ("\"jostle\": \"", "0.0.1"),
        ("\"revision\": ", "\"another\",\"x\":"),
        ("\"hash\": \"", "0"),
        ("\"finders\": [", "\"mine\","),
    ] {
        let manifest = text(folder.path(), "manifest.json");
        fs::write(
            folder.path().join("manifest.json"),
            manifest.replacen(field, &format!("{field}{value}"), 1),
        )
        .unwrap();
        let study = Known::new(0, (0, Trouble::None));
        let error = run(&study, folder.path(), &options(1), false, usize::MAX).err().unwrap().to_string();
        assert!(error.contains("--fresh"), "{field}: {error}");
        fs::write(folder.path().join("manifest.json"), manifest).unwrap();
    }
    fs::write(folder.path().join("cells/mine.csv"), "the user's own").unwrap();
    fs::write(folder.path().join("notes.txt"), "the user's own").unwrap();
    let study = Known::new(0, (0, Trouble::None));
    run(&study, folder.path(), &options(2), true, usize::MAX).unwrap();
    assert_eq!(study.measured(), CELLS.len());
    for file in ["cells/mine.csv", "notes.txt"] {
        assert_eq!(text(folder.path(), file), "the user's own", "{file}");
    }
}

#[test]
fn what_others_wrote_is_neither_overwritten_nor_removed() {
    for file in PUBLISHED.iter().chain(&["cells/third_x.csv", "manifest.json"]) {
        for fresh in [false, true] {
            let folder = TempDir::new().unwrap();
            fs::create_dir(folder.path().join("cells")).unwrap();
            fs::write(folder.path().join(file), "{\"the user's\": \"own\"}").unwrap();
            let study = Known::new(0, (0, Trouble::None));
            let error = run(&study, folder.path(), &options(1), fresh, usize::MAX).err().unwrap().to_string();
            assert!(error.contains(file) && error.contains("choose another --out"), "{error}");
            assert_eq!(text(folder.path(), file), "{\"the user's\": \"own\"}");
            let files = fs::read_dir(folder.path()).unwrap().count();
            let expected = if file.starts_with("cells/") { 1 } else { 2 };
            assert_eq!((study.measured(), files), (0, expected), "{file}: nothing is written");
        }
    }
}

#[test]
fn a_manifest_of_another_format_is_left_alone() {
    let folder = TempDir::new().unwrap();
    whole(folder.path(), 0, 1).unwrap();
    let manifest = text(folder.path(), "manifest.json").replacen("\"format\": 1", "\"format\": 99", 1);
    fs::write(folder.path().join("manifest.json"), &manifest).unwrap();
    for fresh in [false, true] {
        let study = Known::new(0, (0, Trouble::None));
        let error = run(&study, folder.path(), &options(1), fresh, usize::MAX).err().unwrap().to_string();
        assert!(error.contains("format 99") && error.contains("--out"), "{error}");
        assert_eq!(text(folder.path(), "manifest.json"), manifest);
    }
}

#[test]
fn wrong_pairs_are_told_and_not_kept() {
    let folder = TempDir::new().unwrap();
    let study = Known::new(0, (1, Trouble::Wrong));
    let ending = run(&study, folder.path(), &options(1), false, usize::MAX).unwrap();
    assert!(!ending.stopped && ending.failure.is_none());
    assert_eq!(study.measured(), CELLS.len(), "the others are measured all the same");
    assert!(!folder.path().join("cells/second-1.5.csv").exists());
    assert!(text(folder.path(), "report.html").contains("3 of 4 measured"));
    let there = Folder::new(folder.path());
    let wrong = |there: &Folder| there.manifest().unwrap().wrong().collect::<Vec<_>>();
    assert_eq!(wrong(&there), ["second-1.5: one pair is missing"]);
    for file in ["report.html", "summary.txt"] {
        let text = text(folder.path(), file);
        assert!(text.contains("second-1.5: one pair is missing; not kept"), "{text}");
        assert!(text.to_uppercase().contains("DIFFERS"), "{text}");
    }
    let published = publish(&study, &there).unwrap();
    assert_eq!(published.report.findings[0].verdict, Verdict::Differs);
    assert!(crate::experiment::command::agreed(&published).unwrap_err().is::<Disagreement>());

    // Measured again, with a finder that is right.
    assert_eq!(whole(folder.path(), 0, 1).unwrap().measured(), 1);
    assert!(wrong(&there).is_empty() && !text(folder.path(), "summary.txt").contains("DIFFERS"));
    assert!(crate::experiment::command::agreed(&publish(&study, &there).unwrap()).is_ok());
}

#[test]
fn a_cell_that_fails_ends_the_run_and_keeps_what_was_measured() {
    let folder = TempDir::new().unwrap();
    let study = Known::new(0, (2, Trouble::Fails));
    let ending = run(&study, folder.path(), &options(1), false, usize::MAX).unwrap();
    assert_eq!(format!("{:#}", ending.failure.unwrap()), "cell third_x: out of luck");
    assert_eq!(study.measured(), 3);
    assert!(text(folder.path(), "report.html").contains("2 of 4 measured"));
    assert_eq!(whole(folder.path(), 0, 1).unwrap().measured(), 2);
}
