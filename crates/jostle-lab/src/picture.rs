//! `jostle picture`: a scene as one self-contained SVG file, readable on light and dark ground.
//!
//! Boxes are glass seen from above one corner, far ones first; where two of them overlap, the part they share is solid.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use jostle_broad::glam::{Vec2, Vec3};
use jostle_broad::scene::StreamKind;
use jostle_broad::verify::true_pairs;
use jostle_broad::{Aabb, Boxes};

use crate::jbox::MOST_FRAMES;
use crate::numbers::{grouped, parse_count};
use crate::output::{self, WholeFile};
use crate::scenes::command::{Changed, bake, chosen};
use crate::scenes::{SceneSpec, Stream};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  jostle picture --stream pile --n 150 --out pile.svg\n  \
                        jostle picture --scene standard-benchmark --frame 100 --out room.svg")]
pub(crate) struct Arguments {
    /// brownian, still10, fast, disparity, pile or still
    #[arg(long, value_name = "NAME", default_value = "pile")]
    stream: StreamKind,
    /// Instead of a stream a scene, by name (see `jostle scenes`) or from a .toml or .jbox file
    #[arg(long, value_name = "NAME or FILE", conflicts_with = "stream")]
    scene: Option<String>,
    /// The frame of the scene to draw, counted from 0
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "scene",
          value_parser = clap::value_parser!(u32).range(0..i64::from(MOST_FRAMES)))]
    frame: u32,
    /// How many boxes [default: 150, or as the scene says]
    #[arg(long, value_name = "COUNT", value_parser = parse_count)]
    n: Option<usize>,
    /// Another seed gives other boxes [default: 1, or as the scene says]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print one JSON object about it
    #[arg(long)]
    json: bool,
}

/// More could not be told apart.
const MOST_BOXES: usize = 5_000;
const USUAL_BOXES: usize = 150;
const WIDTH: f32 = 960.0;
const BORDER: f32 = 24.0;
const CAPTION: f32 = 36.0;

/// One thing to draw, with the class that gives it its colours.
struct Block {
    aabb: Aabb,
    class: &'static str,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { n: objects, seed, .. } = *arguments;
    let (name, spec) = match &arguments.scene {
        Some(name) => chosen(name, Changed { objects, frames: Some(arguments.frame + 1), seed })?,
        None => {
            let (objects, seed) = (objects.unwrap_or(USUAL_BOXES), seed.unwrap_or(1));
            let spec = SceneSpec::Stream(Stream { stream: arguments.stream, objects, frames: 1, seed });
            (spec.name(), spec)
        }
    };
    check_count(spec.objects())?;
    let mut file = WholeFile::create(&arguments.out)?;
    let baked = bake(arguments.scene.as_deref(), &name, &spec, 1)?;
    check_count(baked.bodies)?;
    let mut scene = baked.play()?;
    for _ in 0..arguments.frame {
        scene.advance()?;
    }
    // Walls would hide what is in them, and what is infinite has no corners.
    let seen = scene.boxes()[baked.walls..].iter().filter(|aabb| aabb.is_finite());
    let seen: Vec<Aabb> = seen.copied().collect();
    let (svg, pairs) = draw(&seen, &name)?;
    file.write(svg.as_bytes())?;
    file.commit()?;
    if arguments.json {
        return output::print_json(&serde_json::json!({
            "file": arguments.out.display().to_string(), "scene": name, "n": seen.len(), "seed": spec.seed(),
            "pairs": pairs,
        }));
    }
    output::print(&format!("{}: {} boxes, {pairs} pairs\n", arguments.out.display(), seen.len()))
}

fn check_count(boxes: usize) -> Result<()> {
    if boxes > MOST_BOXES {
        bail!(
            "a picture of {} boxes shows nothing; choose --n of at most {}",
            grouped(boxes as u64),
            grouped(MOST_BOXES as u64)
        );
    }
    Ok(())
}

fn draw(aabbs: &[Aabb], name: &str) -> Result<(String, usize)> {
    let pairs = true_pairs(&Boxes::from_aabbs(aabbs)?);
    let mut blocks: Vec<Block> = aabbs.iter().map(|aabb| Block { aabb: *aabb, class: "alone" }).collect();
    for pair in &pairs {
        let (low, high) = (pair.low as usize, pair.high as usize);
        blocks[low].class = "paired";
        blocks[high].class = "paired";
        let shared = Aabb::new(aabbs[low].min.max(aabbs[high].min), aabbs[low].max.min(aabbs[high].max));
        blocks.push(Block { aabb: shared, class: "shared" });
    }
    blocks.sort_by(|a, b| nearness(&a.aabb).total_cmp(&nearness(&b.aabb)));

    let corners = blocks.iter().flat_map(|block| corners(&block.aabb)).map(project);
    let (low, high) = corners
        .fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), point| (low.min(point), high.max(point)));
    let size = if blocks.is_empty() { Vec2::ONE } else { (high - low).max(Vec2::splat(1e-3)) };
    let scale = (WIDTH - 2.0 * BORDER) / size.x;
    let height = size.y * scale + 2.0 * BORDER + CAPTION;
    let place = |corner: Vec3| (project(corner) - low) * scale + BORDER;

    let mut svg = String::new();
    let caption = format!(
        "{name}: {} boxes, {} overlapping pairs",
        grouped(aabbs.len() as u64),
        grouped(pairs.len() as u64)
    );
    write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\">\n\
         <title>{caption}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"12\"/>\n"
    )?;
    for block in &blocks {
        write!(svg, "<g class=\"{}\">", block.class)?;
        for (face, class) in visible_faces(&block.aabb) {
            write!(svg, "<path class=\"{class}\" d=\"")?;
            for (index, corner) in face.into_iter().enumerate() {
                let at = place(corner);
                write!(svg, "{}{:.1} {:.1}", if index == 0 { 'M' } else { 'L' }, at.x, at.y)?;
            }
            svg.push_str("Z\"/>");
        }
        svg.push_str("</g>\n");
    }
    let baseline = height - BORDER;
    writeln!(svg, "<text x=\"{BORDER:.0}\" y=\"{baseline:.0}\">{caption}</text>\n</svg>")?;
    Ok((svg, pairs.len()))
}

/// y is up; x and z run down to the right and to the left.
fn project(p: Vec3) -> Vec2 {
    const COS_30: f32 = 0.866_025_4;
    Vec2::new((p.x - p.z) * COS_30, (p.x + p.z) * 0.5 - p.y)
}

/// Grows towards the eye.
fn nearness(aabb: &Aabb) -> f32 {
    aabb.center().dot(Vec3::ONE)
}

fn corners(aabb: &Aabb) -> [Vec3; 8] {
    let (a, b) = (aabb.min, aabb.max);
    std::array::from_fn(|i| {
        Vec3::new(
            if i & 1 == 0 { a.x } else { b.x },
            if i & 2 == 0 { a.y } else { b.y },
            if i & 4 == 0 { a.z } else { b.z },
        )
    })
}

/// The three faces that look at the eye: above, towards +x, towards +z.
fn visible_faces(aabb: &Aabb) -> [([Vec3; 4], &'static str); 3] {
    let c = corners(aabb);
    [([c[2], c[3], c[7], c[6]], "t"), ([c[1], c[3], c[7], c[5]], "r"), ([c[4], c[5], c[7], c[6]], "l")]
}

const STYLE: &str = "\
.ground{fill:#fbfaf7}text{font:500 17px system-ui,sans-serif;fill:#3b4252}\
path{stroke-linejoin:round;stroke-width:.7}\
.alone path{fill:#9aa3b2;fill-opacity:.18;stroke:#8b94a5;stroke-opacity:.7}\
.paired path{fill-opacity:.2;stroke:#2f6690;stroke-opacity:.75}\
.paired .t{fill:#8ecae6}.paired .r{fill:#3a7ca5}.paired .l{fill:#5fa8d3}\
.shared path{stroke:#8a3b00;stroke-width:.5}\
.shared .t{fill:#ffb454}.shared .r{fill:#d9600f}.shared .l{fill:#f28a2e}\
@media(prefers-color-scheme:dark){.ground{fill:#12161d}text{fill:#d8dee9}\
.alone path{fill:#6b7486;stroke:#7d8799}.paired path{stroke:#7cc4ee;stroke-opacity:.6}\
.shared path{stroke:#ffd9a8}}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_parts_are_drawn_once_for_every_pair() {
        let cube = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
        let (svg, pairs) = draw(&[cube(0.0), cube(0.5), cube(9.0)], "test").unwrap();
        assert_eq!(pairs, 1);
        for (class, count) in [("shared", 1), ("paired", 2), ("alone", 1)] {
            assert_eq!(svg.matches(&format!("<g class=\"{class}\">")).count(), count, "{class}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn no_boxes_make_a_picture_too() {
        let (svg, pairs) = draw(&[], "test").unwrap();
        assert_eq!(pairs, 0);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
