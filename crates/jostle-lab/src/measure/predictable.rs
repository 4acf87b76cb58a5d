//! How much frames of steady streams differ, by instructions: a count repeats where a clock does not.
//!
//! Runs `jostle bench` under valgrind's callgrind, which counts inside `Member::one_frame` only and writes one file per
//! call of `Member::step` around it (it does not do both for one function). Valgrind has no AVX-512, so the kernels are the narrower ones. `auto` decides by work here: valgrind's
//! clock would mislead it.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::auto::{SWITCH, Switches};
use super::{Figure, MOVING, Scope, Verdicts};
use crate::finders::AUTO_BY_WORK;
use crate::numbers::{grouped, median, percentile};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle measure predictable --stream pile --finders sweep")]
pub(crate) struct Arguments {
    #[command(flatten)]
    scope: Scope,
    /// The finders to run
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values = ["sweep", "bvh", AUTO_BY_WORK])]
    finders: Vec<String>,
}

const FRAMES: u32 = 120;
/// Frames before the counted ones.
const WARM_UP: u32 = 10;
/// How many times the median 99 of 100 frames may cost.
const PROMISED: f64 = 1.5;
const HEADS: [&str; 9] =
    ["stream", "boxes", "finder", "median", "p99", "p99/median", "switches", "worst switch", ""];

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let valgrind = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    if !valgrind.is_ok_and(|status| status.success()) {
        bail!("instructions are counted by valgrind, which is not here; as root: apt-get install valgrind");
    }
    let frames = arguments.scope.frames.unwrap_or(FRAMES);
    let (mut rows, mut verdicts) = (Vec::new(), Verdicts::default());
    for (kind, n) in arguments.scope.cells(&MOVING, &[10_000])? {
        for finder in &arguments.finders {
            eprintln!("jostle: {finder} on {}, n = {}", kind.name(), grouped(n as u64));
            let seed = arguments.scope.seed;
            let run = count(finder, kind.name(), n, WARM_UP + frames, seed)
                .with_context(|| format!("{finder} on {}", kind.name()))?;
            let steady = &run.instructions[WARM_UP as usize..];
            let (Some(middle), Some(p99)) = (median(steady), percentile(steady, 0.99)) else {
                bail!("no frame was counted");
            };
            let switches = Switches::among(&run.instructions, &run.details);
            let is_auto = finder == AUTO_BY_WORK;
            let worst = switches.worst.filter(|_| is_auto);
            let (steady, cheap) = (p99 <= PROMISED * middle, worst.is_none_or(|worst| worst <= SWITCH));
            let why = match (steady, cheap) {
                (true, true) => "",
                (false, true) => ": p99",
                (true, false) => ": a switch",
                (false, false) => ": p99, a switch",
            };
            let verdict = format!("{}{why}", verdicts.note(steady && cheap));
            rows.push([
                Figure::word(kind.name()),
                Figure::count(n),
                Figure::word(finder),
                Figure::Count(middle as u64),
                Figure::Count(p99 as u64),
                Figure::Times(p99 / middle),
                if is_auto { Figure::count(switches.frames) } else { Figure::Nothing },
                Figure::times(worst),
                Figure::word(verdict),
            ]);
        }
    }
    let promise = format!(
        "instructions of {frames} frames after {WARM_UP} on steady streams: 99 of 100 within 1.5 times the median \
         (and the worst frame of a trial or switch of auto within 3)"
    );
    verdicts.conclude(&promise, HEADS, &rows, arguments.scope.json)
}

/// What was counted of one finder on one stream.
struct Counted {
    /// Of every frame, the first included.
    instructions: Vec<f64>,
    /// What the finder said of it.
    details: Vec<Option<String>>,
}

fn count(finder: &str, stream: &str, n: usize, frames: u32, seed: u64) -> Result<Counted> {
    let folder = Scratch::new()?;
    let mut out = OsString::from("--callgrind-out-file=");
    out.push(folder.0.join("frame"));
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*one_frame*", "--dump-after=*Member::step*"])
        .arg(out)
        .arg(std::env::current_exe()?)
        .args(["bench", "--json", "--each-frame", "--stream", stream, "--finders", finder])
        .args(["--n", &n.to_string(), "--frames", &frames.to_string(), "--seed", &seed.to_string()])
        .stderr(Stdio::piped())
        .output()
        .context("cannot run valgrind")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("valgrind failed: {}", said.lines().last().unwrap_or("without a word"));
    }
    let report: Value = serde_json::from_slice(&output.stdout).context("of the bench")?;
    let each_frame = report["results"][0]["each_frame"].as_array().cloned().unwrap_or_default();
    let details = each_frame.iter().map(|frame| frame["detail"].as_str().map(str::to_string)).collect();
    let instructions =
        (1..=frames).map(|number| read_count(&folder.0, number)).collect::<Result<Vec<f64>>>()?;
    ensure!(each_frame.len() == instructions.len(), "the bench ran {} frames", each_frame.len());
    Ok(Counted { instructions, details })
}

fn read_count(folder: &Path, number: u32) -> Result<f64> {
    let path = folder.join(format!("frame.{number}"));
    let text =
        fs::read_to_string(&path).context("callgrind wrote no file for a frame: was the name lost?")?;
    instructions(&text).with_context(|| format!("{}: callgrind counted nothing", path.display()))
}

/// The instructions that a file of callgrind counts in all.
fn instructions(text: &str) -> Option<f64> {
    let total =
        |line: &str| line.strip_prefix("totals:").or(line.strip_prefix("summary:"))?.trim().parse().ok();
    text.lines().rev().find_map(total).filter(|count| *count > 0.0)
}

/// A folder that goes when it is done with.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("jostle-predictable-{}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing more can be done about a folder that cannot be removed.
        let _left = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_of_a_profile_is_read() {
        let profile = "version: 1\npart: 3\nevents: Ir\nsummary: 12\nfn=(1) one_frame\n7 5\n\ntotals: 12\n";
        assert_eq!(instructions(profile), Some(12.0));
        assert_eq!(instructions("events: Ir\nsummary: 7\n"), Some(7.0));
        assert_eq!(instructions("totals: 0\n"), None);
        assert_eq!(instructions("totals: many\n"), None);
    }
}
