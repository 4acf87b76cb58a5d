//! PLY, text and binary of either byte order, by `ply-rs-bw`: elements `vertex` with `x`, `y`, `z` and `face` with a list
//! `vertex_indices` or `vertex_index`; everything else is passed over.

use glam::Vec3;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};

use super::Mesh;
use super::file::{Fault, Place, push_polygon};

/// One element of any kind, with what a mesh needs of it.
struct Element {
    position: [Option<f64>; 3],
    corners: Option<Vec<i64>>,
}

impl PropertyAccess for Element {
    fn new() -> Self {
        Self { position: [None; 3], corners: None }
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        match name {
            "x" => self.position[0] = scalar(&property),
            "y" => self.position[1] = scalar(&property),
            "z" => self.position[2] = scalar(&property),
            "vertex_indices" | "vertex_index" => self.corners = list(property),
            _ => return PropertyAccessResult::Ignored,
        }
        PropertyAccessResult::Set
    }
}

fn scalar(property: &Property) -> Option<f64> {
    Some(match *property {
        Property::Char(number) => number.into(),
        Property::UChar(number) => number.into(),
        Property::Short(number) => number.into(),
        Property::UShort(number) => number.into(),
        Property::Int(number) => number.into(),
        Property::UInt(number) => number.into(),
        Property::Float(number) => number.into(),
        Property::Double(number) => number,
        _ => return None,
    })
}

fn list(property: Property) -> Option<Vec<i64>> {
    fn widen<T: Into<i64>>(numbers: Vec<T>) -> Vec<i64> {
        numbers.into_iter().map(Into::into).collect()
    }
    Some(match property {
        Property::ListChar(numbers) => widen(numbers),
        Property::ListUChar(numbers) => widen(numbers),
        Property::ListShort(numbers) => widen(numbers),
        Property::ListUShort(numbers) => widen(numbers),
        Property::ListInt(numbers) => widen(numbers),
        Property::ListUInt(numbers) => widen(numbers),
        _ => return None,
    })
}

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh, Fault> {
    let mut reader = Reader::new(bytes);
    let parser = Parser::<Element>::new();
    let header = parser
        .read_header(&mut reader)
        .map_err(|error| Fault::new(Place::Line(reader.line()), one_line(&error.to_string())))?;
    let mut mesh = Mesh::default();
    let mut faces = Vec::new();
    for (name, definition) in &header.elements {
        let elements =
            parser.read_payload_for_element(&mut reader, definition, &header).map_err(|error| {
                // Of a binary file lines mean nothing; what is left of it says how far the reader came.
                let is_text = matches!(header.encoding, ply_rs_bw::ply::Encoding::Ascii);
                let place = if is_text {
                    Place::Line(reader.line())
                } else {
                    Place::Byte(bytes.len() - reader.get_ref().len())
                };
                Fault::new(
                    place,
                    format!("in the list of elements '{name}': {}", one_line(&error.to_string())),
                )
            })?;
        match name.as_str() {
            "vertex" => {
                for (index, element) in elements.iter().enumerate() {
                    mesh.vertices.push(vertex(element, Place::Vertex(index + 1))?);
                }
            }
            "face" => faces = elements,
            _ => {}
        }
    }
    let count = mesh.vertices.len();
    for (index, face) in faces.iter().enumerate() {
        let place = Place::Face(index + 1);
        let Some(corners) = &face.corners else {
            return Err(Fault::new(place, "no list of integers named vertex_indices or vertex_index"));
        };
        let corners = corners.iter().map(|&corner| {
            u32::try_from(corner).ok().filter(|&corner| (corner as usize) < count).ok_or_else(|| {
                Fault::new(place, format!("vertex {corner}, but there are {count} vertices, counted from 0"))
            })
        });
        let corners: Vec<u32> = corners.collect::<Result<_, _>>()?;
        push_polygon(&mut mesh.triangles, &corners, place)?;
    }
    Ok(mesh)
}

fn vertex(element: &Element, place: Place) -> Result<Vec3, Fault> {
    let mut point = [0.0; 3];
    for (axis, number) in element.position.iter().enumerate() {
        let name = ["x", "y", "z"][axis];
        let number = number.ok_or_else(|| Fault::new(place, format!("no number named {name}")))?;
        point[axis] = number as f32;
        if !point[axis].is_finite() {
            return Err(Fault::new(place, format!("{name} is {number}; it must be finite and fit 32 bits")));
        }
    }
    Ok(Vec3::from_array(point))
}

/// The reader's messages begin with the line, which we name ourselves, and quote lines with their ends.
fn one_line(text: &str) -> String {
    let text =
        text.strip_prefix("Line ").and_then(|text| text.split_once(": ")).map_or(text, |(_, text)| text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
