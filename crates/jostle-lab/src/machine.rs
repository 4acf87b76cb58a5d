//! The machine a number was measured on, and whether it has the memory for what is asked.

use std::fs;

use anyhow::{Result, bail};
use jostle_broad::{Boxes, Lanes};
use serde::{Deserialize, Serialize};

use crate::numbers::{bytes, grouped};

/// What a report says about the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) arch: String,
    pub(crate) os: String,
    /// Vector instructions it has, narrowest first.
    pub(crate) lanes: Vec<String>,
    pub(crate) jostle: String,
}

impl Machine {
    pub(crate) fn here() -> Self {
        Self {
            cpu: cpu_name().unwrap_or_else(|| "unknown".to_string()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            arch: std::env::consts::ARCH.to_string(),
            os: std::env::consts::OS.to_string(),
            lanes: Lanes::available().into_iter().map(|lanes| lanes.name().to_string()).collect(),
            jostle: env!("CARGO_PKG_VERSION").to_string(),
        }
    }

    /// One line for the top of a table.
    pub(crate) fn line(&self) -> String {
        format!("{}, {} cores, {} {}, jostle {}", self.cpu, self.cores, self.os, self.arch, self.jostle)
    }
}

fn cpu_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// Bytes that a stream holds for a box, with room for what the allocator adds.
const STREAM_BYTES: u128 = 64;
/// Bytes that the store and a finder hold for a box, roughly: most finders hold less.
const FINDER_BYTES: u128 = 256;
/// Assumed where the system does not say.
const USUAL_MEMORY: u128 = 8 << 30;
/// Refuses more boxes than the memory holds: running out of it later would end the process without a word.
pub(crate) fn check_memory(n: usize, finders: usize) -> Result<()> {
    let need = n as u128 * (STREAM_BYTES + FINDER_BYTES * finders as u128);
    let available = available_memory().unwrap_or(USUAL_MEMORY);
    if n > Boxes::MAX_BOXES || need > available {
        bail!(
            "{} boxes need about {} of memory, and {} are available; \
             choose a smaller --n (of a scene file `objects`) or fewer finders",
            grouped(n as u64),
            bytes(u64::try_from(need).unwrap_or(u64::MAX)),
            bytes(u64::try_from(available).unwrap_or(u64::MAX)),
        );
    }
    Ok(())
}

/// Bytes that a scene and its world hold for a body with its contacts, roughly.
const BODY_BYTES: u128 = 4096;

/// Refuses more bodies than the memory holds.
pub(crate) fn check_world_memory(bodies: usize) -> Result<()> {
    let need = bodies as u128 * BODY_BYTES;
    let available = available_memory().unwrap_or(USUAL_MEMORY);
    if bodies > Boxes::MAX_BOXES / 2 || need > available {
        bail!(
            "{} bodies need about {} of memory, and {} are available; \
             choose fewer --bodies (of other commands --n, of a scene file `objects`)",
            grouped(bodies as u64),
            bytes(u64::try_from(need).unwrap_or(u64::MAX)),
            bytes(u64::try_from(available).unwrap_or(u64::MAX)),
        );
    }
    Ok(())
}

/// Bytes that object paths hold for a box that moves, and its id.
const PATH_BYTES: u128 = 28;

/// Refuses more frames of boxes than the memory holds.
pub(crate) fn check_paths_memory(boxes: usize, frames: u32) -> Result<()> {
    let need = boxes as u128 * (BODY_BYTES + PATH_BYTES * u128::from(frames));
    let available = available_memory().unwrap_or(USUAL_MEMORY);
    if need > available {
        bail!(
            "{} frames of {} boxes need up to {} of memory, and {} are available; choose fewer frames or objects",
            grouped(frames.into()),
            grouped(boxes as u64),
            bytes(u64::try_from(need).unwrap_or(u64::MAX)),
            bytes(u64::try_from(available).unwrap_or(u64::MAX)),
        );
    }
    Ok(())
}

fn available_memory() -> Option<u128> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u128 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Bytes that a finder and what is compared with it need for a pair, at most.
const PAIR_BYTES: u128 = 64;

/// How many pairs each of several finders may find without running out of memory.
pub(crate) fn affordable_pairs(finders: usize) -> usize {
    let available = available_memory().unwrap_or(USUAL_MEMORY);
    usize::try_from(available / (PAIR_BYTES * finders.max(1) as u128)).unwrap_or(usize::MAX)
}
