//! The command with finders on a GPU, on a software adapter: their pairs are the truth, adapters are listed, chosen and refused.

#![cfg(feature = "gpu")]

use std::path::Path;
use std::process::{Command, Output};

use jostle_broad::scene::StreamKind;
use serde_json::Value;
use tempfile::TempDir;

const FINDERS: [&str; 3] = ["gpu", "gpu-hgrid", "gpu-cells"];

fn jostle(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_jostle"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("JOSTLE_ADAPTER")
        .output()
        .unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = jostle(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a refused command says. A driver may have its own words before it.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = jostle(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    let own: Vec<&str> = said.lines().filter(|line| line.starts_with("jostle: ")).collect();
    assert_eq!(own.len(), 1, "{said}");
    own[0].to_string()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

#[test]
fn pairs_are_the_truth_on_every_stream() {
    let folder = TempDir::new().unwrap();
    let finders = format!("{},auto", FINDERS.join(","));
    let arguments = ["bench", "--json", "--stream", "all", "--n", "1,400", "--frames", "4", "--verify"];
    let chosen = ["--finders", &finders, "--adapter", "software"];
    let report = json(folder.path(), &[&arguments[..], &chosen[..]].concat());
    let rows = report["results"].as_array().unwrap();
    assert_eq!(rows.len(), StreamKind::ALL.len() * 2 * 4);
    for row in rows {
        assert_eq!(row["verified"], Value::Bool(true), "{row}");
        assert_eq!(row["pairs"].as_u64().unwrap() > 0, row["n"] == 400, "{row}");
    }
    let cells = rows.iter().find(|row| row["finder"] == "gpu-cells" && row["n"] == 400).unwrap();
    let stages: Vec<&str> =
        cells["stages"].as_array().unwrap().iter().map(|stage| text(&stage["stage"])).collect();
    assert_eq!(stages, ["store", "partition", "device", "narrow phase"]);
}

#[test]
fn the_doctor_lists_adapters_and_checks_finders_on_one() {
    let folder = TempDir::new().unwrap();
    let report = json(folder.path(), &["doctor", "--json", "--adapter", "software"]);
    let adapters = report["adapters"].as_array().unwrap();
    let software = adapters.iter().find(|adapter| adapter["kind"] == "software").unwrap();
    assert!(!text(&software["name"]).is_empty() && !text(&software["driver"]).is_empty(), "{software}");
    assert!(software["binding_bytes"].as_u64().unwrap() >= 1 << 27, "{software}");
    assert!(software["timestamps"].is_boolean() && software["index"].is_u64(), "{software}");
    let on_gpu =
        report["checks"].as_array().unwrap().iter().find(|check| text(&check["what"]).contains("GPU"));
    assert_eq!(on_gpu.unwrap()["holds"], Value::Bool(true), "{report}");
    let said = jostle(folder.path(), &["doctor"]);
    assert!(String::from_utf8(said.stdout).unwrap().contains(text(&software["name"])));
}

#[test]
fn an_adapter_is_chosen_by_number_or_name_and_refused_with_those_there_are() {
    let folder = TempDir::new().unwrap();
    let report = json(folder.path(), &["doctor", "--json"]);
    let adapters = report["adapters"].as_array().unwrap();
    let software = adapters.iter().find(|adapter| adapter["kind"] == "software").unwrap();
    let number = software["index"].to_string();
    let bench = ["bench", "--n", "50", "--frames", "2", "--finders", "gpu", "--adapter"];
    for adapter in [number.as_str(), text(&software["name"])] {
        let output = jostle(folder.path(), &[&bench[..], &[adapter]].concat());
        assert!(output.status.success(), "{adapter}: {}", String::from_utf8_lossy(&output.stderr));
    }
    for impossible in ["999", "no such adapter", "-"] {
        let said = refusal(folder.path(), &[&bench[..], &[impossible]].concat());
        assert!(said.contains(&format!("`{impossible}`")), "{said}");
        assert!(said.contains(text(&software["name"])), "{said}");
    }
}

#[test]
fn auto_has_the_true_pairs_with_a_gpu_to_choose_and_without_any() {
    let folder = TempDir::new().unwrap();
    // From 50,000 boxes on it looks for a GPU.
    let bench =
        ["bench", "--json", "--stream", "fast", "--n", "51k", "--frames", "3", "--verify", "--finders"];
    for (adapter, drivers) in [(Some("software"), None), (None, None), (None, Some("/nowhere"))] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jostle"));
        command.args(bench).arg("auto").current_dir(folder.path()).env_remove("JOSTLE_ADAPTER");
        command.args(adapter.into_iter().flat_map(|adapter| ["--adapter", adapter]));
        for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            command.envs(drivers.map(|drivers| (variable, drivers)));
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{adapter:?} {drivers:?}: {said}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = report["results"].as_array().unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["verified"], Value::Bool(true), "{adapter:?} {drivers:?}: {report}");
    }
}

#[test]
fn without_hardware_all_skips_what_a_name_insists_on() {
    let folder = TempDir::new().unwrap();
    let adapters = json(folder.path(), &["doctor", "--json"])["adapters"].clone();
    if adapters.as_array().unwrap().iter().any(|adapter| adapter["kind"] != "software") {
        eprintln!("this machine has a GPU: nothing is skipped on it");
        return;
    }
    let small = ["bench", "--n", "50", "--frames", "2", "--finders"];
    let output = jostle(folder.path(), &[&small[..], &["all"]].concat());
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("jostle: gpu, gpu-hgrid, gpu-cells: skipped: "), "{said}");
    assert!(!String::from_utf8(output.stdout).unwrap().contains("gpu"));
    for finder in FINDERS {
        let said = refusal(folder.path(), &[&small[..], &[finder]].concat());
        assert!(said.contains(finder) && said.contains("software"), "{said}");
    }
}

#[test]
fn the_grid_of_003_runs_on_cpu_and_gpu_with_its_stages() {
    let folder = TempDir::new().unwrap();
    let study = ["experiment", "003-stages", "--frames", "3"];
    let report = json(folder.path(), &[&study[..], &["--adapter", "software", "--json"]].concat());
    assert_eq!(report["cells"], report["measured"], "{report}");
    assert_eq!(report["options"]["adapter"]["kind"], "software", "{report}");
    let statistics = report["statistics"].as_array().unwrap();
    for (who, stage) in
        [("1 level", "stage:construct"), ("GPU, 1 level", "stage:upload"), ("GPU, 1 level", "stage:traverse")]
    {
        let there = statistics.iter().any(|line| line["who"] == who && line["measure"] == stage);
        assert!(there, "{who}: {stage}");
    }
    // Samples of another adapter, or of none, are other samples.
    let adapters = json(folder.path(), &["doctor", "--json"])["adapters"].clone();
    let best = adapters.as_array().unwrap().iter().find(|adapter| adapter["kind"] != "software");
    let best = best.map_or("none", |adapter| text(&adapter["name"]));
    let said = refusal(folder.path(), &study);
    assert!(said.contains("--adapter") && said.contains(&format!("not {best}")), "{said}");
}

#[test]
fn a_partitioned_co_processor_is_counted_and_timed() {
    let folder = TempDir::new().unwrap();
    let study = ["experiment", "002-partitioned", "--frames", "3", "--adapter", "software", "--json"];
    let report = json(folder.path(), &study);
    assert_eq!((&report["cells"], &report["measured"]), (&Value::from(2), &Value::from(2)), "{report}");
    let statistics = report["statistics"].as_array().unwrap();
    for measure in
        ["cells", "objects-per-cell", "duplicates", "stage:partition", "stage:device", "stage:narrow phase"]
    {
        for who in ["grid, 2048 in a cell", "tree, 1024 in a cell"] {
            let there = statistics.iter().any(|line| line["who"] == who && line["measure"] == measure);
            assert!(there, "{who}: {measure}");
        }
    }
    let bounds = &report["findings"][0];
    assert_eq!(bounds["verdict"], "agrees", "{bounds}");
}
