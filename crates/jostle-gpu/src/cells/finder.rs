//! The finder around the batches: partition, device, and what the host does with the pairs meanwhile.

use std::time::{Duration, Instant};

use jostle_broad::{
    Boxes, Changes, FindError, FindReport, FindSettings, GridPartition, Pair, PairBuffer, PairFinder,
    Partition, Revision, TreePartition,
};

use super::batch::Batch;
use crate::device::Gpu;
use crate::error::GpuError;
use crate::kernel::Kernel;

/// How boxes are partitioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartitionKind {
    /// A uniform grid whose small cells are joined.
    Grid,
    /// A tree that halves space; a cell that cannot be halved is tested in tiles, and reported.
    Tree,
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellsReport {
    /// How many cells there were.
    pub cells: usize,
    /// Boxes in all cells together.
    pub entries: usize,
    /// Cells of more boxes than the capacity.
    pub oversized: usize,
    /// Pairs that were found in another cell too.
    pub duplicates: usize,
    /// Time of the partition on the host.
    pub partition: Duration,
    /// Time of the tests, by the device's clock.
    pub device: Duration,
    /// Time the host worked on pairs, mostly while the device tested the next batch.
    pub narrow_phase: Duration,
}

/// Finds pairs by a partition of the host's and all-pairs tests of the device's.
#[derive(Debug)]
pub struct CellsFinder {
    gpu: Gpu,
    kernel: Kernel,
    maker: Maker,
    batches: [Batch; 2],
    report: CellsReport,
    pairs: PairBuffer,
    /// The boxes `pairs` are the pairs of.
    found: Option<Revision>,
}

#[derive(Debug)]
enum Maker {
    Grid(GridPartition),
    Tree(TreePartition),
}

const NAME: &str = "gpu-cells";
/// Entries a batch has at least, if there are so many: a device wants work for all its threads.
const BATCH_ENTRIES: usize = 1 << 15;

impl CellsFinder {
    /// A finder with cells of at most `capacity` boxes.
    pub fn new(gpu: &Gpu, kind: PartitionKind, capacity: usize) -> Result<Self, GpuError> {
        let refused = |error: jostle_broad::CapacityError| GpuError::Refused { reason: error.to_string() };
        let maker = match kind {
            PartitionKind::Grid => Maker::Grid(GridPartition::new(capacity).map_err(refused)?),
            PartitionKind::Tree => Maker::Tree(TreePartition::new(capacity).map_err(refused)?),
        };
        let kernel = Batch::kernel(gpu);
        gpu.check()?;
        Ok(Self {
            gpu: gpu.clone(),
            kernel,
            maker,
            batches: [Batch::new(gpu), Batch::new(gpu)],
            report: CellsReport::default(),
            pairs: PairBuffer::default(),
            found: None,
        })
    }

    /// What the last search did.
    pub fn report(&self) -> &CellsReport {
        &self.report
    }

    /// Searches. `narrow_phase` gets the pairs of slots of each batch while the device tests the next; a pair that shares
    /// several cells may come several times. Returns all pairs of slots, each once, in order.
    pub fn search(
        &mut self,
        boxes: &Boxes,
        mut narrow_phase: impl FnMut(&[Pair]),
    ) -> Result<Vec<Pair>, GpuError> {
        let Self { gpu, kernel, maker, batches, .. } = self;
        let start = Instant::now();
        let partition: &Partition = match maker {
            Maker::Grid(grid) => grid.update(boxes),
            Maker::Tree(tree) => tree.update(boxes),
        };
        let mut report = CellsReport {
            cells: partition.len(),
            entries: partition.entries(),
            oversized: partition.oversized().count(),
            partition: start.elapsed(),
            ..CellsReport::default()
        };
        let mut found: Vec<Pair> = Vec::new();
        let mut collect = |batch: &mut Batch| -> Result<(), GpuError> {
            let (entries, device) = batch.collect(gpu, kernel)?;
            let start = Instant::now();
            let slot = |entry: u32| batch.slots[entry as usize];
            let first = found.len();
            found.extend(entries.iter().map(|pair| Pair::new(slot(pair.low), slot(pair.high))));
            narrow_phase(&found[first..]);
            report.device += device;
            report.narrow_phase += start.elapsed();
            Ok(())
        };
        let mut cells = partition.cells().peekable();
        let mut under_way = 0;
        for turn in 0.. {
            if cells.peek().is_none() {
                break;
            }
            let [one, other] = batches;
            let (now, before) = if turn % 2 == 0 { (one, other) } else { (other, one) };
            now.clear();
            while now.entries() < BATCH_ENTRIES
                && let Some(cell) = cells.next()
            {
                now.push_cell(cell, boxes.aabbs());
            }
            now.submit(gpu, kernel)?;
            if turn > 0 {
                collect(before)?;
            }
            under_way = turn + 1;
        }
        if under_way > 0 {
            collect(&mut batches[(under_way - 1) % 2])?;
        }
        let start = Instant::now();
        report.duplicates = Partition::remove_duplicates(&mut found);
        report.narrow_phase += start.elapsed();
        self.report = report;
        Ok(found)
    }
}

impl PairFinder for CellsFinder {
    fn name(&self) -> &str {
        NAME
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        let mut report = FindReport { boxes: boxes.len(), ..FindReport::default() };
        if matches!(boxes.changes_since(self.found), Changes::These([])) {
            self.pairs.apply(&[], &[], settings)?;
        } else {
            let found = self
                .search(boxes, |_| {})
                .map_err(|error| FindError::Device { finder: NAME.to_string(), reason: error.to_string() })?;
            let admitted = found.iter().filter(|pair| boxes.may_pair(pair.low, pair.high));
            let list = admitted.map(|pair| Pair::new(boxes.id(pair.low), boxes.id(pair.high))).collect();
            self.pairs.replace_list(list, false, settings)?;
            let CellsReport { cells, entries, oversized, duplicates, partition, device, narrow_phase } =
                self.report;
            report.moved = boxes.len();
            report.stages =
                vec![("partition", partition), ("device", device), ("narrow phase", narrow_phase)];
            report.detail = Some(format!(
                "{cells} cells, {entries} entries, {oversized} oversized, {duplicates} duplicates"
            ));
        }
        self.found = Some(boxes.revision());
        report.pairs = self.pairs.len();
        report.bytes = self.bytes();
        Ok(report)
    }

    fn pairs(&self) -> &PairBuffer {
        &self.pairs
    }

    fn bytes(&self) -> usize {
        self.batches.iter().map(Batch::bytes).sum::<usize>() + self.pairs.bytes()
    }
}
