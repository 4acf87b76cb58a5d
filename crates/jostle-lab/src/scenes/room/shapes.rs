//! Bodies for the objects of the Room. Objects of one type and size share their shapes.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use jostle::{Body, BodyKind, DecomposeSettings, Mesh, Part, Shape, concave, decompose};
use jostle_broad::Aabb;
use jostle_broad::glam::Vec3;

use super::{Object, ObjectType, Room};

/// The corners of convex pieces that together fill the cube of side 1 around the origin from wall to wall.
type Pieces = Vec<Vec<Vec3>>;

/// The most pieces of a mesh that stands for a bunny, and for an armadillo.
const BUNNY_PIECES: u32 = 22;
const ARMADILLO_PIECES: u32 = 25;

pub(super) struct Shapes {
    bunny: Pieces,
    armadillo: Pieces,
    /// By type and the bits of the extents.
    made: HashMap<(ObjectType, [u32; 3]), Vec<Shape>>,
}

impl Shapes {
    /// Concave bodies are made, or read from their files, only where objects can be such.
    pub(super) fn new(room: &Room) -> Result<Self> {
        let wanted = |kind| room.kind == kind || room.kind == ObjectType::Uniform;
        let pieces =
            |kind, field: &str, file: Option<&Path>, most, made: fn() -> Result<Vec<Part>, _>| match file {
                _ if !wanted(kind) => Ok(Pieces::new()),
                Some(file) => pieces_of_mesh(file, most)
                    .with_context(|| format!("`{field}`: name a mesh that can be read (.obj, .stl or .ply)")),
                None => Ok(to_unit_cube(pieces_of_parts(&made()?))),
            };
        Ok(Self {
            bunny: pieces(ObjectType::Bunnies, "bunny", room.bunny.as_deref(), BUNNY_PIECES, concave::ring)?,
            armadillo: pieces(
                ObjectType::Armadillos,
                "armadillo",
                room.armadillo.as_deref(),
                ARMADILLO_PIECES,
                concave::animal,
            )?,
            made: HashMap::new(),
        })
    }

    /// An object as a body at its start.
    pub(super) fn body(&mut self, object: &Object) -> Result<Body> {
        let key = (object.kind, object.extents.to_array().map(f32::to_bits));
        let shapes = match self.made.get(&key) {
            Some(shapes) => shapes,
            None => {
                let shapes = self.shapes(object)?;
                self.made.entry(key).or_insert(shapes)
            }
        };
        let body = shapes.iter().cloned().fold(Body::new(BodyKind::Dynamic), Body::with_shape);
        Ok(body
            .at(object.position)
            .moving(object.linear_velocity)
            .spinning(object.angular_velocity)
            .mass(object.mass))
    }

    fn shapes(&self, object: &Object) -> Result<Vec<Shape>> {
        let half = object.extents * 0.5;
        let scaled = |pieces: &Pieces| -> Result<Vec<Shape>> {
            let scale = |piece: &Vec<Vec3>| {
                Shape::convex_hull(&piece.iter().map(|corner| *corner * object.extents).collect::<Vec<_>>())
            };
            Ok(pieces.iter().map(scale).collect::<Result<_, _>>()?)
        };
        Ok(match object.kind {
            ObjectType::Spheres => vec![Shape::ball(half.x)?],
            ObjectType::Cylinders if half.x == half.z => vec![Shape::cylinder(half.y, half.x)?],
            ObjectType::Cylinders => scaled(&vec![prism()])?,
            ObjectType::Cones => vec![Shape::cone(half.y, half.x)?],
            ObjectType::Bunnies => scaled(&self.bunny)?,
            ObjectType::Armadillos => scaled(&self.armadillo)?,
            // A uniform mix is drawn before it gets here.
            ObjectType::Cuboids | ObjectType::Uniform => vec![Shape::cuboid(half)?],
        })
    }
}

/// A cylinder whose base is an ellipse has no shape of its own: a prism with sixteen sides stands for it.
fn prism() -> Vec<Vec3> {
    let eighth = 0.5f32.sqrt();
    let (cos, sin) = ((0.5 + 0.5 * eighth).sqrt(), (0.5 - 0.5 * eighth).sqrt());
    let quarter = [(1.0, 0.0), (cos, sin), (eighth, eighth), (sin, cos)];
    let turned = quarter.into_iter().flat_map(|(x, z)| [(x, z), (-z, x), (-x, -z), (z, -x)]);
    turned.flat_map(|(x, z)| [-0.5, 0.5].map(|y| Vec3::new(0.5 * x, y, 0.5 * z))).collect()
}

fn pieces_of_parts(parts: &[Part]) -> Pieces {
    let piece = |part: &Part| {
        part.shape.hull_corners().map(|corner| part.local.position + part.local.rotation * corner).collect()
    };
    parts.iter().map(piece).collect()
}

fn pieces_of_mesh(file: &Path, most_pieces: u32) -> Result<Pieces> {
    let settings = DecomposeSettings { most_pieces, ..DecomposeSettings::default() };
    let mesh = Mesh::read(file)?;
    let shapes = decompose(&mesh, &settings)
        .with_context(|| format!("{}: cannot be cut into convex pieces", file.display()))?;
    Ok(to_unit_cube(shapes.iter().map(|shape| shape.hull_corners().collect()).collect()))
}

fn to_unit_cube(mut pieces: Pieces) -> Pieces {
    let corners = pieces.iter().flatten();
    let around = corners.fold(Aabb::EMPTY, |around, corner| around.union(&Aabb::new(*corner, *corner)));
    let (middle, span) = (around.center(), around.max - around.min);
    pieces.iter_mut().flatten().for_each(|corner| *corner = (*corner - middle) / span);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use jostle::Pose;

    #[test]
    fn bodies_are_as_large_as_their_objects() {
        let room = Room { kind: ObjectType::Uniform, ..Room::default() };
        let mut shapes = Shapes::new(&room).unwrap();
        for kind in ObjectType::SOLID {
            let extents = match kind {
                ObjectType::Spheres => Vec3::splat(30.0),
                ObjectType::Cones => Vec3::new(30.0, 50.0, 30.0),
                _ => Vec3::new(30.0, 50.0, 40.0),
            };
            let object = Object {
                kind,
                extents,
                mass: 2.0,
                linear_velocity: Vec3::X,
                angular_velocity: Vec3::Y,
                position: Vec3::ZERO,
            };
            let body = shapes.body(&object).unwrap();
            let pieces = match kind {
                ObjectType::Bunnies => 22,
                ObjectType::Armadillos => 25,
                _ => 1,
            };
            assert_eq!(body.parts.len(), pieces, "{kind:?}");
            let boxes = body.parts.iter().map(|part| part.shape.aabb(&Pose::IDENTITY));
            let around = boxes.fold(Aabb::EMPTY, |around, aabb| around.union(&aabb));
            let wrong = (around.max - around.min - extents).abs().max_element();
            assert!(wrong < 0.02, "{kind:?}: {around:?}");
            assert!(around.center().abs().max_element() < 0.01, "{kind:?}: {around:?}");
        }
    }
}
