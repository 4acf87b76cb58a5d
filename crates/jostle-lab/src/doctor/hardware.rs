//! Memory, caches and devices, as Linux tells them. Elsewhere little is known, and nothing is guessed.

use std::fs;
use std::path::Path;

use serde::Serialize;

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Memory {
    pub(super) bytes: u64,
    pub(super) available: u64,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Cache {
    pub(super) level: u8,
    /// Data, instruction, or unified.
    pub(super) kind: String,
    pub(super) bytes: u64,
}

/// A device file of a graphics processor.
#[derive(Debug, Serialize)]
pub(super) struct Device {
    pub(super) file: String,
}

pub(super) fn memory() -> Option<Memory> {
    parse_memory(&fs::read_to_string("/proc/meminfo").ok()?)
}

fn parse_memory(text: &str) -> Option<Memory> {
    let of = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
    };
    Some(Memory { bytes: of("MemTotal:")?, available: of("MemAvailable:")? })
}

/// The caches of the first core, nearest first.
pub(super) fn caches() -> Vec<Cache> {
    caches_in(Path::new("/sys/devices/system/cpu/cpu0/cache"))
}

fn caches_in(folder: &Path) -> Vec<Cache> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let cache = |folder: &Path| {
        let read = |name: &str| Some(fs::read_to_string(folder.join(name)).ok()?.trim().to_string());
        let bytes = parse_size(&read("size")?)?;
        Some(Cache { level: read("level")?.parse().ok()?, kind: read("type")?.to_lowercase(), bytes })
    };
    let mut caches: Vec<Cache> = entries.filter_map(|entry| cache(&entry.path())).collect();
    caches.sort_by(|a, b| (a.level, &a.kind).cmp(&(b.level, &b.kind)));
    caches
}

/// Sizes such as `48K`.
fn parse_size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Device files through which graphics processors are reached, whether or not a driver answers there.
pub(super) fn devices() -> Vec<Device> {
    let mut files = Vec::new();
    for (folder, prefix) in [("/dev/dri", "renderD"), ("/dev", "nvidia"), ("/dev", "kfd")] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let rest = name.strip_prefix(prefix);
            if rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())) {
                files.push(format!("{folder}/{name}"));
            }
        }
    }
    files.sort();
    files.into_iter().map(|file| Device { file }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let text = "MemTotal:       8000 kB\nMemFree: 1 kB\nMemAvailable:   5000 kB\n";
        assert_eq!(parse_memory(text), Some(Memory { bytes: 8000 << 10, available: 5000 << 10 }));
        assert_eq!(parse_memory("MemTotal: much\n"), None);
        for (text, size) in
            [("48K", Some(48 << 10)), ("2M", Some(2 << 20)), ("512", Some(512)), ("", None), ("K", None)]
        {
            assert_eq!(parse_size(text), size, "{text}");
        }
    }

    #[test]
    fn caches_come_nearest_first() {
        let folder = tempfile::TempDir::new().unwrap();
        for (index, level, kind, size) in
            [(0, "2", "Unified", "1M"), (1, "1", "Data", "48K"), (2, "1", "Data", "?")]
        {
            let cache = folder.path().join(format!("index{index}"));
            fs::create_dir(&cache).unwrap();
            for (name, text) in [("level", level), ("type", kind), ("size", size)] {
                fs::write(cache.join(name), format!("{text}\n")).unwrap();
            }
        }
        let cache = |level, kind: &str, bytes| Cache { level, kind: kind.to_string(), bytes };
        assert_eq!(caches_in(folder.path()), [cache(1, "data", 48 << 10), cache(2, "unified", 1 << 20)]);
    }
}
