//! Pairs that the device could not decide: listed by it with their volumes, decided by the host, dropped from the list.

use std::marker::PhantomData;

use jostle_broad::Executor;

use super::layout::DeviceVolume;
use crate::buffers::{Grown, read_back};
use crate::device::Gpu;
use crate::error::GpuError;

/// Pairs there is room for at first.
const FLOOR: u64 = 1024;

/// The list on the device.
#[derive(Debug)]
pub(super) struct Unsure<V> {
    list: Grown,
    dropped: Grown,
    kind: PhantomData<V>,
}

impl<V: DeviceVolume> Unsure<V> {
    /// A place of the list: where the pair is, the pair, and both volumes. In words.
    const RECORD: usize = 4 + 2 * V::FLOATS;

    pub(super) fn new() -> Self {
        Self {
            list: Grown::storage("undecided pairs"),
            dropped: Grown::storage("places of dropped pairs"),
            kind: PhantomData,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.list.bytes() + self.dropped.bytes()
    }

    pub(super) fn list(&self) -> &wgpu::Buffer {
        self.list.get()
    }

    pub(super) fn dropped(&self) -> &wgpu::Buffer {
        self.dropped.get()
    }

    /// How many pairs there is room for.
    pub(super) fn capacity(&self) -> u32 {
        (self.list.bytes() / (4 * Self::RECORD as u64)).min(u64::from(u32::MAX)) as u32
    }

    /// Makes room for so many pairs.
    pub(super) fn reserve(&mut self, gpu: &Gpu, pairs: u32) -> Result<(), GpuError> {
        self.list.reserve(gpu, u64::from(pairs).max(FLOOR) * 4 * Self::RECORD as u64)
    }

    /// Decides the first `count` pairs of the list, and hands the places of those that do not overlap to the device.
    /// Returns how many they are.
    pub(super) fn decide(&mut self, gpu: &Gpu, staging: &mut Grown, count: u32) -> Result<u32, GpuError> {
        let words = u64::from(count) * Self::RECORD as u64;
        let list: Vec<u32> = read_back(gpu, staging, self.list.get(), words, &Executor::serial())?;
        // How many, then where.
        let mut dropped = vec![0];
        for record in list.chunks_exact(Self::RECORD) {
            let (first, second) = bytemuck::cast_slice(&record[4..]).split_at(V::FLOATS);
            let overlap = V::overlap(first, second).map_err(|error| GpuError::BadVolume {
                ids: [record[1], record[2]],
                reason: error.to_string(),
            })?;
            if !overlap {
                dropped.push(record[0]);
            }
        }
        dropped[1..].sort_unstable();
        dropped[0] = dropped.len() as u32 - 1;
        self.dropped.reserve(gpu, dropped.len() as u64 * 4)?;
        gpu.queue().write_buffer(self.dropped.get(), 0, bytemuck::cast_slice(&dropped));
        Ok(dropped[0])
    }
}
