//! Tools that some of the work needs: are they there, what are they for, how are they had?

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;

/// A tool, found or not.
#[derive(Debug, Serialize)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// What it says of itself. `None`: it is not here, or does not answer.
    pub(super) version: Option<String>,
    pub(super) needed_for: &'static str,
    pub(super) remedy: &'static str,
}

/// A tool to look for: its name, commands that show its version (any of them will do), what for, how to get it.
struct Wanted {
    name: &'static str,
    commands: &'static [&'static [&'static str]],
    needed_for: &'static str,
    remedy: &'static str,
}

const WANTED: [Wanted; 8] = [
    Wanted {
        name: "valgrind",
        commands: &[&["valgrind", "--version"]],
        needed_for: "jostle measure predictable",
        remedy: "as root: apt-get install valgrind",
    },
    Wanted {
        name: "perf",
        commands: &[&["perf", "--version"]],
        needed_for: "profiles of the finders",
        remedy: "as root: apt-get install linux-perf",
    },
    Wanted {
        name: "chromium",
        commands: &[
            &["chromium", "--version"],
            &["chromium-browser", "--version"],
            &["google-chrome", "--version"],
        ],
        needed_for: "the tests of reports in a browser",
        remedy: "as root: apt-get install chromium",
    },
    Wanted {
        name: "cargo nextest",
        commands: &[&["cargo-nextest", "nextest", "--version"]],
        needed_for: "make test, faster",
        remedy: "make tools",
    },
    Wanted {
        name: "cargo miri",
        commands: &[&["cargo", "+nightly", "miri", "--version"]],
        needed_for: "make miri",
        remedy: "make tools",
    },
    Wanted {
        name: "cargo fuzz",
        commands: &[&["cargo-fuzz", "--version"]],
        needed_for: "make fuzz",
        remedy: "make tools",
    },
    Wanted {
        name: "verilator",
        commands: &[&["verilator", "--version"]],
        needed_for: "nothing yet: a hardware model is not part of jostle",
        remedy: "as root: apt-get install verilator",
    },
    Wanted {
        name: "mpirun",
        commands: &[&["mpirun", "--version"]],
        needed_for: "nothing yet: worlds on several machines are not part of jostle",
        remedy: "as root: apt-get install openmpi-bin",
    },
];

/// A tool that takes longer to say its version does not work.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn all() -> Vec<Tool> {
    let found = |wanted: &Wanted| Tool {
        name: wanted.name,
        version: wanted.commands.iter().find_map(|command| version(command)),
        needed_for: wanted.needed_for,
        remedy: wanted.remedy,
    };
    WANTED.iter().map(found).collect()
}

/// The first line a command prints, if it ends well.
fn version(command: &[&str]) -> Option<String> {
    let (program, arguments) = command.split_first()?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => {
                // It may have ended by itself in the meantime.
                let _gone = child.kill().and_then(|()| child.wait().map(|_| ()));
                return None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut text = String::new();
    child.stdout.take()?.read_to_string(&mut text).ok()?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    status.success().then(|| line.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_first_line_of_a_command_that_works() {
        assert_eq!(version(&["no-such-tool-of-jostle", "--version"]), None);
        assert!(version(&["cargo", "--version"]).is_some_and(|line| line.starts_with("cargo ")));
        assert_eq!(version(&["cargo", "no-such-command"]), None);
        assert_eq!(version(&[]), None);
    }
}
