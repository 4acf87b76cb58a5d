//! Vector kernels, and the only folder of this crate with `unsafe` in it.
//!
//! Each kernel is written once, over the trait [`lanes::Vector`], and compiled for every instruction set the target
//! has; which one runs is decided at run time by a [`Lanes`] value. The scalar one is the reference: all others give
//! the same bits, and tests hold them to it. (But for the sign of a zero in bounds, on which nothing depends.)

#![allow(unsafe_code)]

mod block;
mod blocks;
mod cells;
mod deal;
mod hits;
mod homes;
mod kernels;
mod lanes;
mod listed;
mod meetings;
mod movers;
mod near_blocks;
mod past;
mod records;
mod scalar;
mod sort;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

pub(crate) use block::{BLOCK, Block};
pub(crate) use cells::CellGrid;
pub(crate) use deal::{Dealing, Spots, Steps};
pub(crate) use hits::Hits;
pub(crate) use homes::{Flipped, Unsure, is_away};
pub(crate) use meetings::{Meeting, OwnBlock};
pub(crate) use movers::{MOST_BLOCKS, Mover, Queries, Surroundings};
pub(crate) use near_blocks::NearBlocks;
pub(crate) use records::{Binned, BinnedRecords, HOME, HOME_A, HOME_B, PADDING, Record, accumulate};
pub(crate) use sort::{Cut, KeyBlock, MOST_KEYS, Unpacking};

use thiserror::Error;

/// A set of vector instructions that this machine has. A value of it is the proof that they may be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// Why there are no such lanes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("vector instructions `{name}` are not available here; this machine has: {available}")]
pub struct LanesError {
    name: String,
    available: String,
}

impl Lanes {
    /// No vector instructions: the reference.
    pub const fn scalar() -> Self {
        Self(Kind::Scalar)
    }

    /// All that this machine has, narrowest first. Under Miri: scalar only.
    pub fn available() -> Vec<Self> {
        let mut all = vec![Self::scalar()];
        if cfg!(miri) {
            return all;
        }
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("popcnt");
            if avx2 {
                all.push(Self(Kind::Avx2));
            }
            if avx2 && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                all.push(Self(Kind::Avx512));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            all.push(Self(Kind::Neon));
        }
        all
    }

    /// The widest that this machine has.
    pub fn best() -> Self {
        static BEST: std::sync::OnceLock<Lanes> = std::sync::OnceLock::new();
        *BEST.get_or_init(|| *Self::available().last().expect("scalar is always there"))
    }

    /// The lanes of this name, if this machine has them.
    pub fn named(name: &str) -> Result<Self, LanesError> {
        let all = Self::available();
        let names = || all.iter().map(|lanes| lanes.name()).collect::<Vec<_>>().join(", ");
        all.iter()
            .copied()
            .find(|lanes| lanes.name() == name)
            .ok_or_else(|| LanesError { name: name.to_string(), available: names() })
    }

    /// `scalar`, `avx2`, `avx512` or `neon`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "neon",
        }
    }
}

impl Default for Lanes {
    fn default() -> Self {
        Self::best()
    }
}

impl std::fmt::Display for Lanes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Defines `Lanes::$name`, which runs the kernel `kernels::$name` compiled for the instruction set of the value.
macro_rules! dispatch {
    ($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)?) => {
        impl Lanes {
            $(#[$doc])*
            #[inline]
            pub(crate) fn $name(self, $($arg: $type),*) $(-> $out)? {
                match self.0 {
                    Kind::Scalar => kernels::$name::<scalar::Scalar>($($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    Kind::Avx2 => {
                        #[target_feature(enable = "avx2,bmi1,popcnt")]
                        fn wide($($arg: $type),*) $(-> $out)? {
                            kernels::$name::<avx2::Avx2>($($arg),*)
                        }
                        // SAFETY: a `Lanes` of this kind exists only where the features were detected.
                        unsafe { wide($($arg),*) }
                    }
                    #[cfg(target_arch = "x86_64")]
                    Kind::Avx512 => {
                        #[target_feature(enable = "avx512f,avx512vl,avx2,bmi1,popcnt")]
                        fn wide($($arg: $type),*) $(-> $out)? {
                            kernels::$name::<avx512::Avx512>($($arg),*)
                        }
                        // SAFETY: a `Lanes` of this kind exists only where the features were detected.
                        unsafe { wide($($arg),*) }
                    }
                    #[cfg(target_arch = "aarch64")]
                    Kind::Neon => {
                        #[target_feature(enable = "neon")]
                        fn wide($($arg: $type),*) $(-> $out)? {
                            kernels::$name::<neon::Neon>($($arg),*)
                        }
                        // SAFETY: a `Lanes` of this kind exists only where the features were detected.
                        unsafe { wide($($arg),*) }
                    }
                }
            }
        }
    };
}

dispatch! {
    /// Appends to `hits` the positions in `from..to` whose box overlaps `query`, ascending.
    fn scan(arrays: &crate::arrays::BoxArrays, from: usize, to: usize, query: &crate::Aabb, hits: &mut Vec<u32>)
}

dispatch! {
    /// For each eight records, past which position no record begins before all of these have ended. Replaces `windows`.
    /// Returns how many tests a sweep takes, about: the same for every width.
    fn windows(binned: &Binned<'_>, windows: &mut Vec<u32>) -> u64
}

dispatch! {
    /// All pairs of records that overlap and are to be reported here, as keys, each pair once. Replaces `hits`. Needs the
    /// windows of [`Lanes::windows`]. Starts at the record `from` (0, or what the call before returned) and pauses after
    /// very many hits; returns where to go on, which is the number of records when all is done.
    fn sweep(binned: &Binned<'_>, windows: &[u32], from: usize, hits: &mut Hits) -> usize
}

dispatch! {
    /// Appends to `hits` the positions in `from..to` whose record overlaps `query`, ascending.
    fn scan_records(binned: &Binned<'_>, from: usize, to: usize, query: &crate::Aabb, hits: &mut Vec<u32>)
}

dispatch! {
    /// Sorts endpoints, given as values and tags, by value and then by tag as a signed number: an insertion sort of
    /// whole registers, cheap where they are nearly sorted. Gives up, with the endpoints in some order, and says no
    /// when registers had to take more than `steps` steps on average. The arrays are of one length, a multiple of 16;
    /// no value is NaN.
    fn insertion_sort(values: &mut [f32], tags: &mut [u32], steps: usize) -> bool
}

dispatch! {
    /// Sorts keys and turns them into pairs. Says no to more than four registers hold, and where there
    /// are none.
    fn sort_into_pairs(keys: &[u32], unpacking: &Unpacking, out: &mut [crate::Pair]) -> bool
}

dispatch! {
    /// Writes the keys of pairs where their buckets start in `out`, and moves these starts on.
    fn deal_keys(pairs: &[crate::Pair], cut: &Cut, starts: &mut [u32], out: &mut [u32])
}

dispatch! {
    /// Sorts buckets of keys and turns them into pairs. `ends` says where in `keys`, and in `out`, each ends. Those that few
    /// registers do not hold are left alone, and appended to `large`.
    fn sort_buckets(keys: &[u32], ends: &[u32], cut: &Cut, out: &mut [crate::Pair], large: &mut Vec<u32>)
}

dispatch! {
    /// Sorts the first `len` keys of a block.
    fn sort_keys(block: &mut KeyBlock, len: usize)
}

dispatch! {
    /// Where boxes begin, and which of them are in more columns than one. Replaces `spots`; adds to `ends[bucket + 1]` how
    /// many records each bucket gets, wide boxes left out. There are two more ends than buckets.
    fn count(dealing: &Dealing<'_>, spots: &mut Spots, ends: &mut [u32])
}

dispatch! {
    /// Writes the records of boxes that were counted so into their buckets: at `ends[bucket]`, which moves on by one.
    fn deal(dealing: &Dealing<'_>, keys: &[u32], spots: &Spots, ends: &mut [u32], records: &mut [Record])
}

dispatch! {
    /// Adds to `ends[bin + 1]` how many records begin in each bin.
    fn count_bins(records: &[Record], ends: &mut [u32])
}

dispatch! {
    /// Copies records into the bins they begin in: to `ends[bin]`, which moves on by one.
    fn copy_bins(from: &[Record], ends: &mut [u32], to: &mut [Record])
}

dispatch! {
    /// All overlaps of boxes of block `own` with boxes of the same block, each pair once, and with boxes of `others`, which
    /// ascend and come after it (`own` itself may be the first of them, and counts for nothing). Appends to `meetings`,
    /// which ascend where `others` do. `bounds` are those of the blocks. The same as [`Lanes::meet_itself`],
    /// [`Lanes::list_near`] and [`Lanes::meet_near`] in one.
    fn cross(
        blocks: &[Block],
        bounds: &[crate::Aabb],
        own: OwnBlock,
        others: &[u32],
        near: &mut Vec<u32>,
        meetings: &mut Vec<Meeting>,
    )
}

dispatch! {
    /// Which boxes of block `own` are near which of `others`, because they overlap its bounds: sixteen times the block, plus the
    /// lane of the box. Replaces `near`, and asks for the memory of the others.
    fn list_near(
        blocks: &[Block],
        bounds: &[crate::Aabb],
        own: u32,
        others: &[u32],
        near: &mut Vec<u32>,
    )
}

dispatch! {
    /// All overlaps of boxes of block `own` with boxes of blocks they are near. Appends to `meetings`, in the order of `near`.
    fn meet_near(blocks: &[Block], own: OwnBlock, near: &[u32], meetings: &mut Vec<Meeting>)
}

dispatch! {
    /// All overlaps of boxes of one block with each other, each pair once. Appends to `meetings`, ascending.
    fn meet_itself(blocks: &[Block], own: OwnBlock, meetings: &mut Vec<Meeting>)
}

dispatch! {
    /// The places, from `from` on, whose box in `blocks` overlaps the query, ascending, of those blocks that are near.
    /// Replaces `hits`; returns how many blocks it looked at.
    fn search_near(
        near: &NearBlocks,
        blocks: &[Block],
        query: &crate::Aabb,
        from: u32,
        hits: &mut Vec<u32>,
        spare: &mut Vec<u32>,
    ) -> usize
}

dispatch! {
    /// Appends what is in `old` but not in `new` to `gone`, and what is in `new` but not in `old` to `come`. Both ascend.
    fn compare(old: &[Meeting], new: &[Meeting], gone: &mut Vec<Meeting>, come: &mut Vec<Meeting>)
}

dispatch! {
    /// Fills blocks with the boxes of `slots`, and says what bounds them. Slots beyond the boxes leave their lanes empty.
    fn fetch(
        aabbs: &[crate::Aabb],
        slots: &[u32],
        blocks: &mut [Block],
        all_bounds: &mut [crate::Aabb],
    )
}

dispatch! {
    /// The boxes of marked lanes of a stretch, a mask for each block, as they are now, in the order of places. Replaces
    /// `movers`. The bounds of their blocks become what bounds them now and did before.
    fn list_movers(
        aabbs: &[crate::Aabb],
        slots: &[u32],
        marks: &[u16],
        first_place: u32,
        all_bounds: &mut [crate::Aabb],
        movers: &mut Vec<Mover>,
    )
}

dispatch! {
    /// What each mover overlapped: appends a word for each of the near blocks in which it overlapped or may overlap boxes,
    /// in the order of movers. Returns how many blocks it looked at; nothing if that would be more than about `most` for some
    /// of them, and then what it appended is of no use.
    fn meet_before(
        around: Surroundings<'_>,
        movers: &[Mover],
        first_block: u32,
        queries: &mut Queries,
        meetings: &mut Vec<Meeting>,
        most: usize,
    ) -> Option<usize>
}

dispatch! {
    /// Puts movers of a stretch, in the order of places, into their places, and brings the bounds of their blocks up to
    /// date.
    fn settle(movers: &[Mover], first_block: u32, blocks: &mut [Block], all_bounds: &mut [crate::Aabb])
}

dispatch! {
    /// How overlaps differ from those of [`Lanes::meet_before`], now that `blocks` holds boxes as they are: appends those
    /// that are no more to `gone`, and new ones to `come`, each pair once. `marks` are the lanes of all movers.
    fn meet_now(
        blocks: &[Block],
        marks: &[u16],
        first_block: u32,
        before: &[Meeting],
        gone: &mut Vec<Meeting>,
        come: &mut Vec<Meeting>,
    )
}

dispatch! {
    /// Appends those of `slots` whose box has some number that differs by more than `reach` from that of its home, ascending. Free
    /// slots, which hold no numbers, are at home.
    fn list_strays(
        now: &[crate::Aabb],
        homes: &[crate::Aabb],
        slots: std::ops::Range<usize>,
        reach: f32,
        strays: &mut Vec<u32>,
    )
}

dispatch! {
    /// Appends those of `slots` whose box is not known to be around its home, ascending: some number differs by more than `reach` from
    /// that of its home, or one is no number, or -0.0.
    fn list_doubtful(
        now: &[crate::Aabb],
        homes: &[crate::Aabb],
        slots: std::ops::Range<usize>,
        reach: f32,
        doubtful: &mut Vec<u32>,
    )
}

dispatch! {
    /// Brings what each number was at least and at most up to date.
    fn widen(now: &[crate::Aabb], least: &mut [crate::Aabb], most: &mut [crate::Aabb])
}

dispatch! {
    /// Drops pairs whose boxes are deeper in each other than `deepest`, by far more than numbers of their size are rounded by.
    fn retain_close(blocks: &[Block], first_block: u32, deepest: f32, meetings: &mut Vec<Meeting>)
}

dispatch! {
    /// Are those with these numbers all boxes, as [`crate::Aabb::is_box`] has it?
    fn are_listed_boxes(aabbs: &[crate::Aabb], ids: &[u32]) -> bool
}

dispatch! {
    /// Stores those with these numbers, of which `first` goes to the front of `stored`. Appends the numbers of those that
    /// were not there already.
    fn store_listed(
        aabbs: &[crate::Aabb],
        ids: &[u32],
        first: u32,
        stored: &mut [crate::Aabb],
        changed: &mut Vec<u32>,
    )
}

dispatch! {
    /// Copies boxes; -0.0 becomes 0.0. Not into the caches, where that can be had: for more boxes than they hold. Are they all
    /// boxes, as [`crate::Aabb::is_box`] has it?
    fn store_past_caches(from: &[crate::Aabb], to: &mut [crate::Aabb]) -> bool
}

dispatch! {
    /// Are they all boxes, as [`crate::Aabb::is_box`] has it?
    fn are_boxes(aabbs: &[crate::Aabb]) -> bool
}

dispatch! {
    /// The same, and none of their numbers is -0.0.
    fn are_plain_boxes(aabbs: &[crate::Aabb]) -> bool
}

dispatch! {
    /// Brings pairs that overlap where they did not, or the other way round, up to date, and lists them, ascending, in `flipped`; their
    /// slots, of those that came at the front of `pairs`, of those that went at its end, from there on. Says how many of either. Both
    /// lists must have as much room as there are pairs.
    fn flip(aabbs: &[crate::Aabb], unsure: &mut [Unsure], flipped: &mut [Flipped], pairs: &mut [crate::Pair]) -> [usize; 2]
}

dispatch! {
    /// Asks for memory that will be read soon.
    fn ask_for_bytes(bytes: &[u8])
}

dispatch! {
    /// The smallest box around all of a block; [`crate::Aabb::EMPTY`] if there is none.
    fn bounds(block: &Block) -> crate::Aabb
}

dispatch! {
    /// The places, from `from` on, whose box in the lowest level overlaps the query, ascending. Replaces `hits`; returns how
    /// many blocks it looked at. Each lane of a higher level bounds one block of the level below.
    fn search(
        levels: &[Vec<Block>],
        query: &crate::Aabb,
        from: u32,
        hits: &mut Vec<u32>,
        spare: &mut Vec<u32>,
    ) -> usize
}

#[cfg(test)]
mod tests;
