//! Tiny files, good and broken: what is read, and what the error says.

use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// Two triangles that make a unit square, as each format writes them.
const OBJ: &str =
    "# a square\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\n";
const STL: &str = "solid square\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n\
    facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid square\n";
const PLY: &str = "ply\nformat ascii 1.0\ncomment a square\nelement vertex 4\nproperty float x\nproperty double y\n\
    property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";

fn square() -> Mesh {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
    Mesh { vertices, triangles: vec![[0, 1, 2], [0, 2, 3]] }
}

fn binary_stl(header: &str, corners: &[[f32; 3]]) -> Vec<u8> {
    let mut bytes = header.as_bytes().to_vec();
    bytes.resize(80, b' ');
    bytes.extend((corners.len() as u32 / 3).to_le_bytes());
    for triangle in corners.chunks(3) {
        bytes.extend([0; 12]);
        bytes.extend(triangle.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

const CORNERS: [[f32; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

fn binary_ply(is_big: bool) -> Vec<u8> {
    let order = if is_big { "big" } else { "little" };
    let float = |number: f32| if is_big { number.to_be_bytes() } else { number.to_le_bytes() };
    let int = |number: u32| if is_big { number.to_be_bytes() } else { number.to_le_bytes() };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
         element face 1\nproperty list uchar uint vertex_index\nend_header\n"
    )
    .into_bytes();
    bytes.extend(square().vertices.iter().flat_map(|vertex| vertex.to_array()).flat_map(float));
    bytes.push(4);
    bytes.extend((0..4).flat_map(int));
    bytes
}

/// A folder, and a file in it.
fn written(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn read(name: &str, bytes: &[u8]) -> Result<Mesh, MeshError> {
    let (_folder, path) = written(name, bytes);
    Mesh::read(path)
}

#[test]
fn every_format_reads_the_same_square() {
    let two_solids = STL.replacen("endfacet\n", "endfacet\nendsolid square\nsolid other\n", 1);
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("a.obj", OBJ.into()),
        ("a.OBJ", OBJ.replace('\n', "\r\n").into()),
        ("backwards.obj", OBJ.replace("f 1//1 2//1 3//1 4//1", "f -4 -3 \\\n -2 -1 # all four").into()),
        ("a.stl", STL.into()),
        ("nameless.stl", STL.replace(" square", "").to_uppercase().into()),
        ("two.stl", two_solids.into()),
        ("binary.stl", binary_stl("a square", &CORNERS)),
        ("misleading.stl", binary_stl("solid square", &CORNERS)),
        ("a.ply", PLY.into()),
        ("little.ply", binary_ply(false)),
        ("big.ply", binary_ply(true)),
    ];
    for (name, bytes) in files {
        let mesh = read(name, &bytes).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(mesh, square(), "{name}");
        assert_eq!(mesh.area(), 1.0);
        assert_eq!(mesh.to_shape().unwrap().aabb(&crate::Pose::IDENTITY).max, Vec3::new(1.0, 1.0, 0.0));
    }
}

#[test]
fn broken_files_are_named() {
    let mut nan = CORNERS;
    nan[4][1] = f32::NAN;
    let little = binary_ply(false);
    let mut little_nan = little.clone();
    let vertices = little.len() - 17 - 48;
    little_nan[vertices + 28..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let table: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.gltf", vec![], "meshes are read from files named .obj, .stl or .ply"),
        ("noname", vec![], "meshes are read from files named .obj, .stl or .ply"),
        ("a.obj", vec![], "as a whole: the mesh has no faces"),
        ("a.obj", "v 0 0 0\nv 1 0 0\n".into(), "as a whole: the mesh has no faces"),
        ("a.obj", "v 0 0\n".into(), "line 1: a vertex without z"),
        ("a.obj", "v 0 0 0\nv 0 x 0\n".into(), "line 2: 'x' is not a number"),
        ("a.obj", "\nv 0 nan 0\n".into(), "line 2: NaN is no coordinate"),
        ("a.obj", "v 1e40 0 0\n".into(), "line 1: inf is no coordinate"),
        ("a.obj", OBJ.replace("4//1", "5//1").into(), "line 8: vertex 5, but 4 vertices come before"),
        ("a.obj", OBJ.replace("4//1", "0//1").into(), "line 8: vertex 0, but"),
        ("a.obj", OBJ.replace("4//1", "-5").into(), "line 8: vertex -5, but"),
        ("a.obj", OBJ.replace("4//1", "/1").into(), "line 8: '/1' does not begin with the number"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n".into(), "line 3: a face of 2 corners"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n".into(), "none of the 1 triangles has an area"),
        ("a.stl", vec![], "byte 0: the file ends here"),
        ("a.stl", "solid\nendsolid\n".into(), "as a whole: the mesh has no faces"),
        ("a.stl", STL.replace("vertex 1 0 0", "vertex 1 0").into(), "line 5: a vertex needs x, y and z"),
        ("a.stl", STL.replace("vertex 0 1 0", "vertex 0 inf 0").into(), "line 13: inf is no coordinate"),
        ("a.stl", STL.replace("vertex 0 1 0\n", "").into(), "line 14: a facet of 2 corners"),
        (
            "a.stl",
            STL.replace("endsolid square\n", "").into(),
            "line 15: the file ends here without 'endsolid'",
        ),
        ("a.stl", STL[..STL.rfind("endfacet").unwrap()].into(), "the file ends here without 'endfacet'"),
        ("a.stl", STL.replace("endfacet\nfacet", "facet").into(), "line 8: 'facet' has no place here"),
        ("a.stl", binary_stl("b", &nan), "face 2: a corner at [1, NaN, 0]"),
        (
            "a.stl",
            binary_stl("b", &CORNERS)[..100].into(),
            "byte 100: the file ends here, but its 2 triangles take 184",
        ),
        ("a.stl", binary_stl("b", &CORNERS)[..80].into(), "byte 80: the file ends here"),
        ("a.stl", [[b' '; 80].as_slice(), &[0xff; 4]].concat(), "its 4294967295 triangles take"),
        ("a.ply", vec![], "line 1: "),
        ("a.ply", PLY.replace("end_header\n", "").into(), "line "),
        ("a.ply", PLY.replace("4 0 1 2 3", "4 0 1 2 4").into(), "face 1: vertex 4, but there are 4 vertices"),
        ("a.ply", PLY.replace("4 0 1 2 3", "4 0 1 2 -1").into(), "face 1: vertex -1, but"),
        ("a.ply", PLY.replace("4 0 1 2 3", "2 0 1").into(), "face 1: a face of 2 corners"),
        ("a.ply", PLY.replace("1 1 0", "1 nan 0").into(), "line 13: in the list of elements 'vertex'"),
        ("a.ply", PLY.replace("1 1 0", "1 1e300 0").into(), "vertex 3: y is 1"),
        ("a.ply", PLY.replace("1 1 0", "1 one 0").into(), "line 13: in the list of elements 'vertex'"),
        ("a.ply", PLY.replace("float z", "float w").into(), "vertex 1: no number named z"),
        ("a.ply", PLY.replace("vertex_indices", "corners").into(), "face 1: no list of integers named"),
        ("a.ply", PLY.replace("face 1", "face 2").into(), "in the list of elements 'face'"),
        ("a.ply", PLY.replace("face 1", "face 0").replace("4 0 1 2 3\n", "").into(), "the mesh has no faces"),
        ("a.ply", little_nan, "vertex 3: y is NaN"),
        ("a.ply", little[..little.len() - 3].into(), "in the list of elements 'face'"),
    ];
    for (name, bytes, says) in table {
        let error = read(name, &bytes).expect_err(says).to_string();
        assert!(error.contains(says), "'{error}' does not say '{says}'");
        assert!(error.contains(name), "'{error}' does not name the file {name}");
    }
    let error = Mesh::read("nowhere/at_all.obj").unwrap_err();
    assert!(
        matches!(error, MeshError::Open { .. }) && error.to_string().contains("nowhere/at_all.obj"),
        "{error}"
    );
}

#[test]
fn meshes_are_checked() {
    let square = square();
    let mut bad = square.clone();
    bad.triangles[1][2] = 9;
    assert!(matches!(bad.check(), Err(MeshError::BadIndex { triangle: 1, index: 9, vertices: 4 })));
    bad = square.clone();
    bad.vertices[2].z = f32::INFINITY;
    assert!(matches!(bad.check(), Err(MeshError::BadVertex { vertex: 2, .. })));
    assert!(matches!(Mesh::new(square.vertices.clone(), vec![]), Err(MeshError::NoTriangles)));
    let mut with_sliver = square.clone();
    with_sliver.triangles.push([1, 2, 1]);
    with_sliver.check().unwrap();
    assert_eq!(with_sliver.without_slivers(), square);
}

/// Every beginning of every file, and files with one byte changed: an error or a mesh, never a panic.
#[test]
fn cut_files_never_panic() {
    let files = [
        ("a.obj", OBJ.as_bytes().to_vec()),
        ("a.stl", STL.into()),
        ("a.stl", binary_stl("solid", &CORNERS)),
        ("a.ply", PLY.into()),
        ("a.ply", binary_ply(false)),
        ("a.ply", binary_ply(true)),
    ];
    for (name, bytes) in files {
        let parse = |bytes: &[u8]| match name {
            "a.obj" => obj::parse(bytes),
            "a.stl" => stl::parse(bytes),
            _ => ply::parse(bytes),
        };
        for length in 0..bytes.len() {
            if let Ok(mesh) = parse(&bytes[..length]) {
                let _ = mesh.check();
            }
            for replacement in [0, b'9', b' ', b'\n', 0xff] {
                let mut changed = bytes.clone();
                changed[length] = replacement;
                if let Ok(mesh) = parse(&changed) {
                    let _ = mesh.check();
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn random_files_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "(v|f|vertex|facet|solid|[ 0-9./-]|\n){0,80}") {
        for bytes in [bytes.as_slice(), text.as_bytes()] {
            for parse in [obj::parse, stl::parse, ply::parse] {
                let _ = parse(bytes).map(|mesh| mesh.check());
            }
        }
    }
}
