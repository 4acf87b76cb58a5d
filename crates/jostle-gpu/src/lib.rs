//! Exact overlapping pairs among very many moving boxes, found on a GPU.
//!
//! Open a [`Gpu`], then use a finder like any other of `jostle-broad`, or a [`ResidentFinder`] where boxes are on the
//! device already and pairs should stay there. A [`VolumeFilter`] then drops pairs by tighter volumes.

mod bandwidth;
mod buffers;
mod cells;
mod device;
mod difference;
mod error;
mod finder;
mod grid;
mod hgrid;
mod kernel;
mod on_demand;
mod scan;
mod sort;
#[cfg(test)]
mod testing;
mod timing;
mod upload;
mod volumes;

pub use bandwidth::copy_bandwidth;
pub use cells::{CellsFinder, CellsReport, PartitionKind};
pub use device::{AdapterChoice, AdapterDescription, Gpu, adapter_list};
pub use error::GpuError;
pub use finder::{GpuFinder, ReadBack};
pub use grid::{CanonicalFinder, ChangeCounts, GridTuning, ResidentFinder, ResidentStatus};
pub use hgrid::{HgridFinder, TestedPairs};
pub use on_demand::{auto, register};
pub use timing::DeviceTimes;
pub use volumes::{DeviceVolume, FilterReport, PairCount, VolumeFilter};
pub use wgpu;

/// Compiles the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
