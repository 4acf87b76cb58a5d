//! Finders that open their device when they are first used, so that a catalogue can list them on a machine without one.

use jostle_broad::{
    Auto, Boxes, Catalog, DecideBy, FindError, FindReport, FindSettings, PairBuffer, PairFinder, RelayFinder,
};

use crate::cells::{CellsFinder, PartitionKind};
use crate::device::{AdapterChoice, Gpu};
use crate::error::GpuError;
use crate::finder::GpuFinder;
use crate::hgrid::{HgridFinder, TestedPairs};

/// Levels of `gpu-hgrid` in a catalogue: its source measured that more only cost.
const LEVELS: u32 = 1;
/// Boxes in a cell of `gpu-cells` at most in a catalogue: the least its source measured, and the best.
const CAPACITY: usize = 1024;

/// An [`Auto`] that may also choose `gpu`, on an adapter that is looked for when there are boxes enough for it to pay.
///
/// [`AdapterChoice::Hardware`] never means a software adapter, which would only take the CPU's time; the other choices do
/// where that is what they ask for.
pub fn auto(decide_by: DecideBy, choice: &AdapterChoice) -> Auto {
    let choice = choice.clone();
    Auto::with_device(decide_by, "gpu", move || {
        let opened = Gpu::open(&choice).and_then(|gpu| GpuFinder::new(&gpu));
        opened.map(|finder| Box::new(finder) as Box<dyn RelayFinder>).map_err(|error| failed("gpu", &error))
    })
}

/// Adds `gpu`, `gpu-hgrid` and `gpu-cells` to a catalogue, on an adapter that is looked for when a finder is first used,
/// and lets its `auto` choose `gpu` too: see [`auto()`].
pub fn register(catalog: &mut Catalog, choice: &AdapterChoice) {
    let adapter = choice.clone();
    catalog.register(
        "auto",
        "measures, then chooses, a GPU too; changes its mind when the scene does",
        move || auto(DecideBy::Time, &adapter),
    );
    let adapter = choice.clone();
    catalog.register("gpu", "a grid of levels on the GPU, boxes uploaded and pairs read back", move || {
        OnDemand::new("gpu", adapter.clone(), |gpu| Ok(Box::new(GpuFinder::new(gpu)?)))
    });
    let adapter = choice.clone();
    catalog.register(
        "gpu-hgrid",
        "the four-stage grid of Kroiss' thesis on the GPU: a reference",
        move || {
            OnDemand::new("gpu-hgrid", adapter.clone(), |gpu| {
                Ok(Box::new(HgridFinder::new(gpu, LEVELS, TestedPairs::MatrixIfItFits)?))
            })
        },
    );
    let adapter = choice.clone();
    catalog.register(
        "gpu-cells",
        "cells of a tree partition, all pairs of each on the GPU: a co-processor",
        move || {
            OnDemand::new("gpu-cells", adapter.clone(), |gpu| {
                Ok(Box::new(CellsFinder::new(gpu, PartitionKind::Tree, CAPACITY)?))
            })
        },
    );
}

fn failed(finder: &str, error: &GpuError) -> FindError {
    FindError::Device { finder: finder.to_string(), reason: error.to_string() }
}

type Make = fn(&Gpu) -> Result<Box<dyn PairFinder>, GpuError>;

/// A finder whose device is not open yet, or is.
struct OnDemand {
    name: &'static str,
    choice: AdapterChoice,
    make: Make,
    finder: Option<Box<dyn PairFinder>>,
    nothing: PairBuffer,
}

impl OnDemand {
    fn new(name: &'static str, choice: AdapterChoice, make: Make) -> Self {
        Self { name, choice, make, finder: None, nothing: PairBuffer::default() }
    }
}

impl PairFinder for OnDemand {
    fn name(&self) -> &str {
        self.name
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let finder = match &mut self.finder {
            Some(finder) => finder,
            none => {
                let opened = Gpu::open(&self.choice).and_then(|gpu| (self.make)(&gpu));
                none.insert(opened.map_err(|error| failed(self.name, &error))?)
            }
        };
        finder.update(boxes, settings)
    }

    fn pairs(&self) -> &PairBuffer {
        self.finder.as_ref().map_or(&self.nothing, |finder| finder.pairs())
    }

    fn bytes(&self) -> usize {
        self.finder.as_ref().map_or(0, |finder| finder.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jostle_broad::scene::{BoxStream, StreamKind};
    use jostle_broad::verify;

    #[test]
    fn finders_by_name_find_or_say_what_is_missing() {
        let boxes = Boxes::from_aabbs(BoxStream::new(StreamKind::Pile, 400, 1).boxes()).unwrap();
        for name in ["gpu", "gpu-hgrid", "gpu-cells"] {
            let mut catalog = Catalog::builtin();
            register(&mut catalog, &AdapterChoice::Any);
            let mut finder = catalog.get(name).unwrap().make();
            assert_eq!((finder.name(), finder.pairs().len()), (name, 0));
            finder.update(&boxes, &FindSettings::default()).unwrap();
            assert_eq!(verify::verify(&boxes, finder.pairs().as_slice()), Ok(()));

            register(&mut catalog, &AdapterChoice::Named("not there".to_string()));
            let mut finder = catalog.get(name).unwrap().make();
            let error = finder.update(&boxes, &FindSettings::default()).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("not there"), "{error}");
        }
    }
}
