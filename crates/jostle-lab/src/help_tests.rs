//! The help of every command, from the description that reads the arguments.

use clap::{Command, CommandFactory, Parser};

use crate::Cli;

/// Every command with the words that call it, itself first.
fn every_command(command: &Command, words: &str) -> Vec<(String, Command)> {
    let mut all = vec![(words.to_string(), command.clone())];
    for below in command.get_subcommands() {
        all.extend(every_command(below, &format!("{words} {}", below.get_name())));
    }
    all
}

/// The commands an example consists of: one line each, or several joined by `, then`; without what a shell would do.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().map(|line| {
        let line = line.trim();
        line.strip_prefix("Example: ").or(line.strip_prefix("Examples: ")).unwrap_or(line)
    });
    let commands = lines.flat_map(|line| line.split(", then "));
    let commands = commands.map(|command| command.split(" > ").next().unwrap_or_default().trim().to_string());
    commands.filter(|command| command.starts_with("jostle ")).collect()
}

#[test]
fn every_command_has_an_example_that_works() {
    for (words, command) in every_command(&Cli::command(), "jostle") {
        let help = command.get_after_help().unwrap_or_else(|| panic!("{words}: no example")).to_string();
        let examples = examples(&help);
        assert!(
            examples.iter().any(|example| example.starts_with(&words)),
            "{words}: no example of it in {help}"
        );
        for example in examples {
            if let Err(error) = Cli::try_parse_from(example.split(' ')) {
                panic!("{words}: `{example}`: {error}");
            }
        }
    }
}

#[test]
fn every_command_and_every_argument_says_what_it_is() {
    Cli::command().debug_assert();
    for (words, command) in every_command(&Cli::command(), "jostle") {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(about.len() > 10 && about.lines().count() == 1, "{words}: {about:?}");
        for argument in command.get_arguments().filter(|argument| argument.get_id() != "help") {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.len() > 5, "{words} {}: {help:?}", argument.get_id());
        }
    }
}

#[test]
fn every_command_speaks_to_programs() {
    for (words, command) in every_command(&Cli::command(), "jostle") {
        if command.get_subcommands().next().is_none() {
            let json = command.get_arguments().any(|argument| argument.get_id() == "json");
            assert!(json, "{words}: no --json");
        }
    }
}
