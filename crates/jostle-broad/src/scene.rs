//! Seeded box streams: the moving scenes that tests, benches and the lab share.
//!
//! A stream gives the same boxes for the same kind, size and seed, on every machine.

use std::str::FromStr;

use glam::Vec3;
use thiserror::Error;

use crate::Aabb;

/// The kinds of streams. All have about 1.5 overlapping pairs per box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// Every box moves by 1 to 10 % of its size each frame.
    Brownian,
    /// As `Brownian`, but only a tenth of the boxes moves in a frame, others each time.
    Still10,
    /// Every box moves by about its own size each frame.
    Fast,
    /// As `Brownian`, with sizes from 1 to 100, as many between 1 and 2 as between 50 and 100.
    Disparity,
    /// A layer three boxes thick in which every box trembles around its place by up to 1 % of its size.
    Pile,
    /// Boxes as in `Brownian`, none of which moves.
    Still,
}

/// There is no such stream.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown stream `{name}`; there are: brownian, still10, fast, disparity, pile, still")]
pub struct UnknownStream {
    name: String,
}

impl StreamKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Brownian, Self::Still10, Self::Fast, Self::Disparity, Self::Pile, Self::Still];

    /// The name users choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Brownian => "brownian",
            Self::Still10 => "still10",
            Self::Fast => "fast",
            Self::Disparity => "disparity",
            Self::Pile => "pile",
            Self::Still => "still",
        }
    }
}

impl FromStr for StreamKind {
    type Err = UnknownStream;

    fn from_str(name: &str) -> Result<Self, UnknownStream> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownStream { name: name.to_string() })
    }
}

/// A moving scene of boxes with ids 0, 1, 2, ...
#[derive(Clone, Debug)]
pub struct BoxStream {
    kind: StreamKind,
    random: Random,
    /// Widths of the world from the origin.
    world: Vec3,
    centers: Vec<Vec3>,
    halves: Vec<Vec3>,
    boxes: Vec<Aabb>,
    moved: Vec<u32>,
}

/// Overlapping pairs per box that streams aim at.
const PAIRS_PER_BOX: f64 = 1.5;
/// Height of the pile, in boxes of average size.
const PILE_LAYERS: f32 = 3.0;

impl BoxStream {
    /// The first frame of a stream of `n` boxes.
    pub fn new(kind: StreamKind, n: usize, seed: u64) -> Self {
        let mut random = Random::new(seed ^ (kind as u64) << 56);
        let halves: Vec<Vec3> = (0..n).map(|_| half_extents(kind, &mut random)).collect();
        let world = world(kind, &halves, &mut random);
        let centers: Vec<Vec3> = (0..n).map(|_| random.vector() * world).collect();
        let boxes = centers.iter().zip(&halves).map(|(c, h)| Aabb::from_center(*c, *h)).collect();
        let moved = (0..n as u32).collect();
        Self { kind, random, world, centers, halves, boxes, moved }
    }

    /// This frame's boxes, in id order.
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// The ids of the boxes that moved since the frame before, ascending. All of them in the first frame.
    pub fn moved(&self) -> &[u32] {
        &self.moved
    }

    /// Goes on to the next frame.
    pub fn advance(&mut self) {
        self.moved.clear();
        if self.kind == StreamKind::Still {
            return;
        }
        for i in 0..self.centers.len() {
            if self.kind == StreamKind::Still10 && self.random.unit() >= 0.1 {
                continue;
            }
            let size = 2.0 * self.halves[i].max_element();
            let center = match self.kind {
                StreamKind::Pile => {
                    let offset = (self.random.vector() - 0.5) * (0.02 * size);
                    self.boxes[i] = Aabb::from_center(self.centers[i] + offset, self.halves[i]);
                    self.moved.push(i as u32);
                    continue;
                }
                StreamKind::Fast => {
                    self.centers[i] + self.random.direction() * (size * self.random.between(0.5, 1.5))
                }
                _ => self.centers[i] + self.random.direction() * (size * self.random.between(0.01, 0.1)),
            };
            self.centers[i] = reflect(center, self.world);
            self.boxes[i] = Aabb::from_center(self.centers[i], self.halves[i]);
            self.moved.push(i as u32);
        }
    }
}

fn half_extents(kind: StreamKind, random: &mut Random) -> Vec3 {
    let size = match kind {
        StreamKind::Disparity => power(100.0, random.unit()),
        _ => 1.0,
    };
    // Each side between half and one and a half times the size.
    (random.vector() + 0.5) * (0.5 * size)
}

/// The world in which `n` such boxes have about [`PAIRS_PER_BOX`] overlaps each: two boxes of sides a and b, put down at
/// random, overlap with probability (a + b)x (a + b)y (a + b)z / volume.
fn world(kind: StreamKind, halves: &[Vec3], random: &mut Random) -> Vec3 {
    if halves.is_empty() {
        return Vec3::ONE;
    }
    let mut sum = 0.0;
    const SAMPLES: usize = 4096;
    for _ in 0..SAMPLES {
        let a = halves[random.below(halves.len())];
        let b = halves[random.below(halves.len())];
        let both = 2.0 * (a + b);
        sum += f64::from(both.x) * f64::from(both.y) * f64::from(both.z);
    }
    let volume = 0.5 * halves.len() as f64 * (sum / SAMPLES as f64) / PAIRS_PER_BOX;
    match kind {
        StreamKind::Pile => {
            let side = (volume / f64::from(PILE_LAYERS)).sqrt() as f32;
            Vec3::new(side, PILE_LAYERS, side)
        }
        _ => Vec3::splat(cube_root(volume) as f32),
    }
}

/// `base` to the power of a number in [0, 1), by multiplication and square roots only: those are the same everywhere,
/// which the functions of a platform's mathematical library are not.
fn power(base: f64, exponent: f32) -> f32 {
    let (mut result, mut factor) = (1.0, base);
    let mut rest = f64::from(exponent);
    for _ in 0..24 {
        factor = factor.sqrt();
        rest *= 2.0;
        if rest >= 1.0 {
            rest -= 1.0;
            result *= factor;
        }
    }
    result as f32
}

/// The cube root of a positive number, by Newton's method, for the same reason.
fn cube_root(number: f64) -> f64 {
    let mut root = number.max(1.0);
    for _ in 0..200 {
        let next = (2.0 * root + number / (root * root)) / 3.0;
        if next >= root {
            break;
        }
        root = next;
    }
    root
}

/// Keeps a point in the world as a wall would.
fn reflect(point: Vec3, world: Vec3) -> Vec3 {
    let bounce = |p: f32, w: f32| {
        let p = if p < 0.0 {
            -p
        } else if p > w {
            2.0 * w - p
        } else {
            p
        };
        p.clamp(0.0, w)
    };
    Vec3::new(bounce(point.x, world.x), bounce(point.y, world.y), bounce(point.z, world.z))
}

/// SplitMix64 (Steele, Lea, Flood, 'Fast splittable pseudorandom number generators', 2014). Written out here because
/// streams must never change with the version of a library: published numbers hang on them.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// A number in [low, high).
    #[inline]
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// An index below `n`.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A point in the unit cube.
    #[inline]
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    /// A direction: a vector of length 1.
    #[inline]
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.vector() * 2.0 - 1.0;
            let length_squared = v.length_squared();
            if length_squared > 1e-4 && length_squared <= 1.0 {
                return v / length_squared.sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boxes, Brute, FindSettings, PairFinder};

    #[test]
    fn streams_are_the_same_for_the_same_seed_and_have_the_promised_density() {
        for kind in StreamKind::ALL {
            let mut stream = BoxStream::new(kind, 3000, 1);
            let again = BoxStream::new(kind, 3000, 1);
            assert_eq!(stream.boxes(), again.boxes());
            stream.advance();
            let boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
            let pairs = Brute::default().update(&boxes, &FindSettings::default()).unwrap().pairs;
            let per_box = pairs as f64 / 3000.0;
            assert!((1.1..1.9).contains(&per_box), "{}: {per_box} pairs per box", kind.name());
        }
    }

    /// Published numbers hang on the streams: these sums change only with a stated reason, in the changelog.
    #[test]
    fn streams_are_the_same_on_every_machine() {
        let sum_of = |kind| {
            let mut stream = BoxStream::new(kind, 1000, 7);
            stream.advance();
            stream.advance();
            let numbers: &[u32] = bytemuck::cast_slice(stream.boxes());
            numbers
                .iter()
                .fold(0u64, |sum, &bits| (sum ^ u64::from(bits)).wrapping_mul(0x0000_0100_0000_01B3))
        };
        let sums = StreamKind::ALL.map(|kind| format!("{:016x}", sum_of(kind)));
        let expected = [
            "5c08598dbadefb67",
            "143f20cb4cce50d4",
            "2ded1e69988276b6",
            "73b20f09a281dbf1",
            "8be8fdb0ab4ca84d",
            "186c1736557e9dca",
        ];
        assert_eq!(sums, expected);
    }

    #[test]
    fn own_functions_are_right() {
        for number in [1.0, 2.0, 27.0, 1e3, 1.5e9, 0.1] {
            assert!((cube_root(number) / number.cbrt() - 1.0).abs() < 1e-12, "{number}");
        }
        for exponent in [0.0, 0.25, 0.5, 0.7, 0.999] {
            assert!((power(100.0, exponent) / 100f32.powf(exponent) - 1.0).abs() < 1e-5, "{exponent}");
        }
    }

    #[test]
    fn a_tenth_moves_in_still10() {
        let mut stream = BoxStream::new(StreamKind::Still10, 10_000, 1);
        let before = stream.boxes().to_vec();
        stream.advance();
        assert!((800..1200).contains(&stream.moved().len()));
        let differ = (0..10_000u32).filter(|&i| before[i as usize] != stream.boxes()[i as usize]);
        assert!(differ.eq(stream.moved().iter().copied()));
    }
}
