//! How large the boxes of a crowd are, how large their world is, and where they begin.

use jostle_broad::glam::Vec3;
use jostle_broad::{Aabb, Dimensions};

use super::{Arrangement, Crowd};
use crate::scenes::draw::Draws;

/// Pairs of boxes by which the size of the world is found.
const SAMPLES: usize = 4096;
/// The other sides of a box that spans the world, as a share of the world.
const SPANNING_WIDTH: f32 = 0.05;

/// A crowd at its first frame.
pub(super) struct Start {
    pub(super) world: Aabb,
    /// 1 for axes along which boxes move, 0 for others.
    pub(super) free: Vec3,
    pub(super) centers: Vec<Vec3>,
    pub(super) halves: Vec<Vec3>,
}

impl Start {
    pub(super) fn new(crowd: &Crowd, draws: &mut Draws) -> Self {
        let count = crowd.objects;
        let mut halves: Vec<Vec3> = (0..count).map(|_| half(crowd, draws)).collect();
        let free = free_axes(crowd);
        let side = side(crowd, &halves, free, draws);
        let world = Aabb::new(Vec3::ZERO, free * side);
        let spanning = crowd.spanning.min(count);
        for (index, half) in halves.iter_mut().enumerate().take(spanning) {
            let long = [Vec3::X, Vec3::Y, Vec3::Z][index % 3];
            *half = 0.5 * side * (long + (Vec3::ONE - long) * SPANNING_WIDTH);
        }
        let cubes = Cubes::new(crowd, side, draws);
        let mut centers: Vec<Vec3> =
            halves.iter().map(|half| cubes.place(crowd, half, free, draws)).collect();
        for (index, center) in centers.iter_mut().enumerate().take(spanning) {
            let long = [Vec3::X, Vec3::Y, Vec3::Z][index % 3];
            *center = *center * (Vec3::ONE - long) + world.center() * long;
        }
        Self { world, free, centers, halves }
    }
}

fn half(crowd: &Crowd, draws: &mut Draws) -> Vec3 {
    let sides: [f64; 3] = std::array::from_fn(|_| crowd.size.draw_positive(draws)[0]);
    let scale = match crowd.disparity {
        1.0 => 1.0,
        disparity => libm::pow(disparity, draws.unit()),
    };
    Vec3::from_array(sides.map(|side| (0.5 * side * scale) as f32))
}

fn free_axes(crowd: &Crowd) -> Vec3 {
    let axes = match crowd.arrangement {
        Arrangement::Uniform | Arrangement::Clusters => Vec3::ONE,
        Arrangement::Layer => Vec3::new(1.0, 0.0, 1.0),
        Arrangement::LineX => Vec3::X,
        Arrangement::LineY => Vec3::Y,
        Arrangement::LineZ => Vec3::Z,
    };
    match crowd.dimensions {
        Dimensions::Two if axes != Vec3::Z => axes * Vec3::new(1.0, 1.0, 0.0),
        _ => axes,
    }
}

/// The side of a world in which boxes have as many overlaps as asked for: two boxes of sides a and b, put down at random,
/// overlap with the probability that the product of (a + b) / side over all free axes gives.
fn side(crowd: &Crowd, halves: &[Vec3], free: Vec3, draws: &mut Draws) -> f32 {
    if crowd.extent > 0.0 {
        return crowd.extent as f32;
    }
    if halves.is_empty() {
        return 1.0;
    }
    let axes = free.to_array().map(|axis| axis > 0.0);
    let mut sum = 0.0;
    for _ in 0..SAMPLES {
        let (a, b) = (halves[draws.below(halves.len())], halves[draws.below(halves.len())]);
        let both = (2.0 * (a + b)).to_array();
        sum += (0..3).filter(|&axis| axes[axis]).map(|axis| f64::from(both[axis])).product::<f64>();
    }
    let places = crowd.objects.div_ceil(crowd.coincident) as f64;
    let volume = 0.5 * places * (sum / SAMPLES as f64) / crowd.pairs;
    let side = match axes.iter().filter(|axis| **axis).count() {
        1 => volume,
        2 => volume.sqrt(),
        _ => libm::cbrt(volume),
    };
    let side = match crowd.arrangement {
        Arrangement::Clusters => side * crowd.spread,
        _ => side,
    };
    side as f32
}

/// Where boxes may be put: the whole world, or one of the cubes that are the clusters.
struct Cubes {
    corners: Vec<Vec3>,
    side: f32,
}

impl Cubes {
    fn new(crowd: &Crowd, world: f32, draws: &mut Draws) -> Self {
        if crowd.arrangement != Arrangement::Clusters {
            return Self { corners: vec![Vec3::ZERO], side: world };
        }
        // All clusters together have the volume that the boxes would have to themselves.
        let side = world / (crowd.spread * libm::cbrt(crowd.clusters as f64)) as f32;
        let corners = (0..crowd.clusters).map(|_| draws.point() * (world - side).max(0.0)).collect();
        Self { corners, side }
    }

    fn place(&self, crowd: &Crowd, half: &Vec3, free: Vec3, draws: &mut Draws) -> Vec3 {
        let corner = match self.corners.len() {
            1 => self.corners[0],
            count => self.corners[draws.below(count)],
        };
        let place = (corner + draws.point() * self.side) * free;
        match crowd.arrangement {
            Arrangement::Layer => place + Vec3::Y * half.y,
            _ => place,
        }
    }
}
