//! What a report says of how its numbers came about.

/// The machine, the versions, the options: a name and a text each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// The same in every run of the same study on the same machine.
    pub(crate) same: Vec<(String, String)>,
    /// Different in every run.
    pub(crate) varying: Vec<(String, String)>,
    /// Files beside the report that hold its numbers.
    pub(crate) files: Vec<String>,
}

/// Seconds since 1970 as date and time of day in Greenwich.
pub(crate) fn date(seconds: u64) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the day that comes and goes is their last.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year_of_era + next;
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", time / 3600, time % 3600 / 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }
}
