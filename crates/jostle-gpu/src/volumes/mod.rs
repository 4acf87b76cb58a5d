//! Second filters: pairs on the device whose spheres, oriented boxes or k-DOPs do not overlap are dropped there.
//!
//! In: pairs as a finder leaves them, and a volume for each box. Out: the pairs left, in the order they were in, and how
//! many. Exactly those that `jostle_broad::retain_overlapping` keeps, on every adapter: intervals are compared as integers,
//! and where products are needed, what the device's rounding could have decided is decided by the host.

mod filter;
mod layout;
#[cfg(test)]
mod tests;
mod unsure;

pub use filter::{FilterReport, PairCount, VolumeFilter};
pub use layout::DeviceVolume;
