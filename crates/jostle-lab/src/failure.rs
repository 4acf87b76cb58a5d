//! What goes wrong, told in one line on standard error, and the exit code that goes with it.

use std::fmt;
use std::process::ExitCode;

use clap::error::ErrorKind;

use crate::stop;

/// Finders gave different pairs, or wrong ones, or a replay another state: a defect of jostle, not of the input. Exit code 1.
#[derive(Debug)]
pub(crate) struct Disagreement(pub(crate) String);

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Disagreement {}

/// What was measured is not what is promised. Exit code 3.
#[derive(Debug)]
pub(crate) struct FallsShort(pub(crate) String);

impl fmt::Display for FallsShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FallsShort {}

/// Ctrl-C was pressed; what was done until then has been printed and written. Exit code 130.
#[derive(Debug)]
pub(crate) struct Stopped(pub(crate) String);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stopped by Ctrl-C {}", self.0)
    }
}

impl std::error::Error for Stopped {}

/// Tells what went wrong.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    eprintln!("jostle: {}", one_line(&format!("{error:#}")));
    ExitCode::from(code(error))
}

fn code(error: &anyhow::Error) -> u8 {
    if error.is::<Disagreement>() {
        1
    } else if error.is::<FallsShort>() {
        3
    } else if error.is::<Stopped>() {
        stop::EXIT_CODE
    } else {
        2
    }
}

/// Prints help where it was asked for, and everything else clap has to say as one line.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        // Nothing is left to tell anyone when standard output is gone.
        let _gone = error.print();
        return ExitCode::from(error.exit_code() as u8);
    }
    let text = error.render().to_string();
    let first_paragraph: Vec<&str> = text.lines().take_while(|line| !line.trim().is_empty()).collect();
    let message = first_paragraph.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    eprintln!("jostle: {}; see `jostle --help` or `jostle COMMAND --help`", one_line(message));
    ExitCode::from(2)
}

/// File names may hold line breaks, and messages of the system may too.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_failure_has_its_exit_code() {
        assert_eq!(code(&Disagreement("a and b".to_string()).into()), 1);
        assert_eq!(code(&anyhow::anyhow!("no such file")), 2);
        assert_eq!(code(&FallsShort("1 of 2".to_string()).into()), 3);
        assert_eq!(code(&Stopped("after a frame".to_string()).into()), 130);
    }

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(one_line("a:\r\n  b\n\n"), "a: b");
    }
}
