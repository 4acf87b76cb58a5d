//! The machine that numbers are from.

use std::fs;

/// One line for the top of a report.
pub(crate) fn line() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = cpu_name().unwrap_or_else(|| "unknown processor".to_string());
    let lanes = jostle_broad::Lanes::best();
    format!("{cpu}, {cores} cores, {} {}, jostle lanes {lanes}", std::env::consts::OS, std::env::consts::ARCH)
}

fn cpu_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// Bytes of memory that are free, where the system says so.
pub(super) fn available_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}
