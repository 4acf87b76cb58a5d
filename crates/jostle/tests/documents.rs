//! What is written about the world is true: the stages of `docs/frame.md`, and the example of the README.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn the_page_about_a_frame_walks_its_stages_in_order() {
    let page = read("../../docs/frame.md");
    let headings: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(headings, jostle::STAGES);
}

#[test]
fn the_first_example_of_the_readme_is_the_one_that_can_be_run() {
    let readme = read("README.md");
    let first = readme.split("```rust\n").nth(1).unwrap().split("```").next().unwrap();
    let example = read("examples/thousand_shapes.rs");
    assert_eq!(first, example.split_once("\n\n").unwrap().1);
    let lines = example.lines().filter(|line| !line.is_empty() && !line.starts_with("//"));
    assert!(lines.count() < 30, "the first example is short");
}
