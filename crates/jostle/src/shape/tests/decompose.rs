//! Concave solids in pieces: filled, repeatable, remembered.

use super::*;
use crate::{DecomposeSettings, DecompositionCache, Mesh, MeshError, decompose};

/// A prism over an L: two blocks of 1 x 1 x 1 and one of 2 x 1 x 1, volume 3.
fn prism_over_an_l() -> Mesh {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let mut vertices: Vec<Vec3> = outline.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect();
    vertices.extend(outline.iter().map(|&(x, y)| Vec3::new(x, y, 1.0)));
    let mut triangles = vec![];
    for [a, b, c] in [[0u32, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangles.push([c, b, a]);
        triangles.push([a + 6, b + 6, c + 6]);
    }
    for side in 0..6u32 {
        let next = (side + 1) % 6;
        triangles.push([side, next, next + 6]);
        triangles.push([side, next + 6, side + 6]);
    }
    Mesh::new(vertices, triangles).unwrap()
}

fn settings() -> DecomposeSettings {
    DecomposeSettings { resolution: 24, ..Default::default() }
}

fn bytes(pieces: &[Shape]) -> Vec<Vec<u8>> {
    pieces.iter().map(Shape::to_bytes).collect()
}

#[test]
fn the_pieces_fill_the_solid_and_are_the_same_each_time() {
    let mesh = prism_over_an_l();
    assert!((mesh.volume() - 3.0).abs() < 1.0e-6);
    let pieces = decompose(&mesh, &settings()).unwrap();
    assert!(pieces.len() >= 2 && pieces.len() <= 64, "{} pieces", pieces.len());
    let volume: f32 = pieces.iter().map(|piece| piece.mass_properties(1.0).mass).sum();
    assert!((2.7..3.3).contains(&volume), "{volume}");
    // The notch of the L is open: no piece reaches into the middle of it.
    let notch = Shape::ball(0.2).unwrap();
    let at = Pose::at(Vec3::new(1.6, 1.6, 0.5));
    for piece in &pieces {
        let place = parry3d::math::Pose::from_translation(at.position.to_array().into());
        let distance = parry3d::query::distance(
            &parry3d::math::Pose::IDENTITY,
            &**piece.parry(),
            &place,
            &**notch.parry(),
        );
        assert!(distance.unwrap().distance > 0.0);
    }
    assert_eq!(bytes(&pieces), bytes(&decompose(&mesh, &settings()).unwrap()));
}

#[test]
fn few_pieces_if_told_so() {
    let few = DecomposeSettings { most_pieces: 1, ..settings() };
    let pieces = decompose(&prism_over_an_l(), &few).unwrap();
    assert_eq!(pieces.len(), 1);
    // The hull of the L leaves a triangle of half a block beyond it.
    let volume = pieces[0].mass_properties(1.0).mass;
    assert!((volume - 3.5).abs() < 0.05, "{volume}");
}

/// A comb of five teeth: at least six pieces, cut down to four.
#[test]
fn the_cheapest_pieces_are_joined() {
    let mut outline = vec![(0.0, 0.0), (10.0, 0.0)];
    for tooth in (0..5).rev() {
        let left = 2.0 * tooth as f32 + 0.5;
        outline.extend([(left + 1.0, 1.0), (left + 1.0, 4.0), (left, 4.0), (left, 1.0)]);
    }
    let count = outline.len() as u32;
    let mut vertices: Vec<Vec3> = outline.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect();
    vertices.extend(outline.iter().map(|&(x, y)| Vec3::new(x, y, 1.0)));
    let mut triangles = vec![];
    let mut cap = |[a, b, c]: [u32; 3]| triangles.extend([[c, b, a], [a + count, b + count, c + count]]);
    for tooth in 0..5u32 {
        let first = 2 + 4 * tooth;
        cap([first, first + 1, first + 2]);
        cap([first, first + 2, first + 3]);
    }
    // The back of the comb: from its first corner over the feet of the teeth, and one triangle to its second.
    cap([0, 1, 2]);
    for foot in [2, 5, 6, 9, 10, 13, 14, 17, 18].windows(2) {
        cap([0, foot[0], foot[1]]);
    }
    cap([0, 18, 21]);
    for side in 0..count {
        let next = (side + 1) % count;
        triangles.extend([[side, next, next + count], [side, next + count, side + count]]);
    }
    let comb = Mesh::new(vertices, triangles).unwrap();
    let pieces = decompose(&comb, &DecomposeSettings { concavity: 0.001, ..settings() }).unwrap();
    assert!(pieces.len() >= 6, "{} pieces", pieces.len());
    let few =
        decompose(&comb, &DecomposeSettings { concavity: 0.001, most_pieces: 4, ..settings() }).unwrap();
    assert_eq!(few.len(), 4);
    let volume = |pieces: &[Shape]| pieces.iter().map(|piece| piece.mass_properties(1.0).mass).sum::<f32>();
    // The comb fills about 25 cubic metres, its convex hull about 34.
    assert!(volume(&pieces) < 27.0 && volume(&pieces) > 22.0, "{}", volume(&pieces));
    assert!(volume(&few) > volume(&pieces) && volume(&few) < 40.0, "{}", volume(&few));
}

#[test]
fn the_cache_remembers_and_repairs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep").join("down");
    let mesh = prism_over_an_l();
    let fresh = bytes(&decompose(&mesh, &settings()).unwrap());
    let cache = || DecompositionCache::in_folder(&path).unwrap();
    let files = || std::fs::read_dir(&path).unwrap().map(|file| file.unwrap().path()).collect::<Vec<_>>();

    assert_eq!(bytes(&cache().decompose(&mesh, &settings()).unwrap()), fresh);
    let [file] = files().try_into().unwrap();
    let whole = std::fs::read(&file).unwrap();

    // A file is believed: with another mesh's pieces in it, those come out.
    let other_mesh =
        Mesh { vertices: mesh.vertices.iter().map(|vertex| *vertex * 2.0).collect(), ..mesh.clone() };
    let other = cache().decompose(&other_mesh, &settings()).unwrap();
    assert_ne!(bytes(&other), fresh);
    let second = files().into_iter().find(|path| *path != file).unwrap();
    std::fs::copy(&second, &file).unwrap();
    assert_eq!(bytes(&cache().decompose(&mesh, &settings()).unwrap()), bytes(&other));

    // A damaged one is made again.
    let mut damaged: Vec<Vec<u8>> =
        vec![vec![], whole[..whole.len() / 2].to_vec(), [whole.as_slice(), &[0]].concat()];
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    damaged.push(flipped);
    for bad in damaged {
        std::fs::write(&file, bad).unwrap();
        assert_eq!(bytes(&cache().decompose(&mesh, &settings()).unwrap()), fresh);
        assert_eq!(std::fs::read(&file).unwrap(), whole);
    }

    // Other settings are another entry; memory needs no file.
    let mut in_memory = DecompositionCache::in_memory();
    assert_eq!(bytes(&in_memory.decompose(&mesh, &settings()).unwrap()), fresh);
    assert_eq!(bytes(&in_memory.decompose(&mesh, &settings()).unwrap()), fresh);
    let one = DecomposeSettings { most_pieces: 1, ..settings() };
    assert_eq!(in_memory.decompose(&mesh, &one).unwrap().len(), 1);
    assert_eq!(files().len(), 2);

    let error = DecompositionCache::in_folder(file.join("below a file")).unwrap_err();
    assert!(error.to_string().contains("below a file"), "{error}");
}

#[test]
fn bad_input_is_named() {
    let mesh = prism_over_an_l();
    let plane = Mesh { vertices: mesh.vertices.clone(), triangles: mesh.triangles[..1].to_vec() };
    let empty = Mesh::default();
    let default = DecomposeSettings::default();
    let table = [
        (&empty, default, "has no faces"),
        (&plane, default, "encloses no volume"),
        (&mesh, DecomposeSettings { resolution: 7, ..default }, "resolution is 7; it must be 8 to 512"),
        (&mesh, DecomposeSettings { resolution: 100_000, ..default }, "resolution is 100000"),
        (&mesh, DecomposeSettings { concavity: f32::NAN, ..default }, "concavity is NaN"),
        (&mesh, DecomposeSettings { concavity: -0.1, ..default }, "concavity is -0.1"),
        (&mesh, DecomposeSettings { most_pieces: 0, ..default }, "most_pieces is 0"),
    ];
    for (mesh, settings, says) in table {
        let error: MeshError = decompose(mesh, &settings).expect_err(says);
        assert!(error.to_string().contains(says), "'{error}' does not say '{says}'");
    }
}
