//! What a pile costs asleep, beside what it cost just before it slept.

use anyhow::{Result, ensure};

use super::world::TimedWorld;
use super::{Figure, Verdicts};
use crate::numbers::parse_count;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: jostle measure world-sleep --n 1k")]
pub(crate) struct Arguments {
    /// How many bodies
    #[arg(long, value_name = "COUNT", default_value = "10k", value_parser = parse_count)]
    n: usize,
    /// The scene, by name (see `jostle scenes`)
    #[arg(long, value_name = "NAME", default_value = "pit")]
    scene: String,
    /// The most frames it is given to come to rest and fall asleep
    #[arg(long, value_name = "COUNT", default_value_t = 1200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    dozing: u32,
    /// Frames measured
    #[arg(long, value_name = "COUNT", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: u32,
    /// Another seed gives other bodies
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// The most that it may cost asleep, of what it cost before.
const SHARE: f64 = 0.03;
/// As long as so many are awake it counts as awake: single ones sleep early.
const NEARLY_ALL: f64 = 0.95;
const HEADS: [&str; 7] = ["scene", "bodies", "awake ms", "still awake", "asleep ms", "share", ""];

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    ensure!(arguments.n > 0, "--n: give at least one body");
    let mut pile = TimedWorld::new(&arguments.scene, arguments.n, arguments.seed, true, 1)?;
    let frames = arguments.frames as usize;
    let mut awake_ms = f64::NAN;
    for frame in 0..arguments.dozing {
        pile.frame()?;
        // Measured again until the first of them sleep.
        let enough = pile.report.awake as f64 >= NEARLY_ALL * arguments.n as f64;
        if enough && (frame + 1).is_multiple_of(arguments.frames) {
            awake_ms = pile.median_ms(frames);
        }
        if pile.report.awake == 0 {
            break;
        }
    }
    let still_awake = pile.report.awake;
    (0..arguments.frames).try_for_each(|_| pile.frame())?;
    let asleep_ms = pile.median_ms(frames);
    let share = asleep_ms / awake_ms;
    let mut verdicts = Verdicts::default();
    let row = [
        Figure::word(&arguments.scene),
        Figure::count(arguments.n),
        Figure::Milliseconds(awake_ms),
        Figure::count(still_awake),
        Figure::Milliseconds(asleep_ms),
        Figure::Percent(100.0 * share),
        Figure::word(verdicts.note(share <= SHARE)),
    ];
    let promise = "a pile asleep, one thread: at most 3 % of what it cost just before it slept";
    verdicts.conclude(promise, HEADS, &[row], arguments.json)
}
