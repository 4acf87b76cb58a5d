//! Built with finders on a GPU.

use std::time::Duration;

use anyhow::{Result, bail};
use jostle_broad::{Boxes, Catalog, FindError, FindReport, FindSettings, PairBuffer, PairFinder};
use jostle_gpu::{
    AdapterChoice, AdapterDescription, CellsFinder, Gpu, HgridFinder, PartitionKind, TestedPairs,
    adapter_list,
};

use super::{Adapter, AdapterFacts, CellCounts, CellLog, Partition};

/// The adapter finders are to run on.
#[derive(Clone, Debug)]
pub(crate) struct Choice(AdapterChoice);

/// An open adapter.
#[derive(Debug)]
pub(crate) struct Device(Gpu);

/// The first software adapter, by this word.
const SOFTWARE: &str = "software";

/// All adapters; `None`: nobody asked for them.
pub(crate) fn adapters() -> Option<Vec<AdapterFacts>> {
    let facts = |(index, about): (usize, AdapterDescription)| AdapterFacts {
        adapter: adapter(index, &about),
        interface: about.interface,
        driver: about.driver,
        binding_bytes: about.binding_bytes,
        subgroup: about.subgroup,
        timestamps: about.timestamps,
    };
    Some(adapter_list().into_iter().enumerate().map(facts).collect())
}

fn adapter(index: usize, about: &AdapterDescription) -> Adapter {
    Adapter { index, name: about.name.clone(), kind: about.kind.to_string() }
}

impl Choice {
    /// What `--adapter` names, else the variable `JOSTLE_ADAPTER`, else the best GPU there is.
    pub(crate) fn asked(asked: Option<&str>) -> Result<Self> {
        if let Some(asked) = asked {
            return match resolve(asked, &adapter_list()) {
                Ok(choice) => Ok(Self(choice)),
                Err(trouble) => bail!("--adapter: {trouble}"),
            };
        }
        let named = match AdapterChoice::from_environment() {
            // A variable may be set for good: what is wrong with it is told when an adapter is needed.
            AdapterChoice::Named(name) => {
                resolve(&name, &adapter_list()).unwrap_or(AdapterChoice::Named(name))
            }
            best => best,
        };
        Ok(Self(named))
    }

    pub(crate) fn register(&self, catalog: &mut Catalog) {
        jostle_gpu::register(catalog, &self.0);
    }

    /// The adapter, if it opens.
    pub(crate) fn adapter(&self) -> Result<Adapter> {
        let gpu = Gpu::open(&self.0)?;
        let about = gpu.description();
        let index = match self.0 {
            AdapterChoice::Numbered(index) => index,
            _ => adapter_list().iter().position(|other| other == about).unwrap_or(0),
        };
        Ok(adapter(index, about))
    }
}

/// An adapter by its number, by `software`, or by a part of its name.
fn resolve(asked: &str, all: &[AdapterDescription]) -> Result<AdapterChoice, String> {
    let number = asked.parse::<usize>().ok().filter(|&index| index < all.len());
    let software = || all.iter().position(|about| asked == SOFTWARE && about.kind == SOFTWARE);
    let wanted = asked.to_lowercase();
    let named = || all.iter().position(|about| about.name.to_lowercase().contains(&wanted));
    if let Some(index) = number.or_else(software).or_else(named) {
        return Ok(AdapterChoice::Numbered(index));
    }
    if all.is_empty() {
        return Err(format!(
            "there is no `{asked}`, nor any other adapter; install a Vulkan driver, or mesa-vulkan-drivers for a software one"
        ));
    }
    let list =
        all.iter().enumerate().map(|(index, about)| format!("{index}: {} ({})", about.name, about.kind));
    Err(format!("there is no `{asked}`; there are: {}", list.collect::<Vec<_>>().join(", ")))
}

impl Device {
    pub(crate) fn open(adapter: &Adapter) -> Result<Self> {
        Ok(Self(Gpu::open(&AdapterChoice::Numbered(adapter.index))?))
    }

    /// The grid of so many levels, with the device's own times of its stages.
    pub(crate) fn hgrid(&self, levels: u32) -> Result<Box<dyn PairFinder>> {
        Ok(Box::new(DeviceStages(HgridFinder::new(&self.0, levels, TestedPairs::MatrixIfItFits)?)))
    }

    /// Cells of at most so many boxes; what each search counted goes to the log.
    pub(crate) fn cells(
        &self,
        partition: Partition,
        capacity: usize,
        log: &CellLog,
    ) -> Result<Box<dyn PairFinder>> {
        let kind = match partition {
            Partition::Grid => PartitionKind::Grid,
            Partition::Tree => PartitionKind::Tree,
        };
        Ok(Box::new(Logged { finder: CellsFinder::new(&self.0, kind, capacity)?, log: CellLog::clone(log) }))
    }
}

/// A grid on the device whose search is told stage by stage. What is left of the search (waiting, clearing the matrix,
/// further dispatches for very full cells) is `other`.
struct DeviceStages(HgridFinder);

const SEARCH: &str = "search";
const OTHER: &str = "other";

impl PairFinder for DeviceStages {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut report = self.0.update(boxes, settings)?;
        let Some(place) = report.stages.iter().position(|(stage, _)| *stage == SEARCH) else {
            return Ok(report);
        };
        let times = self.0.times().map_err(|error| FindError::Device {
            finder: self.0.name().to_string(),
            reason: error.to_string(),
        })?;
        let on_device: Duration = times.stages.iter().map(|(_, time)| *time).sum();
        let rest = (OTHER, report.stages[place].1.saturating_sub(on_device));
        report.stages.splice(place..=place, times.stages.into_iter().chain([rest]));
        Ok(report)
    }

    fn pairs(&self) -> &PairBuffer {
        self.0.pairs()
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// A finder by cells that keeps what it counted.
struct Logged {
    finder: CellsFinder,
    log: CellLog,
}

impl PairFinder for Logged {
    fn name(&self) -> &str {
        self.finder.name()
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let report = self.finder.update(boxes, settings)?;
        let of = self.finder.report();
        let counts = CellCounts {
            cells: of.cells,
            entries: of.entries,
            oversized: of.oversized,
            duplicates: of.duplicates,
        };
        self.log.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(counts);
        Ok(report)
    }

    fn pairs(&self) -> &PairBuffer {
        self.finder.pairs()
    }

    fn bytes(&self) -> usize {
        self.finder.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(name: &str, kind: &'static str) -> AdapterDescription {
        AdapterDescription {
            name: name.to_string(),
            kind,
            interface: "vulkan".to_string(),
            driver: String::new(),
            binding_bytes: 1 << 27,
            subgroup: None,
            timestamps: true,
        }
    }

    #[test]
    fn an_adapter_is_asked_for_by_number_name_or_kind() {
        let all = [about("Great 9", "discrete"), about("Great 9", "discrete"), about("pipe", "software")];
        for (asked, index) in
            [("1", Some(1)), ("software", Some(2)), ("great", Some(0)), ("9", Some(0)), ("none", None)]
        {
            assert_eq!(resolve(asked, &all).ok(), index.map(AdapterChoice::Numbered), "{asked}");
        }
        let said = resolve("none", &all).unwrap_err();
        assert!(said.contains("`none`") && said.contains("2: pipe (software)"), "{said}");
        assert!(resolve("0", &[]).unwrap_err().contains("mesa-vulkan-drivers"));
    }
}
