//! Studies of the sources that cannot run yet: they are listed, and say what they wait for.

use anyhow::{Result, bail};
use jostle_broad::Catalog;

use crate::experiment::{About, Cell, Options, Results, Study};
use crate::report::Report;

/// A study that waits for a part of jostle.
pub(super) struct Waiting(About);

const CO_PROCESSOR: &str = "the co-processor model (area-efficient and many-object)";
const CLUSTER: &str = "worlds on several computers";

const fn waiting(
    name: &'static str,
    about: &'static str,
    source: &'static str,
    waits_for: &'static str,
) -> Waiting {
    Waiting(About { name, about, source, waits_for: Some(waits_for) })
}

pub(super) static WAITING: [Waiting; 6] = [
    waiting(
        "002-coprocessor",
        "all pairs on a co-processor beside all-pairs and sap, 100 to 16,000 objects",
        "Woulfe's thesis, sections 5.2 and 5.3",
        CO_PROCESSOR,
    ),
    waiting(
        "002-coprocessor-collisions",
        "time of the co-processor over the number of colliding pairs",
        "Woulfe's thesis, section 5.3",
        CO_PROCESSOR,
    ),
    waiting(
        "004-speed-up",
        "speed-up of many worlds over one: the slowest world of each time step counts",
        "SODA CD, section 4.2, 'Measurement of scalability'",
        CLUSTER,
    ),
    waiting(
        "004-cubes",
        "how many falling cubes many worlds hold at 24 frames a second",
        "SODA CD, section 4.2, 'Raw performance'",
        CLUSTER,
    ),
    waiting(
        "004-peaks",
        "how long a ring of past states absorbs a peak of collisions, by its size and the peak's cost",
        "SODA CD, section 4.2, 'Resistance to computational peaks'",
        CLUSTER,
    ),
    waiting(
        "004-synchronisation",
        "time spent waiting and recomputing, share of bodies that synchronise, bytes a tick",
        "SODA CD, section 4.2, 'Synchronization'",
        CLUSTER,
    ),
];

impl Study for Waiting {
    fn about(&self) -> About {
        self.0
    }

    fn cells<'a>(&self, _options: &'a Options, _catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        bail!("{} cannot run yet: it waits for {}", self.0.name, self.0.waits_for.unwrap_or("nothing"));
    }

    fn report(&self, _results: &Results) -> Report {
        Report { title: self.0.name.to_string(), question: self.0.about.to_string(), ..Report::default() }
    }
}
