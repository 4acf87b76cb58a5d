//! A million boxes: the GPU's pairs, in canonical order, and their changes are those of the CPU's `sweep`, which agrees with
//! brute force on everything small.

use jostle_broad::glam::Vec3;
use jostle_broad::scene::{BoxStream, Random, StreamKind};
use jostle_broad::{Aabb, Boxes, FindSettings, Moved, PairFinder, Sweep};
use jostle_gpu::{AdapterChoice, Gpu, GpuFinder};

const MILLION: usize = 1_000_000;

/// `gpu` and `sweep` side by side.
struct Contest {
    gpu: GpuFinder,
    sweep: Sweep,
    settings: FindSettings,
}

impl Contest {
    fn new() -> Self {
        let gpu =
            Gpu::open(&AdapterChoice::Any).expect("tests need an adapter: install Mesa's Vulkan drivers");
        Self {
            gpu: GpuFinder::new(&gpu).unwrap(),
            sweep: Sweep::default(),
            settings: FindSettings { changes: true, ..FindSettings::default() },
        }
    }

    fn update(&mut self, boxes: &Boxes, what: &str) {
        let report = self.gpu.update(boxes, &self.settings).unwrap();
        self.sweep.update(boxes, &self.settings).unwrap();
        let (ours, truth) = (self.gpu.pairs(), self.sweep.pairs());
        assert_eq!(report.pairs, truth.len(), "{what}");
        assert!(ours.as_slice() == truth.as_slice(), "{what}");
        assert!(ours.added() == truth.added(), "{what}: added");
        assert!(ours.removed() == truth.removed(), "{what}: removed");
    }
}

/// Most are small and some a thousand times as large; a few know no bounds; one is so far away that all others would be in
/// one cell of a grid made for all of them; many are the same.
fn everything_at_once(random: &mut Random) -> Vec<Aabb> {
    let mut list: Vec<Aabb> = (0..MILLION)
        .map(|i| {
            let size =
                if i % 200_000 == 7 { 1000.0 } else { random.unit().max(1e-6).powf(-1.0 / 3.0).min(100.0) };
            let spread = if size == 1000.0 { 1500.0 } else { 300.0 };
            Aabb::from_center(random.vector() * spread, (random.vector() + 0.5) * (0.5 * size))
        })
        .collect();
    list[11] = Aabb::EVERYWHERE;
    list[500_000].max.x = f32::INFINITY;
    list[500_001].min = Vec3::NEG_INFINITY;
    list[777_777] = Aabb::new(Vec3::splat(-1e30), Vec3::splat(-0.9e30));
    for i in 0..1000 {
        list[600_000 + i] = list[600_000];
    }
    list
}

#[test]
fn a_million_boxes_with_everything_that_breaks_grids() {
    let mut random = Random::new(77);
    let mut list = everything_at_once(&mut random);
    let mut boxes = Boxes::from_aabbs(&list).unwrap();
    let mut contest = Contest::new();
    contest.update(&boxes, "at first");
    assert!(contest.sweep.pairs().len() > 2 * MILLION, "{}", contest.sweep.pairs().len());
    for aabb in list.iter_mut().skip(3).step_by(10) {
        let way = random.vector() - 0.5;
        *aabb = Aabb::new(aabb.min + way, aabb.max + way);
    }
    boxes.update(Moved::All, &list).unwrap();
    contest.update(&boxes, "after a move");
    assert!(contest.sweep.pairs().added().len() > 10_000);
}

#[test]
#[ignore = "minutes on a software adapter: `make gpu-million`"]
fn every_stream_with_a_million_boxes() {
    for kind in StreamKind::ALL {
        let mut contest = Contest::new();
        let mut stream = BoxStream::new(kind, MILLION, 5);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        for frame in 0..3 {
            contest.update(&boxes, &format!("{}, frame {frame}", kind.name()));
            stream.advance();
            boxes.update(Moved::Ids(stream.moved()), stream.boxes()).unwrap();
        }
    }
}
