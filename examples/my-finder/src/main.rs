//! The command `jostle` with one finder more.

fn main() -> std::process::ExitCode {
    jostle_lab::command_with(|catalog| {
        catalog.register("mine", "sorted along x and swept: an example", my_finder::SortAndSweep::default);
    })
}
