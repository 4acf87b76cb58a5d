//! STL, text and binary.
//!
//! Our own, because the format is a list of triangles and its pitfalls are known: binary files that begin with `solid`,
//! text files of several solids. `stl_io` takes the former for text and reads the first solid of the latter only.

use glam::Vec3;

use super::Mesh;
use super::file::{Fault, Place, Welder, number};

/// Bytes before the first triangle of a binary file, and bytes of a triangle.
const HEADER: usize = 84;
const TRIANGLE: usize = 50;

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh, Fault> {
    let count = bytes
        .get(80..HEADER)
        .map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize);
    // The length decides: text of just that length is as good as impossible.
    let fits = count.is_some_and(|count| bytes.len() == HEADER + TRIANGLE * count);
    let first_word = bytes.trim_ascii_start().get(..5).unwrap_or_default();
    if !fits && first_word.eq_ignore_ascii_case(b"solid") {
        return parse_text(bytes);
    }
    let Some(count) = count else {
        let what = format!(
            "the file ends here; a binary STL file has at least {HEADER} bytes, a text begins with 'solid'"
        );
        return Err(Fault::new(Place::Byte(bytes.len()), what));
    };
    if !fits {
        let needed = HEADER as u64 + TRIANGLE as u64 * count as u64;
        let what = format!("the file ends here, but its {count} triangles take {needed} bytes");
        return Err(Fault::new(Place::Byte(bytes.len()), what));
    }
    parse_binary(&bytes[HEADER..])
}

fn parse_binary(bytes: &[u8]) -> Result<Mesh, Fault> {
    let mut welder = Welder::default();
    let mut triangles = Vec::with_capacity(bytes.len() / TRIANGLE);
    for (index, triangle) in bytes.chunks_exact(TRIANGLE).enumerate() {
        let mut corners = [0; 3];
        // The normal comes first. It follows from the corners.
        for (corner, bytes) in corners.iter_mut().zip(triangle[12..48].chunks_exact(12)) {
            let (axes, _) = bytes.as_chunks::<4>();
            let point = Vec3::new(
                f32::from_le_bytes(axes[0]),
                f32::from_le_bytes(axes[1]),
                f32::from_le_bytes(axes[2]),
            );
            if !point.is_finite() {
                return Err(Fault::new(
                    Place::Face(index + 1),
                    format!("a corner at {point}; it must be finite"),
                ));
            }
            *corner = welder.index(point);
        }
        triangles.push(corners);
    }
    Ok(Mesh { vertices: welder.vertices, triangles })
}

/// Text: `vertex` lines between `facet` and `endfacet`. The other words are checked as far as they could hide a loss.
fn parse_text(bytes: &[u8]) -> Result<Mesh, Fault> {
    let mut welder = Welder::default();
    let mut triangles = Vec::new();
    let mut corners = Vec::new();
    let mut is_in_facet = false;
    let mut is_in_solid = false;
    let mut last = 0;
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let place = Place::Line(index + 1);
        let line = String::from_utf8_lossy(line).to_lowercase();
        let mut words = line.split_whitespace();
        let Some(word) = words.next() else { continue };
        last = index + 1;
        match word {
            "solid" => is_in_solid = true,
            "facet" if is_in_solid && !is_in_facet => {
                is_in_facet = true;
                corners.clear();
            }
            "vertex" if is_in_facet => {
                let mut next = || match words.next() {
                    Some(word) => number(word, place),
                    None => Err(Fault::new(place, "a vertex needs x, y and z")),
                };
                corners.push(welder.index(Vec3::new(next()?, next()?, next()?)));
            }
            "endfacet" if is_in_facet => {
                let triangle = <[u32; 3]>::try_from(corners.as_slice()).map_err(|_| {
                    Fault::new(place, format!("a facet of {} corners; STL has triangles only", corners.len()))
                })?;
                triangles.push(triangle);
                is_in_facet = false;
            }
            "outer" | "endloop" if is_in_facet => {}
            "endsolid" if !is_in_facet => is_in_solid = false,
            _ => return Err(Fault::new(place, format!("'{word}' has no place here"))),
        }
    }
    if is_in_facet || is_in_solid {
        let missing = if is_in_facet { "endfacet" } else { "endsolid" };
        return Err(Fault::new(Place::Line(last), format!("the file ends here without '{missing}'")));
    }
    Ok(Mesh { vertices: welder.vertices, triangles })
}
