//! All instruction sets give the bits of the scalar kernels.

use jostle_broad::Lanes;

use super::Kernels;
use crate::solve::layout::{Batch, BodyRow, Bounces, Impulse, Pass, Points, UNITS};

/// Numbers from -1 to 1, the same in every run.
fn numbers(mut seed: u64) -> impl FnMut() -> f32 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / 8_388_608.0 - 1.0
    }
}

type Data = (Vec<BodyRow>, Vec<Batch>, Vec<Points>, Vec<[Impulse; UNITS]>);

/// Rows and batches of random numbers; some lanes are empty, some points are not there.
fn data(seed: u64) -> Data {
    let mut random = numbers(seed);
    let mut rows = vec![BodyRow::default()];
    for _ in 0..40 {
        let mut row = BodyRow::default();
        for at in [BodyRow::VELOCITY, BodyRow::ANGULAR, BodyRow::MOTION, BodyRow::TURN] {
            let scale = if at >= BodyRow::MOTION { 0.05 } else { 2.0 };
            row.set(at, glam::Vec3A::new(random(), random(), random()) * scale);
        }
        row.set(BodyRow::INVERSE_MASS, glam::Vec3A::splat(random().abs()));
        let off = random() * 0.1;
        let mut inertia = glam::Mat3A::from_diagonal(glam::Vec3::new(1.0, 2.0, 1.5) * random().abs());
        inertia.x_axis.y = off;
        inertia.y_axis.x = off;
        row.set_inertia(inertia);
        rows.push(row);
    }
    let (mut batches, mut points) = (vec![], vec![]);
    for count in [4, 4, 3, 2, 1] {
        let start = points.len() as u32;
        let mut batch = Batch { points: start..start + count, ..Batch::default() };
        let mut lists = vec![Points::default(); count as usize];
        for lane in 0..UNITS - (count as usize % 3) {
            batch.rows[0][lane] = (random().abs() * 40.0) as u32;
            batch.rows[1][lane] = (random().abs() * 40.0) as u32;
            let normal = glam::Vec3::new(random(), random(), random()).normalize();
            for axis in 0..3 {
                batch.normal[axis][lane] = normal[axis];
                batch.between[axis][lane] = random();
            }
            batch.share[lane] = [0.0, 0.5, 1.0][lane % 3];
            batch.friction[lane] = random().abs();
            batch.restitution[lane] = random().abs();
            for (index, list) in lists.iter_mut().enumerate() {
                if index > 0 && random() > 0.7 {
                    continue;
                }
                for axis in 0..3 {
                    list.arm[axis][lane] = random() * 0.5;
                    list.impulse[axis][lane] = random() * 0.1;
                }
                list.impulse[0][lane] = list.impulse[0][lane].abs();
                list.separation[lane] = random() * 0.02;
                list.mass[0][lane] = 1.0;
            }
        }
        batches.push(batch);
        points.append(&mut lists);
    }
    let impulses = vec![[Impulse::default(); UNITS]; 2 * batches.len()];
    (rows, batches, points, impulses)
}

/// Everything a run of the kernels leaves, as bits.
fn outcome(lanes: Lanes, seed: u64) -> Vec<u32> {
    let kernels = Kernels::from(lanes);
    let (rows, mut batches, mut points, mut impulses) = data(seed);
    let mut bits = vec![];
    let mut bounces = vec![Bounces::default(); points.len()];
    let mut note = |points: &[Points], bounces: &[Bounces], impulses: &[[Impulse; UNITS]]| {
        for (list, bounce) in points.iter().zip(bounces) {
            let numbers =
                list.mass.iter().chain(&list.impulse).chain([&bounce.approach, &bounce.peak]).flatten();
            bits.extend(numbers.map(|number| number.to_bits()));
        }
        bits.extend(impulses.as_flattened().iter().flat_map(|impulse| impulse.0).map(f32::to_bits));
    };
    kernels.prepare(&mut batches, &mut points, &mut bounces, &rows, &mut impulses, 0.5);
    note(&points, &bounces, &impulses);
    let push =
        Pass { rate: 720.0, bias_rate: 20.0, push_out: 4.0, harden: 1.0, impulse_scale: 0.06, carry: 0.0 };
    for pass in [push, Pass { bias_rate: 0.0, harden: 0.0, impulse_scale: 0.0, carry: 1.0, ..push }] {
        kernels.solve(&mut batches, &mut points, &rows, &mut impulses, &pass);
        kernels.note_peaks(&points, &mut bounces);
        note(&points, &bounces, &impulses);
    }
    kernels.bounce(&mut batches, &mut points, &bounces, &rows, &mut impulses);
    note(&points, &bounces, &impulses);
    bits
}

#[test]
fn every_instruction_set_gives_the_bits_of_the_scalar_response() {
    // Miri, which has the scalar kernels only, is some thousand times slower.
    for seed in 0..if cfg!(miri) { 1 } else { 20 } {
        let expected = outcome(Lanes::scalar(), seed);
        assert!(expected.iter().any(|&bits| bits != 0));
        for lanes in Lanes::available() {
            assert_eq!(outcome(lanes, seed), expected, "{lanes}, seed {seed}");
        }
    }
}

#[test]
fn both_bodies_of_a_unit_feel_opposite_impulses() {
    let (rows, mut batches, mut points, mut impulses) = data(5);
    Kernels::from(Lanes::best()).prepare(&mut batches, &mut points, &mut [], &rows, &mut impulses, 0.5);
    for pair in impulses.chunks_exact(2) {
        for (first, second) in pair[0].iter().zip(&pair[1]) {
            let (first, second) = (first.0, second.0);
            assert_eq!(first[..3], [-second[0], -second[1], -second[2]]);
        }
    }
}
