//! `queries`: what a box, a ray, a point and a frustum meet, asked of the tree and of every box in turn.
//!
//! Both get the same questions, and must give the same answers: keys, order and distances.

use std::time::Instant;

use anyhow::{Result, ensure};
use jostle_broad::glam::Vec3;
use jostle_broad::scene::{BoxStream, Random, StreamKind};
use jostle_broad::{Aabb, Catalog, Executor, Frustum, Plane, Ray, Tree};

use super::figures::{fixed, heading, mean, number, ratio, table, text, timed, times};
use super::watching::go_on;
use crate::experiment::{About, Cell, Options, Results, Samples, Study, Unit, Watch};
use crate::failure::Disagreement;
use crate::numbers::{grouped, median, percentile};
use crate::report::{Axis, Block, Line, Plot, Report, Spread};
use crate::turns::turns;

pub(super) struct Queries;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const FULL_SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Questions of each kind, and of one reading of the clock.
const ROUNDS: u32 = 40;
const FULL_ROUNDS: u32 = 200;
const BATCH: usize = 5;
const NEAREST: usize = 8;
const KINDS: [&str; 4] = ["box", "ray", "nearest", "frustum"];
const TREE: &str = "tree";
const BRUTE: &str = "every box";
const ASKED: [&str; 2] = [TREE, BRUTE];

/// A question.
enum Question {
    Box(Aabb),
    Ray(Ray),
    Nearest(Vec3),
    Frustum(Frustum),
}

/// An answer that can be compared: keys, and the bits of distances.
type Answer = Vec<(u32, u64)>;

impl Question {
    /// A question of a kind somewhere in a world whose boxes are of about this size.
    fn new(kind: &str, world: &Aabb, size: f32, random: &mut Random) -> Result<Self> {
        let point = world.min + random.vector() * world.extents();
        Ok(match kind {
            "box" => Self::Box(Aabb::from_center(point, random.vector() * size * 4.0)),
            "ray" => Self::Ray(Ray::new(point, random.direction())),
            "nearest" => Self::Nearest(point),
            _ => {
                // What a camera sees: 60 degrees wide and high, up to ten boxes far.
                let forward = random.direction();
                let right = forward.any_orthonormal_vector();
                let up = right.cross(forward);
                let half_angle = 30f32.to_radians();
                let (sin, cos) = half_angle.sin_cos();
                let sides = [right, -right, up, -up].map(|side| side * cos + forward * sin);
                let through = |normal: Vec3, at: Vec3| Plane { normal, offset: -normal.dot(at) };
                let mut planes: Vec<Plane> = sides.iter().map(|&normal| through(normal, point)).collect();
                planes.push(through(forward, point));
                planes.push(through(-forward, point + forward * size * 10.0));
                Self::Frustum(Frustum::new(&planes)?)
            }
        })
    }

    fn ask_tree(&self, tree: &Tree) -> Result<Answer> {
        let mut keys = Vec::new();
        match self {
            Self::Box(aabb) => tree.overlaps(aabb, &mut keys)?,
            Self::Ray(ray) => {
                let hit = tree.cast_ray(ray)?;
                return Ok(hit.map(|hit| (hit.key, hit.distance.to_bits())).into_iter().collect());
            }
            Self::Nearest(point) => {
                let near = tree.nearest(*point, NEAREST)?;
                return Ok(near.iter().map(|near| (near.key, near.distance.to_bits())).collect());
            }
            Self::Frustum(frustum) => tree.in_frustum(frustum, &mut keys),
        }
        Ok(keys.into_iter().map(|key| (key, 0)).collect())
    }

    fn ask_every_box(&self, boxes: &[Aabb]) -> Answer {
        let keyed = || (0u32..).zip(boxes);
        match self {
            Self::Box(query) => {
                keyed().filter(|(_, aabb)| query.overlaps(aabb)).map(|(key, _)| (key, 0)).collect()
            }
            Self::Ray(ray) => {
                let hits = keyed().filter_map(|(key, aabb)| Some((key, ray.enters(aabb)?)));
                let first = hits.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                first.map(|(key, distance)| (key, distance.to_bits())).into_iter().collect()
            }
            Self::Nearest(point) => {
                let mut near: Vec<(f64, u32)> =
                    keyed().map(|(key, aabb)| (squared_distance(*point, aabb), key)).collect();
                let by_distance = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
                if near.len() > NEAREST {
                    near.select_nth_unstable_by(NEAREST, by_distance);
                    near.truncate(NEAREST);
                }
                near.sort_by(by_distance);
                near.into_iter().map(|(squared, key)| (key, squared.sqrt().to_bits())).collect()
            }
            Self::Frustum(frustum) => {
                keyed().filter(|(_, aabb)| frustum.meets(aabb)).map(|(key, _)| (key, 0)).collect()
            }
        }
    }
}

/// From a point to a closed box.
fn squared_distance(point: Vec3, aabb: &Aabb) -> f64 {
    (0..3)
        .map(|axis| {
            let at = f64::from(point[axis]);
            (f64::from(aabb.min[axis]) - at).max(at - f64::from(aabb.max[axis])).max(0.0).powi(2)
        })
        .sum()
}

fn cell_name(n: usize) -> String {
    format!("{n}-boxes")
}

fn sizes(options: &Options) -> &'static [usize] {
    if options.full { &FULL_SIZES } else { &SIZES }
}

fn measure(options: &Options, n: usize, watch: &Watch<'_>) -> Result<Samples> {
    let rounds = options.frames.unwrap_or(if options.full { FULL_ROUNDS } else { ROUNDS });
    let stream = BoxStream::new(StreamKind::Brownian, n, options.seed);
    let boxes = stream.boxes();
    let world = boxes.iter().fold(Aabb::EMPTY, |world, aabb| world.union(aabb));
    let size = boxes.iter().map(Aabb::longest_side).sum::<f32>() / n as f32;
    let mut samples = Samples::default();
    let start = Instant::now();
    let mut tree = Tree::default();
    tree.insert_all((0..).zip(boxes.iter().copied()), &Executor::serial())?;
    samples.push(TREE, "build", Unit::Milliseconds, start.elapsed().as_secs_f64() * 1e3);
    samples.push(TREE, "memory", Unit::Bytes, tree.bytes() as f64);
    let mut random = Random::new(options.seed);
    for round in 0..rounds {
        go_on(watch, f64::from(round) / f64::from(rounds))?;
        for kind in KINDS {
            let questions = (0..BATCH)
                .map(|_| Question::new(kind, &world, size, &mut random))
                .collect::<Result<Vec<Question>>>()?;
            let mut answers: [Vec<Answer>; 2] = [Vec::new(), Vec::new()];
            for index in turns(ASKED.len(), round) {
                let start = Instant::now();
                answers[index] = match ASKED[index] {
                    TREE => {
                        questions.iter().map(|question| question.ask_tree(&tree)).collect::<Result<_>>()?
                    }
                    _ => questions.iter().map(|question| question.ask_every_box(boxes)).collect(),
                };
                let each = start.elapsed().as_secs_f64() * 1e3 / BATCH as f64;
                samples.push(ASKED[index], kind, Unit::Milliseconds, each);
            }
            let [tree_says, truth] = &answers;
            ensure!(
                tree_says == truth,
                Disagreement(format!("tree, {n} boxes, round {round}: a {kind} meets others"))
            );
            let found = truth.iter().map(Vec::len).sum::<usize>() as f64 / BATCH as f64;
            samples.push(BRUTE, &found_by(kind), Unit::Count, found);
        }
    }
    Ok(samples)
}

fn found_by(kind: &str) -> String {
    format!("found by {kind}")
}

impl Study for Queries {
    fn about(&self) -> About {
        About {
            name: "queries",
            about: "box, ray, nearest and frustum asked of the tree and of every box, answers compared",
            source: "ours",
            waits_for: None,
        }
    }

    fn cells<'a>(&self, options: &'a Options, _catalog: &'a Catalog) -> Result<Vec<Cell<'a>>> {
        let cell = |&n: &usize| Cell {
            name: cell_name(n),
            work: n as f64 + 2_000.0,
            run: Box::new(move |watch: &Watch<'_>| measure(options, n, watch)),
        };
        Ok(sizes(options).iter().map(cell).collect())
    }

    fn report(&self, results: &Results) -> Report {
        let sizes = sizes(&results.options);
        let values = |n: usize, who: &str, measure: &str| results.values(&cell_name(n), who, measure);
        let microseconds = |milliseconds: Option<f64>| number(milliseconds.map(|time| 1e3 * time));
        let mut rows = Vec::new();
        for kind in KINDS {
            for &n in sizes {
                let (tree, brute) = (values(n, TREE, kind), values(n, BRUTE, kind));
                rows.push(vec![
                    kind.to_string(),
                    grouped(n as u64),
                    number(mean(values(n, BRUTE, &found_by(kind)))),
                    microseconds(median(tree)),
                    microseconds(percentile(tree, 0.99)),
                    microseconds(median(brute)),
                    times(ratio(median(brute), median(tree))),
                ]);
            }
        }
        let columns = vec![
            fixed("question"),
            fixed("boxes"),
            fixed("boxes found, mean"),
            timed("tree: median µs"),
            timed("tree: p99 µs"),
            timed("every box: median µs"),
            timed("gain"),
        ];
        let build_rows = sizes.iter().map(|&n| {
            let bytes = values(n, TREE, "memory").first().map(|bytes| bytes / n as f64);
            vec![grouped(n as u64), number(values(n, TREE, "build").first().copied()), number(bytes)]
        });
        let build_columns = vec![fixed("boxes"), timed("build: ms, once"), fixed("bytes a box")];
        let lines = KINDS.iter().flat_map(|kind| {
            ASKED.map(|who| Line {
                name: format!("{kind}, {who}"),
                points: sizes
                    .iter()
                    .filter_map(|&n| Some((n as f64, 1e3 * median(values(n, who, kind))?)))
                    .collect(),
                fitted: true,
            })
        });
        let largest = sizes.iter().copied().rev().find(|&n| !values(n, TREE, KINDS[0]).is_empty());
        let mut blocks = vec![
            table("Time of one question, medians", columns, rows),
            Block::Plot(Plot::Lines {
                caption: "Median time of a question over the number of boxes".to_string(),
                x: Axis::new("boxes").logarithmic(),
                y: Axis::new("µs, median").timed().logarithmic(),
                lines: lines.collect(),
            }),
        ];
        if let Some(n) = largest {
            blocks.push(Block::Plot(Plot::Spreads {
                caption: format!("Times of questions to the tree, {} boxes", grouped(n as u64)),
                y: Axis::new("µs: median, quartiles, 1st and 99th percentile").timed(),
                groups: KINDS.map(str::to_string).to_vec(),
                spreads: vec![Spread {
                    name: TREE.to_string(),
                    values: KINDS
                        .iter()
                        .map(|kind| values(n, TREE, kind).iter().map(|time| 1e3 * time).collect())
                        .collect(),
                }],
            }));
        }
        blocks.extend([
            heading("Building"),
            table("What the tree costs before the first question", build_columns, build_rows.collect()),
            text(format!(
                "Boxes of the stream `brownian`. A time is the mean of {BATCH} questions in a row; `nearest` asks for the {NEAREST} \
                 nearest boxes; a frustum is 60 degrees wide and reaches ten boxes far."
            )),
        ]);
        Report {
            title: "Questions to the tree".to_string(),
            question: "What does it cost to ask which boxes a box overlaps, which box a ray meets first, which are nearest to a point \
                       and which a camera sees; and how much is saved against looking at every box? All answers are compared: keys, \
                       order and distances are the same."
                .to_string(),
            findings: Vec::new(),
            blocks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::trial;

    #[test]
    fn the_tree_answers_as_every_box_does() {
        let options = Options { frames: Some(20), ..trial::options() };
        let samples = trial::run(|watch| measure(&options, 500, watch)).unwrap();
        for kind in KINDS {
            assert_eq!(samples.values(TREE, kind).len(), 20);
            assert!(mean(samples.values(BRUTE, &found_by(kind))).unwrap() > 0.1, "{kind} finds something");
        }
        let nearest = samples.values(BRUTE, &found_by("nearest"));
        assert!(nearest.iter().all(|&count| count == NEAREST as f64));
    }
}
