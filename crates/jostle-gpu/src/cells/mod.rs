//! The finder `gpu-cells`: the co-processor of Woulfe's thesis as a kernel.
//!
//! The host partitions boxes into cells of at most c; cells go to the device in batches, two under way at a time: while the
//! device tests one, the host works on the pairs of the one before. Pairs found in several cells are joined last.

mod batch;
mod finder;

pub use finder::{CellsFinder, CellsReport, PartitionKind};
