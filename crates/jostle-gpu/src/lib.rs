//! Exact overlapping pairs among very many moving boxes, found on a GPU.
//!
//! Open a [`Gpu`], then use a finder like any other of `jostle-broad`, or a [`ResidentFinder`] where boxes are on the
//! device already and pairs should stay there.

mod bandwidth;
mod buffers;
mod device;
mod error;
mod grid;
mod kernel;
mod scan;
#[cfg(test)]
mod testing;
mod timing;

pub use bandwidth::copy_bandwidth;
pub use device::{AdapterChoice, AdapterDescription, Gpu, adapter_list};
pub use error::GpuError;
pub use grid::{GridTuning, ResidentFinder, ResidentStatus};
pub use timing::DeviceTimes;
pub use wgpu;
