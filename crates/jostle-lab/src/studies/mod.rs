//! The studies: those of the sources (by their numbers), and ours. One file each.

mod figures;
mod finders;
mod queries;
mod repeated;
mod rivals;
mod rooms;
mod s000;
mod s000_dynamic;
mod s000_initial_sort;
mod s000_simd;
mod s000_static;
mod s001_balance;
mod s001_false_sharing;
mod s001_hgrid;
mod s001_response;
mod s002_budget;
mod s002_collisions;
mod s002_cycle_time;
mod s002_parameters;
mod s002_partitioned;
mod s003;
mod s003_gpu_cpu;
mod s003_levels;
mod s003_stages;
mod spare_cores;
mod threads;
#[cfg(test)]
mod trial;
mod waiting;
mod watching;

use crate::experiment::Study;
use crate::search::Search;

/// All studies, in the order in which they are listed. A new one is one line here.
pub(crate) fn all() -> Vec<&'static dyn Study> {
    let mut all: Vec<&'static dyn Study> = vec![
        &finders::Finders,
        &threads::Threads,
        &queries::Queries,
        &rivals::Rivals,
        &Search,
        &s000_initial_sort::InitialSort,
        &s000_static::Static,
        &s000_dynamic::Dynamic,
        &s000_simd::Simd,
        &s001_false_sharing::FalseSharing,
        &s001_balance::Balance,
        &s001_hgrid::Hgrid,
        &s001_response::Response,
        &s002_cycle_time::CycleTime,
        &s002_parameters::Parameters,
        &s002_collisions::Collisions,
        &s002_budget::Budget,
        &s002_partitioned::Partitioned,
        &s003_stages::OVER_COUNT,
        &s003_gpu_cpu::GpuCpu,
        &s003_levels::DISPARITY,
        &s003_levels::COUNT,
        &s003_stages::OVER_LEVELS,
    ];
    all.extend(waiting::WAITING.iter().map(|study| study as &dyn Study));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Block, Plot};

    #[test]
    fn a_study_of_which_nothing_was_measured_says_so() {
        for study in all() {
            let report = trial::empty_report(study, &trial::options());
            assert!(!report.title.is_empty() && !report.question.is_empty(), "{}", study.about().name);
            let open = |finding: &crate::report::Finding| finding.verdict == crate::report::Verdict::Open;
            assert!(report.findings.iter().all(open), "{}", study.about().name);
        }
    }

    /// What the numbers of a plot or a table of times are: a mean is not a median.
    fn says_what_its_times_are(block: &Block) -> bool {
        let words = ["median", "mean", "worst", "longest", "p99", "each frame", "sums", "99 of 100", "once"];
        let says = |text: &str| words.iter().any(|word| text.to_lowercase().contains(word));
        match block {
            Block::Plot(Plot::Lines { caption, y, .. })
            | Block::Plot(Plot::Spreads { caption, y, .. })
            | Block::Plot(Plot::Stacks { caption, y, .. }) => !y.timed || says(caption) || says(&y.label),
            Block::Plot(Plot::Heat(heat)) => !heat.timed || says(&heat.caption),
            Block::Table(table) => {
                let timed = table.columns.iter().zip(&table.timed).filter(|(_, timed)| **timed);
                says(&table.caption)
                    || timed.clone().count() == 0
                    || timed.clone().any(|(head, _)| says(head))
            }
            Block::Heading(_) | Block::Text(_) | Block::TimedText(_) => true,
        }
    }

    #[test]
    fn every_plot_and_table_of_times_says_whether_they_are_medians_or_means() {
        let mut silent = Vec::new();
        for study in all() {
            let blocks = trial::empty_report(study, &trial::options()).blocks.into_iter();
            let wrong = blocks.filter(|block| !says_what_its_times_are(block));
            silent.extend(wrong.map(|block| (study.about().name, block)));
        }
        assert!(silent.is_empty(), "{silent:#?}");
    }

    #[test]
    fn a_study_that_waits_says_for_what() {
        let catalog = crate::finders::catalog();
        let options = trial::options();
        for study in all().into_iter().filter(|study| study.about().waits_for.is_some()) {
            let error = study.cells(&options, &catalog).err().unwrap().to_string();
            assert!(error.contains(study.about().waits_for.unwrap()), "{error}");
        }
    }

    #[test]
    fn studies_that_take_finders_are_known() {
        let names = |takes| -> Vec<&str> {
            let such = all().into_iter().filter(|study| study.takes_finders() == takes);
            such.filter(|study| study.about().waits_for.is_none()).map(|study| study.about().name).collect()
        };
        let taking = [
            "finders",
            "threads",
            "search",
            "000-initial-sort",
            "000-static",
            "000-dynamic",
            "001-hgrid",
            "002-cycle-time",
            "002-parameters",
            "002-collisions",
            "002-budget",
        ];
        for name in taking {
            assert!(names(true).contains(&name), "{name}");
        }
        for name in ["queries", "rivals", "000-simd", "001-balance", "001-false-sharing", "001-response"] {
            assert!(names(false).contains(&name), "{name}");
        }
        assert!(names(true).iter().all(|name| !name.starts_with("003")));
    }
}
