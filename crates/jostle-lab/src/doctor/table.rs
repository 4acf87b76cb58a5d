//! What was found, for people.

use super::Findings;
use super::tools::Tool;
use crate::gpu::AdapterFacts;
use crate::numbers::bytes;

pub(super) fn render(findings: &Findings) -> String {
    let mut text = format!("{}\n\n", findings.machine.line());
    let mut line = |name: &str, what: &str| text.push_str(&format!("  {name:<9}{what}\n"));
    line("lanes", &format!("{} (the last is the widest, and used)", findings.machine.lanes.join(", ")));
    let memory = findings.memory.as_ref();
    line(
        "memory",
        &memory.map_or("unknown".to_string(), |memory| {
            format!("{}, {} of it available", bytes(memory.bytes), bytes(memory.available))
        }),
    );
    let caches =
        findings.caches.iter().map(|cache| format!("L{} {} {}", cache.level, cache.kind, bytes(cache.bytes)));
    let caches: Vec<String> = caches.collect();
    line("caches", &if caches.is_empty() { "unknown".to_string() } else { caches.join(", ") });
    let threads = &findings.threads;
    line(
        "threads",
        &format!(
            "{} do a plain loop {:.2} times as fast as one, at this moment ({:.2} against {:.2} ms){}",
            threads.threads,
            threads.gain,
            threads.all_ms,
            threads.one_ms,
            if threads.is_meagre() {
                "; the cores are busy or fewer: figures with threads say little now"
            } else {
                ""
            }
        ),
    );
    let devices: Vec<&str> = findings.devices.iter().map(|device| device.file.as_str()).collect();
    line("graphics", &if devices.is_empty() { "no device files".to_string() } else { devices.join(", ") });

    if let Some(adapters) = &findings.adapters {
        text.push_str("\nadapters (`--adapter` chooses one by number or name)\n");
        if adapters.is_empty() {
            text.push_str("  none; as root: apt-get install mesa-vulkan-drivers libvulkan1 (a CPU in disguise, for checks)\n");
        }
        for facts in adapters {
            text.push_str(&adapter_line(facts));
        }
    }
    text.push_str("\nchecked here and now\n");
    for check in &findings.checks {
        let mark = if check.holds { "ok" } else { "WRONG" };
        text.push_str(&format!("  {mark:<9}{}\n", check.what));
    }
    text.push_str("\ntools (none of them is needed to run worlds or finders)\n");
    for tool in &findings.tools {
        text.push_str(&tool_lines(tool));
    }
    text.push_str("\nnot part of this build\n");
    for part in &findings.not_in_this_build {
        text.push_str(&format!("  {part}\n"));
    }
    text
}

fn adapter_line(facts: &AdapterFacts) -> String {
    let subgroups = match facts.subgroup {
        Some((least, most)) if least == most => format!("subgroups of {most}"),
        Some((least, most)) => format!("subgroups of {least} to {most}"),
        None => "no subgroups".to_string(),
    };
    format!(
        "  {:<9}{} ({}, {}, {}), buffers up to {}, {subgroups}, {}\n",
        facts.adapter.index,
        facts.adapter.name,
        facts.adapter.kind,
        facts.interface,
        facts.driver,
        bytes(facts.binding_bytes),
        if facts.timestamps { "timestamps" } else { "no timestamps: the device's times are not known" },
    )
}

fn tool_lines(tool: &Tool) -> String {
    match &tool.version {
        Some(version) => format!("  {:<9}{:<14} for {}: {version}\n", "ok", tool.name, tool.needed_for),
        None => format!("  {:<9}{:<14} for {}; {}\n", "missing", tool.name, tool.needed_for, tool.remedy),
    }
}
