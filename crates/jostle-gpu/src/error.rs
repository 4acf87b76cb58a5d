//! What can go wrong on the way to a GPU and on it.

use thiserror::Error;

/// Why the GPU gave no pairs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GpuError {
    /// No adapter at all.
    #[error("no GPU was found; install a Vulkan driver (or Mesa's software driver), or use a CPU finder")]
    NoAdapter,
    /// Only adapters that are a CPU in disguise.
    #[error(
        "no GPU was found, only the software adapter `{name}`; choose it by its name, or use a CPU finder"
    )]
    SoftwareOnly {
        /// The adapter.
        name: String,
    },
    /// No adapter of this name.
    #[error("no adapter is called `{name}`; there are: {known}")]
    UnknownAdapter {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The adapter refused to open a device.
    #[error("adapter `{adapter}` gave no device: {reason}")]
    NoDevice {
        /// The adapter.
        adapter: String,
        /// What it said.
        reason: String,
    },
    /// The adapter lacks something the kernels need.
    #[error("adapter `{adapter}` allows {limit} {what}, but {need} are needed; use a CPU finder")]
    TooSmall {
        /// The adapter.
        adapter: String,
        /// What there is too little of.
        what: &'static str,
        /// What the adapter allows.
        limit: u64,
        /// What is needed.
        need: u64,
    },
    /// A buffer would be larger than the adapter allows.
    #[error(
        "{what} need {need} bytes in one buffer, but adapter `{adapter}` allows {limit}; use a CPU finder"
    )]
    TooLarge {
        /// The adapter.
        adapter: String,
        /// What the buffer is for.
        what: &'static str,
        /// What the adapter allows.
        limit: u64,
        /// What is needed.
        need: u64,
    },
    /// No memory left on the device.
    #[error("the GPU has no {bytes} bytes left for {what}; free some, or use a CPU finder")]
    OutOfMemory {
        /// What the memory was for.
        what: &'static str,
        /// How much was asked for.
        bytes: u64,
    },
    /// The device is gone: unplugged, reset, or its driver crashed.
    #[error("the GPU was lost: {reason}; open it again, or use a CPU finder")]
    DeviceLost {
        /// What the driver said.
        reason: String,
    },
    /// More pairs than the limit of a search.
    #[error("there are {need} pairs, but the limit is {limit}; raise it")]
    TooManyPairs {
        /// The limit.
        limit: u64,
        /// How many pairs there are, at least.
        need: u64,
    },
    /// A filter has nothing to settle.
    #[error("no filtering was recorded; call `record` and submit it first")]
    NothingRecorded,
    /// There is not one volume for each box.
    #[error("there are {volumes} volumes for {boxes} boxes; give one for each")]
    VolumeCount {
        /// How many volumes.
        volumes: u64,
        /// How many boxes.
        boxes: u64,
    },
    /// Pairs are of boxes that have no volume.
    #[error("{pairs} pairs have an index beyond the {volumes} volumes; give a volume for each box")]
    NoVolume {
        /// How many pairs.
        pairs: u64,
        /// How many volumes.
        volumes: u64,
    },
    /// A list of pairs is not as long as it is said to be: a search that was not complete.
    #[error("there are {pairs} pairs, but room for {room}; search again with more room, then filter")]
    PairsMissing {
        /// How many there should be.
        pairs: u64,
        /// How many there is room for.
        room: u64,
    },
    /// A volume written by a kernel is none.
    #[error("the volumes of boxes {} and {} are not both valid: {reason}", ids[0], ids[1])]
    BadVolume {
        /// The boxes.
        ids: [u32; 2],
        /// What is wrong.
        reason: String,
    },
    /// The device refused a command: a defect of this crate.
    #[error("the GPU refused a command: {reason}")]
    Refused {
        /// What it said.
        reason: String,
    },
}
