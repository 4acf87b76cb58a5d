//! Wavefront OBJ: `v` and `f` lines; everything else (normals, textures, materials, groups) is passed over.
//!
//! Our own, because a reader must say in which line a file is wrong: `tobj` does not, and `obj` drops faces before an
//! `o` line in some files without a word.

use glam::Vec3;

use super::Mesh;
use super::file::{Fault, Place, number, push_polygon};

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh, Fault> {
    let mut mesh = Mesh::default();
    let mut joined = String::new();
    let mut corners = Vec::new();
    let lines = bytes.split(|&byte| byte == b'\n').count();
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let place = Place::Line(index + 1);
        // Names of materials may be in any encoding; numbers are not.
        joined.push_str(String::from_utf8_lossy(line).trim());
        if index + 1 < lines && joined.ends_with('\\') {
            joined.pop();
            joined.push(' ');
            continue;
        }
        let mut words = joined.split('#').next().unwrap_or_default().split_whitespace();
        match words.next() {
            Some("v") => {
                let mut next = |axis: &str| match words.next() {
                    Some(word) => number(word, place),
                    None => Err(Fault::new(place, format!("a vertex without {axis}; it needs x, y and z"))),
                };
                mesh.vertices.push(Vec3::new(next("x")?, next("y")?, next("z")?));
            }
            Some("f") => {
                corners.clear();
                for word in words {
                    corners.push(vertex(word, mesh.vertices.len(), place)?);
                }
                push_polygon(&mut mesh.triangles, &corners, place)?;
            }
            _ => {}
        }
        joined.clear();
    }
    Ok(mesh)
}

/// The index in `7/1/3`, counted from 0. Files count from 1, or from -1 backwards.
fn vertex(word: &str, count: usize, place: Place) -> Result<u32, Fault> {
    let text = word.split('/').next().unwrap_or_default();
    let number: i64 = text
        .parse()
        .map_err(|_| Fault::new(place, format!("'{word}' does not begin with the number of a vertex")))?;
    let index = if number < 0 { count as i64 + number } else { number - 1 };
    if (0..count as i64).contains(&index) {
        Ok(index as u32)
    } else {
        Err(Fault::new(place, format!("vertex {number}, but {count} vertices come before this line")))
    }
}
