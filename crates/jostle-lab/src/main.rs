//! The program `jostle`.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    jostle_lab::command()
}
