//! Tells the command which revision of its sources it is built from: `JOSTLE_REVISION`, where git knows.

use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}

fn main() {
    // An unpacked package may lie in somebody else's repository.
    if git(&["ls-files", "--error-unmatch", "Cargo.toml"]).is_none() {
        println!("cargo::rerun-if-changed=build.rs");
        return;
    }
    // The sources of all crates, and the moves of HEAD.
    for sources in ["build.rs", "src", "../jostle/src", "../jostle-broad/src"] {
        println!("cargo::rerun-if-changed={sources}");
    }
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    let changed = git(&["status", "--porcelain", "--", "src", "../jostle/src", "../jostle-broad/src"])
        .is_none_or(|files| !files.is_empty());
    if let Some(revision) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo::rustc-env=JOSTLE_REVISION={revision}{}", if changed { "+" } else { "" });
    }
}
