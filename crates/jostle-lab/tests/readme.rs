//! The README of the repository is true: its commands run, and its example is the one that is compiled as a doc test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The fenced blocks of a language.
fn blocks(file: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let fence = format!("```{language}\n");
    text.split(fence.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap().to_string()).collect()
}

#[test]
fn the_commands_run() {
    let folder = TempDir::new().unwrap();
    let commands: Vec<String> = blocks("README.md", "sh")
        .iter()
        .flat_map(|block| block.lines().map(str::to_string).collect::<Vec<_>>())
        .collect();
    assert!(commands.len() >= 4, "{commands:?}");
    for command in commands {
        let mut words = command.split_whitespace();
        assert_eq!(words.next(), Some("jostle"), "{command}");
        let output = Command::new(env!("CARGO_BIN_EXE_jostle"))
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_example_is_the_tested_one() {
    let example = blocks("README.md", "rust");
    assert_eq!(example.len(), 1);
    assert_eq!(example, blocks("crates/jostle-broad/README.md", "rust"));
}

#[test]
fn the_comparison_is_the_measured_one() {
    let readme = root().join("README.md");
    let path = |number: usize| root().join(format!("docs/measured/compare-{number}.json"));
    let measured = (1..).map(path).take_while(|path| path.exists());
    let folder = TempDir::new().unwrap();
    let copy = folder.path().join("README.md");
    fs::copy(&readme, &copy).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_jostle"))
        .arg("compared")
        .args(measured)
        .arg("--into")
        .arg(&copy)
        .status()
        .unwrap();
    assert!(status.success());
    let (copy, readme) = (fs::read_to_string(copy).unwrap(), fs::read_to_string(readme).unwrap());
    assert!(copy == readme, "write it again: make readme-table");
    assert!(readme.contains("<!-- compared -->\n`make compare COMPARE='"), "the command that made it");
}

#[test]
fn the_picture_is_the_one_the_command_draws() {
    let folder = TempDir::new().unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let command = readme.lines().find(|line| line.starts_with("*`jostle picture")).unwrap();
    let words: Vec<&str> = command.trim_matches(['*', '`']).split_whitespace().skip(1).collect();
    let (out, drawn) = (*words.last().unwrap(), folder.path().join("picture.svg"));
    let status = Command::new(env!("CARGO_BIN_EXE_jostle"))
        .args(&words[..words.len() - 1])
        .arg(&drawn)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    assert!(fs::read(drawn).unwrap() == fs::read(root().join(out)).unwrap(), "draw it again: {command}");
}
