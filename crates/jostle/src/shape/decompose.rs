//! Concave solids as convex pieces, by parry's approximate convex decomposition (V-HACD).
//!
//! In: a closed mesh and settings. Out: convex hulls that together fill it, the same bits each time. It takes seconds for
//! meshes of many triangles: [`super::DecompositionCache`] remembers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::transformation::vhacd::{VHACD, VHACDParameters};
use parry3d::transformation::voxelization::{FillMode, VoxelSet};

use super::Shape;
use crate::{Mesh, MeshError};

/// How finely a mesh is decomposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecomposeSettings {
    /// Cells along the longest side of the mesh, 8 to 512. Cost goes with its cube. Default: 64.
    pub resolution: u32,
    /// How far a piece may be from convex before it is cut again, 0 to 1 of its volume. Smaller values mean more pieces.
    /// Default: 0.01.
    pub concavity: f32,
    /// At most this many pieces, 1 to 1024. Default: 64.
    pub most_pieces: u32,
}

impl Default for DecomposeSettings {
    fn default() -> Self {
        Self { resolution: 64, concavity: 0.01, most_pieces: 64 }
    }
}

impl DecomposeSettings {
    fn check(&self) -> Result<(), MeshError> {
        let bad = |setting, value, range| Err(MeshError::BadSetting { setting, value, range });
        if !(8..=512).contains(&self.resolution) {
            return bad("resolution", self.resolution as f32, "8 to 512");
        }
        if !(0.0..=1.0).contains(&self.concavity) {
            return bad("concavity", self.concavity, "0 to 1");
        }
        if !(1..=1024).contains(&self.most_pieces) {
            return bad("most_pieces", self.most_pieces as f32, "1 to 1024");
        }
        Ok(())
    }
}

/// Convex hulls that together fill a closed mesh, all in the frame of the mesh: add each to a body with
/// [`crate::Body::with_shape`].
pub fn decompose(mesh: &Mesh, settings: &DecomposeSettings) -> Result<Vec<Shape>, MeshError> {
    settings.check()?;
    mesh.check()?;
    let (area, volume) = (mesh.area(), mesh.volume().abs());
    // A ball encloses 0.094 times its area to the power of 3/2; what encloses nothing has a volume of rounding errors.
    if volume.is_nan() || volume <= 1.0e-6 * area * area.sqrt() {
        return Err(MeshError::NoVolume);
    }
    let points: Vec<Vector> = mesh.vertices.iter().map(|vertex| vertex.to_array().into()).collect();
    let parameters = VHACDParameters {
        resolution: settings.resolution,
        concavity: settings.concavity,
        max_convex_hulls: settings.most_pieces,
        fill_mode: FillMode::FloodFill { detect_cavities: false },
        ..Default::default()
    };
    // parry asserts where its hulls of cells contradict themselves by rounding; there is nothing half-done to see.
    let parts = catch_unwind(AssertUnwindSafe(|| {
        let found = VHACD::decompose(&parameters, &points, &mesh.triangles, true);
        found.voxel_parts().iter().map(|part| piece(part, &points, &mesh.triangles)).collect::<Vec<_>>()
    }))
    .map_err(|_| MeshError::Decompose)?;
    let pieces: Vec<Shape> = parts.into_iter().flatten().collect::<Result<_, _>>()?;
    if pieces.is_empty() { Err(MeshError::Decompose) } else { merge(pieces, settings.most_pieces as usize) }
}

/// Joins pieces until there are at most so many: at each step those two whose common hull adds the least volume. parry
/// leaves this step out, and gives up to four times as many pieces as it is told.
fn merge(mut pieces: Vec<Shape>, most: usize) -> Result<Vec<Shape>, MeshError> {
    let volume = |piece: &Shape| piece.mass_properties(1.0).mass;
    let join = |a: &Shape, b: &Shape| -> Result<(f32, Shape), MeshError> {
        let corners: Vec<Vec3> = a.hull_corners().chain(b.hull_corners()).collect();
        let joined = Shape::convex_hull(&corners)?;
        Ok((volume(&joined) - volume(a) - volume(b), joined))
    };
    // What joining each two would add, the later of the two first: `added[b][a]` with a < b.
    let mut added: Vec<Vec<f32>> = Vec::new();
    if pieces.len() > most {
        for (b, piece) in pieces.iter().enumerate() {
            let row = pieces[..b].iter().map(|other| Ok(join(other, piece)?.0));
            added.push(row.collect::<Result<_, MeshError>>()?);
        }
    }
    while pieces.len() > most {
        let (mut least, mut cheapest) = ((0, 1), f32::INFINITY);
        for (b, row) in added.iter().enumerate() {
            for (a, &volume) in row.iter().enumerate() {
                if volume < cheapest {
                    (least, cheapest) = ((a, b), volume);
                }
            }
        }
        let (a, b) = least;
        pieces[a] = join(&pieces[a], &pieces[b])?.1;
        pieces.remove(b);
        added.remove(b);
        for row in &mut added[b..] {
            row.remove(b);
        }
        for other in (0..pieces.len()).filter(|&other| other != a) {
            let (low, high) = (a.min(other), a.max(other));
            added[high][low] = join(&pieces[low], &pieces[high])?.0;
        }
    }
    Ok(pieces)
}

/// The hull of the part of the surface that lies in some cells. Where that is flat, the hull of the cells themselves;
/// nothing where there are no cells.
fn piece(cells: &VoxelSet, points: &[Vector], triangles: &[[u32; 3]]) -> Option<Result<Shape, MeshError>> {
    if cells.is_empty() {
        return None;
    }
    let surface = cells.compute_primitive_intersections(points, triangles);
    if let Ok(shape) = Shape::convex_hull(&finite(&surface)) {
        return Some(Ok(shape));
    }
    let half = 0.5 * cells.scale;
    let mut corners = Vec::with_capacity(8 * cells.len());
    for cell in cells.voxels() {
        let middle = Vec3::from_array(cells.get_voxel_point(cell).to_array());
        for corner in 0..8u8 {
            let side = |bit: u8| if corner >> bit & 1 == 0 { -half } else { half };
            corners.push(middle + Vec3::new(side(0), side(1), side(2)));
        }
    }
    Some(Shape::convex_hull(&corners).map_err(MeshError::from))
}

/// Distinct neighbours only: cells repeat the corners they share. Cutting a sliver may give numbers that are none.
fn finite(points: &[Vector]) -> Vec<Vec3> {
    let mut seen = std::collections::HashSet::with_capacity(points.len());
    let points = points.iter().map(|point| Vec3::from_array(point.to_array()));
    points.filter(|point| point.is_finite() && seen.insert(point.to_array().map(f32::to_bits))).collect()
}
