//! Numbers to bytes and back: little-endian, nothing aligned, nothing trusted.

use glam::{Quat, Vec3};

use crate::hash::Hasher;
use crate::{Pose, Velocity};

/// What is wrong with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) &'static str);

const TOO_SHORT: Broken = Broken("it ends too early");

/// Reads numbers one after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Broken> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Broken> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Broken> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Broken> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Broken> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn f32(&mut self) -> Result<f32, Broken> {
        self.array().map(f32::from_le_bytes)
    }

    pub(crate) fn vector(&mut self) -> Result<Vec3, Broken> {
        Ok(Vec3::new(self.f32()?, self.f32()?, self.f32()?))
    }

    pub(crate) fn pose(&mut self) -> Result<Pose, Broken> {
        let position = self.vector()?;
        let rotation = Quat::from_xyzw(self.f32()?, self.f32()?, self.f32()?, self.f32()?);
        Ok(Pose { position, rotation })
    }

    pub(crate) fn velocity(&mut self) -> Result<Velocity, Broken> {
        Ok(Velocity { linear: self.vector()?, angular: self.vector()? })
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Broken> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Broken("a yes or no is neither")),
        }
    }

    /// How many things of at least `each` bytes follow: no more than there are bytes for, so that it can be trusted with
    /// memory.
    pub(crate) fn count(&mut self, each: usize) -> Result<usize, Broken> {
        let count = self.u32()? as usize;
        if count > self.rest.len() / each { Err(TOO_SHORT) } else { Ok(count) }
    }

    pub(crate) fn end(&self) -> Result<(), Broken> {
        if self.rest.is_empty() { Ok(()) } else { Err(Broken("something follows its end")) }
    }
}

/// Appends numbers.
pub(crate) trait Write {
    fn u8(&mut self, number: u8);
    fn bytes(&mut self, bytes: &[u8]);

    fn u32(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    fn f32(&mut self, number: f32) {
        self.bytes(&number.to_le_bytes());
    }

    /// A number of things that is known to fit.
    fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).expect("ids have 32 bits, and there is memory for all of them"));
    }

    fn vector(&mut self, vector: Vec3) {
        vector.to_array().into_iter().for_each(|number| self.f32(number));
    }

    fn pose(&mut self, pose: &Pose) {
        self.vector(pose.position);
        pose.rotation.to_array().into_iter().for_each(|number| self.f32(number));
    }

    fn velocity(&mut self, velocity: &Velocity) {
        self.vector(velocity.linear);
        self.vector(velocity.angular);
    }
}

impl Write for Vec<u8> {
    fn u8(&mut self, number: u8) {
        self.push(number);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// The hash of this crate, of bytes: words of eight, the last one filled up with zeros, then their number.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = Hasher::default();
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hasher.write_u64(u64::from_le_bytes(word));
    }
    hasher.write_u64(bytes.len() as u64);
    hasher.finish()
}
