//! How many pairs of boxes do tighter volumes remove on the GPU, and what does that cost, there and on the CPU?
//!
//! `cargo run --release -p jostle-gpu --example gpu_volumes -- [n=2000,100000] [shapes=balls,cubes,sticks,plates]`
//! `[adapter=NAME] [repeat=20] [overlap=yes|no]`
//!
//! The bodies are those of the example `volume_filters` of `jostle`, at rest: the pairs are of their tight boxes, found and
//! sorted on the device. `overlap` is the part of the pairs whose shapes overlap. The CPU's figures are of one thread.
//! The GPU's `device` is its own time for mark, scan and compaction; `upload` is what writing the volumes to it takes,
//! `filter` the whole call with what the host settles. A total includes fitting the volumes, which is the CPU's work in both.

use std::error::Error;
use std::time::{Duration, Instant};

use jostle::glam::{EulerRot, Quat, Vec3};
use jostle::volumes::FitVolume;
use jostle::{Pose, Shape, query};
use jostle_broad::{Aabb, Executor, Kdop14, Kdop18, Kdop26, OrientedBox, Pair, Sphere};
use jostle_gpu::{
    AdapterChoice, CanonicalFinder, DeviceTimes, DeviceVolume, Gpu, PairCount, VolumeFilter, wgpu,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How long the device is kept busy before its time is taken: one that waits lowers its clock.
const WARM_UP: Duration = Duration::from_millis(200);
/// How often the host's work is timed; the median counts.
const HOST_RUNS: usize = 5;

struct Options {
    adapter: AdapterChoice,
    n: Vec<usize>,
    shapes: Vec<String>,
    repeat: usize,
    overlap: bool,
}

fn main() -> Result<()> {
    let options = options()?;
    let gpu = Gpu::open(&options.adapter)?;
    let executor = Executor::new(std::thread::available_parallelism()?.get())?;
    let about = gpu.description();
    println!("adapter: {} ({}, {})", about.name, about.kind, about.driver);
    println!("uploads by {} threads, all else on the CPU by one", executor.threads());
    for &n in &options.n {
        for name in &options.shapes {
            measure_scene(&gpu, &options, name, &shape(name)?, n, &executor)?;
        }
    }
    Ok(())
}

fn shape(name: &str) -> Result<Shape> {
    Ok(match name {
        "balls" => Shape::ball(0.5)?,
        "cubes" => Shape::cuboid(Vec3::splat(0.5))?,
        "sticks" => Shape::cuboid(Vec3::new(1.0, 0.1, 0.1))?,
        "plates" => Shape::cuboid(Vec3::new(0.8, 0.05, 0.8))?,
        _ => return Err(format!("unknown shape `{name}`: balls, cubes, sticks or plates").into()),
    })
}

/// Bodies of one shape, turned all ways, in a cube of a density at which each box meets a few others.
fn poses(count: usize, shape: &Shape) -> Vec<Pose> {
    let side = (count as f64).cbrt().ceil() as usize;
    let spacing = 1.2 * shape.radius();
    let pose = |index: usize| {
        let at = [index % side, index / side % side, index / side / side].map(|place| place as f32);
        let rotation = Quat::from_euler(EulerRot::XYZ, index as f32, 2.3 * index as f32, 0.7);
        Pose { position: Vec3::from_array(at) * spacing, rotation }
    };
    (0..count).map(pose).collect()
}

/// What the kinds of volumes have in common.
struct Scene<'a> {
    gpu: &'a Gpu,
    shape: &'a Shape,
    poses: &'a [Pose],
    /// In canonical order, on the host and on the device.
    pairs: &'a [Pair],
    device_pairs: &'a wgpu::Buffer,
    overlapping: Option<f64>,
    repeat: usize,
    executor: &'a Executor,
}

fn measure_scene(
    gpu: &Gpu,
    options: &Options,
    name: &str,
    shape: &Shape,
    n: usize,
    executor: &Executor,
) -> Result<()> {
    let poses = poses(n, shape);
    let boxes: Vec<Aabb> = poses.iter().map(|pose| shape.aabb(pose)).collect();
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("boxes"),
        size: (n.max(1) * 24) as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(&boxes));
    let mut finder = CanonicalFinder::new(gpu)?;
    finder.find(&buffer, u32::try_from(n)?, false)?;
    let pairs = finder.read_pairs(executor)?;
    let overlapping = options.overlap.then(|| overlapping(shape, &poses, &pairs, executor));
    println!("\n{n} {name}");
    println!("{:68}CPU{:>26}GPU, ns/pair", "", "");
    println!(
        "  {:14}{:>9}{:>9}{:>9}{:>13}{:>14}{:>15}{:>9}{:>8}{:>8}{:>8}{:>8}  same pairs",
        "volume",
        "pairs",
        "removed",
        "overlap",
        "fit ns/body",
        "test ns/pair",
        "total ns/pair",
        "device",
        "upload",
        "filter",
        "total",
        "unsure",
    );
    let scene = Scene {
        gpu,
        shape,
        poses: &poses,
        pairs: &pairs,
        device_pairs: finder.pairs(),
        overlapping,
        repeat: options.repeat,
        executor,
    };
    measure::<Sphere>(&scene)?;
    measure::<Kdop14>(&scene)?;
    measure::<Kdop18>(&scene)?;
    measure::<Kdop26>(&scene)?;
    measure::<OrientedBox>(&scene)
}

fn measure<V: FitVolume + DeviceVolume>(scene: &Scene<'_>) -> Result<()> {
    let &Scene { gpu, shape, poses, pairs, device_pairs, executor, .. } = scene;
    let (count, boxes) = (pairs.len(), u32::try_from(poses.len())?);
    let fit = |pose: &Pose| V::fit_shape(shape, pose).ok_or("a bounded shape has every kind of volume");
    let start = Instant::now();
    let volumes = poses.iter().map(fit).collect::<std::result::Result<Vec<V>, _>>()?;
    let fitting = start.elapsed();
    let overlap = |pair: &&Pair| volumes[pair.low as usize].overlaps(&volumes[pair.high as usize]);
    let mut kept = 0;
    let testing = median((0..HOST_RUNS).map(|_| {
        let start = Instant::now();
        kept = pairs.iter().filter(overlap).count();
        Ok(start.elapsed())
    }))?;

    let mut filter = VolumeFilter::<V>::new(gpu)?;
    let known = PairCount::Known(u32::try_from(count)?);
    let upload = median((0..HOST_RUNS).map(|_| {
        let start = Instant::now();
        filter.upload(&volumes, boxes, executor)?;
        gpu.wait()?;
        Ok(start.elapsed())
    }))?;
    // Growing the lists is not part of the time of a frame.
    let report = filter.filter(device_pairs, known)?;
    let same = filter.read_kept(executor)?.iter().eq(pairs.iter().filter(overlap));
    let warm = Instant::now();
    while warm.elapsed() < WARM_UP {
        filter.filter(device_pairs, known)?;
    }
    let call = median((0..scene.repeat).map(|_| {
        let start = Instant::now();
        filter.filter(device_pairs, known)?;
        gpu.wait()?;
        Ok(start.elapsed())
    }))?;
    let device =
        median((0..scene.repeat).map(|_| Ok(busy_times(gpu, &mut filter, device_pairs, known)?.total)))?;
    filter.take_stage_times(true);
    let stages = busy_times(gpu, &mut filter, device_pairs, known)?.stages;

    let per_pair = |time: Duration| time.as_nanos() as f64 / count.max(1) as f64;
    let percent = |part: f64| 100.0 * part / count.max(1) as f64;
    let overlapping = scene.overlapping.map_or("-".to_string(), |part| format!("{:.1}%", 100.0 * part));
    println!(
        "  {:14}{count:>9}{:>8.1}%{overlapping:>9}{:>13.0}{:>14.1}{:>15.1}{:>9.2}{:>8.2}{:>8.2}{:>8.1}{:>8}  {}{}",
        V::NAME,
        percent((count - kept) as f64),
        fitting.as_nanos() as f64 / poses.len().max(1) as f64,
        per_pair(testing),
        per_pair(fitting + testing),
        per_pair(device),
        per_pair(upload),
        per_pair(call),
        per_pair(fitting + upload + call),
        report.unsure,
        if same { "yes" } else { "NO" },
        stage_list(&stages),
    );
    Ok(())
}

/// The times of one filtering right after two others.
fn busy_times<V: DeviceVolume>(
    gpu: &Gpu,
    filter: &mut VolumeFilter<V>,
    pairs: &wgpu::Buffer,
    count: PairCount<'_>,
) -> Result<DeviceTimes> {
    for _ in 0..3 {
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        filter.record(&mut encoder, pairs, count)?;
        gpu.queue().submit([encoder.finish()]);
    }
    Ok(filter.times()?)
}

fn stage_list(stages: &[(&'static str, Duration)]) -> String {
    stages.iter().map(|(name, time)| format!(", {name} {:.3} ms", time.as_secs_f64() * 1e3)).collect()
}

/// The part of the pairs whose shapes overlap.
fn overlapping(shape: &Shape, poses: &[Pose], pairs: &[Pair], executor: &Executor) -> f64 {
    let mut tasks: Vec<(&[Pair], usize)> = pairs.chunks(4096).map(|chunk| (chunk, 0)).collect();
    executor.for_each(&mut tasks, |_, (chunk, found)| {
        let pose = |id: u32| &poses[id as usize];
        // What cannot be said counts as yes.
        let overlap =
            |pair: &&Pair| query::overlap(shape, pose(pair.low), shape, pose(pair.high)).unwrap_or(true);
        *found = chunk.iter().filter(overlap).count();
    });
    tasks.iter().map(|(_, found)| found).sum::<usize>() as f64 / pairs.len().max(1) as f64
}

fn median(times: impl Iterator<Item = Result<Duration>>) -> Result<Duration> {
    let mut times = times.collect::<Result<Vec<Duration>>>()?;
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

fn options() -> Result<Options> {
    let mut options = Options {
        adapter: AdapterChoice::Any,
        n: vec![2000],
        shapes: ["balls", "cubes", "sticks", "plates"].map(str::to_string).into(),
        repeat: 20,
        overlap: true,
    };
    for argument in std::env::args().skip(1) {
        let (key, value) = argument.split_once('=').ok_or_else(|| format!("`{argument}`: give KEY=VALUE"))?;
        match key {
            "adapter" => options.adapter = AdapterChoice::Named(value.to_string()),
            "n" => options.n = value.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?,
            "shapes" => options.shapes = value.split(',').map(str::to_string).collect(),
            "repeat" => options.repeat = value.parse::<usize>()?.max(1),
            "overlap" => options.overlap = value == "yes",
            _ => return Err(format!("unknown option `{key}`").into()),
        }
    }
    Ok(options)
}
