//! `jostle completions` and `jostle man`: what shells and `man` want to know, from the same description of the command
//! that reads its arguments.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;

use crate::output::{self, WholeFile};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    jostle completions bash > ~/.local/share/bash-completion/completions/jostle\n  \
    jostle completions zsh > ~/.zfunc/_jostle\n  \
    jostle completions fish > ~/.config/fish/completions/jostle.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell to complete for
    #[arg(value_name = "SHELL")]
    shell: Shell,
    /// Print one JSON object that holds the script
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle man ~/.local/share/man/man1, then man jostle-bench")]
pub(crate) struct ManArguments {
    /// The folder to write to: one page for each command; made if it is not there
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Print one JSON object about the pages
    #[arg(long)]
    json: bool,
}

/// Prints the script of a shell for a program of this name.
pub(crate) fn completions(
    arguments: &CompletionsArguments,
    mut command: Command,
    program: &str,
) -> Result<()> {
    let script = script(arguments.shell, &mut command, program);
    if arguments.json {
        let shell = arguments.shell.to_string();
        return output::print_json(&json!({ "shell": shell, "program": program, "script": script }));
    }
    output::print(&script)
}

fn script(shell: Shell, command: &mut Command, program: &str) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, command, program, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes the pages of a command and all its subcommands.
pub(crate) fn man(arguments: &ManArguments, command: Command) -> Result<()> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be made; name a folder that is yours", folder.display()))?;
    let pages = pages(command)?;
    for (name, page) in &pages {
        let mut file = WholeFile::create(&folder.join(Path::new(name)))?;
        file.write(page)?;
        file.commit()?;
    }
    if arguments.json {
        let names: Vec<&String> = pages.iter().map(|(name, _)| name).collect();
        return output::print_json(&json!({ "folder": folder, "pages": names }));
    }
    output::print(&format!("{}: {} pages, jostle.1 first\n", folder.display(), pages.len()))
}

/// The pages by the names of their files.
fn pages(command: Command) -> Result<Vec<(String, Vec<u8>)>> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    let mut waiting = vec![command];
    while let Some(command) = waiting.pop() {
        waiting.extend(command.get_subcommands().cloned());
        let man = Man::new(command);
        let mut page = Vec::new();
        man.render(&mut page).context("a manual page cannot be made")?;
        pages.push((man.get_filename(), page));
    }
    pages.sort();
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, ValueEnum};

    use super::*;

    /// The names of a command's subcommands, such as `measure order`, itself first.
    fn names(command: &Command, before: &str) -> Vec<String> {
        let mut all = Vec::new();
        for below in command.get_subcommands() {
            let name = format!("{before}{}", below.get_name());
            all.push(name.clone());
            all.extend(names(below, &format!("{name} ")));
        }
        all
    }

    #[test]
    fn every_command_has_a_page() {
        let pages = pages(crate::Cli::command()).unwrap();
        let expected = names(&crate::Cli::command(), "");
        assert!(expected.len() > 12, "{expected:?}");
        assert_eq!(pages.len(), expected.len() + 1, "one for each command, and that of jostle itself");
        for name in expected {
            let file = format!("jostle-{}.1", name.replace(' ', "-"));
            let (_, page) = pages.iter().find(|(there, _)| *there == file).expect(&file);
            let page = String::from_utf8(page.clone()).unwrap();
            for part in [".TH ", ".SH NAME", ".SH SYNOPSIS", "Example"] {
                assert!(page.contains(part), "{part} in {file}: {page}");
            }
        }
    }

    #[test]
    fn every_shell_knows_every_command() {
        for shell in Shell::value_variants() {
            let script = script(*shell, &mut crate::Cli::command(), "jostle");
            for name in names(&crate::Cli::command(), "") {
                let last = name.split(' ').next_back().unwrap();
                assert!(script.contains(last), "{shell}: {name}");
            }
            assert!(script.contains("--verify"), "{shell}");
        }
    }
}
