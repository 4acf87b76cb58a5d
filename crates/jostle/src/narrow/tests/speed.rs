//! How long a pair takes, beside parry on the same pairs. Not run by default:
//! `cargo test --release -p jostle narrow::tests::speed -- --ignored --nocapture`

use std::time::Instant;

use jostle_broad::Lanes;
use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};

use super::super::{Batch, SolidPair};
use super::*;
use crate::simd::Solid;

const ROUNDS: usize = 31;
/// Pairs handed to the kernels in one call, as a task of a frame does.
const TASK: usize = 512;

/// Bodies in a lattice, shaken and turned; each is paired with its neighbours.
struct Heap {
    shapes: Vec<Shape>,
    poses: Vec<Pose>,
    pairs: Vec<SolidPair>,
}

impl Heap {
    /// Bodies `spacing` apart and shaken by `shake`; `turn` is how much the boxes are turned, of anything.
    fn new(shapes: &[Shape], spacing: f32, shake: f32, turn: f32) -> Self {
        const SIDE: usize = 12;
        let mut state = 7_u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        let mut heap = Self { shapes: Vec::new(), poses: Vec::new(), pairs: Vec::new() };
        for place in 0..SIDE * SIDE * SIDE {
            let cell =
                Vec3::new((place % SIDE) as f32, (place / SIDE % SIDE) as f32, (place / SIDE / SIDE) as f32);
            let position = cell * spacing + Vec3::new(next(), next(), next()) * shake;
            let rotation = Quat::from_xyzw(next() * turn, next() * turn, next() * turn, 1.0).normalize();
            heap.shapes.push(shapes[(cell.x + cell.y + cell.z) as usize % shapes.len()].clone());
            heap.poses.push(Pose::new(position, rotation));
            for (step, on_last) in [(1, cell.x), (SIDE, cell.y), (SIDE * SIDE, cell.z)] {
                if on_last as usize + 1 < SIDE {
                    let (first, second) = (place as u32, (place + step) as u32);
                    heap.pairs.push(SolidPair { first, second, prediction: 0.01 });
                }
            }
        }
        heap
    }

    fn ours(&self, lanes: Lanes) -> (f64, usize) {
        let mut batch = Batch::new(lanes);
        let mut out = vec![Manifold::NONE; TASK];
        let mut touching = 0;
        let start = Instant::now();
        let at = |(shape, pose): (&Shape, &Pose)| Solid::new(shape.geometry(), pose).unwrap();
        let solids: Vec<Solid> = self.shapes.iter().zip(&self.poses).map(at).collect();
        for task in self.pairs.chunks(TASK) {
            let out = &mut out[..task.len()];
            batch.collide(&solids, task, out);
            touching += out.iter().filter(|manifold| manifold.count > 0).count();
        }
        (start.elapsed().as_nanos() as f64 / self.pairs.len() as f64, touching)
    }

    fn parry(&self) -> (f64, usize) {
        let mut touching = 0;
        let start = Instant::now();
        let poses: Vec<_> = self.poses.iter().map(to_parry).collect();
        let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
        for pair in &self.pairs {
            let (first, second) = (pair.first as usize, pair.second as usize);
            let relative = poses[first].inv_mul(&poses[second]);
            let (a, b) = (&**self.shapes[first].parry(), &**self.shapes[second].parry());
            manifolds.clear();
            DefaultQueryDispatcher
                .contact_manifolds(&relative, a, b, pair.prediction, &mut manifolds, &mut None)
                .unwrap();
            touching += usize::from(manifolds.iter().any(|manifold| !manifold.points.is_empty()));
        }
        (start.elapsed().as_nanos() as f64 / self.pairs.len() as f64, touching)
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

#[test]
#[ignore = "a measurement"]
fn per_pair_beside_parry() {
    let ball = Shape::ball(0.5).unwrap();
    let cuboid = Shape::cuboid(Vec3::splat(0.5)).unwrap();
    let heaps = [
        ("ball-ball, touching", Heap::new(std::slice::from_ref(&ball), 0.9, 0.04, 1.0)),
        ("ball-ball, half apart", Heap::new(std::slice::from_ref(&ball), 1.0, 0.1, 1.0)),
        ("ball-box, touching", Heap::new(&[ball.clone(), cuboid.clone()], 0.9, 0.04, 1.0)),
        ("ball-box, half apart", Heap::new(&[ball, cuboid.clone()], 1.15, 0.1, 1.0)),
        ("box-box, stacked", Heap::new(std::slice::from_ref(&cuboid), 0.995, 0.004, 0.002)),
        ("box-box, touching", Heap::new(std::slice::from_ref(&cuboid), 0.95, 0.04, 1.0)),
        ("box-box, half apart", Heap::new(std::slice::from_ref(&cuboid), 1.35, 0.1, 1.0)),
    ];
    for (name, heap) in &heaps {
        let mut parry = Vec::new();
        let mut ours: Vec<_> = Lanes::available().into_iter().map(|lanes| (lanes, Vec::new())).collect();
        let mut touching = (0, 0);
        for _ in 0..ROUNDS {
            let (time, count) = heap.parry();
            parry.push(time);
            touching.0 = count;
            for (lanes, times) in &mut ours {
                let (time, count) = heap.ours(*lanes);
                times.push(time);
                touching.1 = count;
            }
        }
        let parry = median(parry);
        print!(
            "{name:22} {:5} pairs, touching {:5} (parry {:5}): ",
            heap.pairs.len(),
            touching.1,
            touching.0
        );
        print!("parry {parry:6.1} ns");
        for (lanes, times) in ours {
            let time = median(times);
            print!(", {lanes} {time:6.1} ns ({:4.1} x)", parry / time);
        }
        println!();
    }
}
