//! Times the resident finder on the device, stage by stage, and checks its pairs against the CPU's sweep.
//!
//! `cargo run --release -p jostle-gpu --example gpu_bench -- [adapter=NAME] [n=100000,1000000] [streams=brownian,pile]`
//! `[reach=2x1x1,1x1x1] [cells=4,8] [repeat=20] [verify=yes|no] [ends=no|yes|only] [hgrid=1,2,4,8]
//! [capacity=1024,8192]`
//!
//! `ends=yes` also takes the time from boxes on the host to pairs on the host, beside `auto` on all threads, `ends=only`
//! nothing else;
//! `hgrid=LEVELS` times the reference grid too, `capacity=BOXES` the co-processor with cells of so many boxes.

use std::error::Error;
use std::time::{Duration, Instant};

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{
    Auto, Boxes, DecideBy, Executor, FindReport, FindSettings, Moved, Pair, PairFinder, Sweep,
};
use jostle_gpu::{
    AdapterChoice, CanonicalFinder, CellsFinder, ChangeCounts, DeviceTimes, Gpu, GpuFinder, GridTuning,
    HgridFinder, PartitionKind, ReadBack, ResidentFinder, TestedPairs, copy_bandwidth, wgpu,
};

/// Frames of a stream that are on the device at once, so that a run does not find the run before in the cache.
const FRAMES: usize = 3;
/// How long the device is kept busy before anything is measured.
const WARM_UP: Duration = Duration::from_millis(400);

/// Searches the device is given to do while the host prepares the reference's.
const MEANWHILE: usize = 200;

struct Options {
    adapter: AdapterChoice,
    n: Vec<usize>,
    streams: Vec<StreamKind>,
    tunings: Vec<GridTuning>,
    repeat: usize,
    verify: bool,
    ends: bool,
    resident: bool,
    hgrid: Vec<u32>,
    capacity: Vec<usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let gpu = Gpu::open(&options.adapter)?;
    let about = gpu.description();
    println!("adapter: {} ({}, {})", about.name, about.kind, about.driver);
    println!("bindings up to {} MiB, subgroups {:?}", about.binding_bytes >> 20, about.subgroup);
    let copied = if about.kind == "software" { 64 << 20 } else { 1 << 30 };
    let bandwidth = copy_bandwidth(&gpu, copied)?.unwrap_or(f64::NAN);
    println!("copy: {:.0} GB/s (read + written, {} MiB)", bandwidth / 1e9, copied >> 20);
    println!("floor = (n * (24 box + 2 * 8 place + 2 * 24 box in cell order) + pairs * 8) bytes / copy");
    println!("least = (n * 24 + pairs * 8) bytes / copy");
    for &n in &options.n {
        for &kind in &options.streams {
            if options.resident {
                bench(&gpu, &options, kind, n, bandwidth)?;
            }
            for &levels in &options.hgrid {
                reference(&gpu, kind, n, levels, options.repeat)?;
            }
            for &capacity in &options.capacity {
                co_processor(&gpu, kind, n, capacity)?;
            }
            if options.ends {
                end_to_end(&gpu, &options.adapter, kind, n)?;
            }
        }
    }
    Ok(())
}

fn bench(
    gpu: &Gpu,
    options: &Options,
    kind: StreamKind,
    n: usize,
    bandwidth: f64,
) -> Result<(), Box<dyn Error>> {
    let (frames, last) = resident_frames(gpu, kind, n)?;
    let truth = if options.verify { Some(cpu_pairs(&last)?) } else { None };
    if let Some((pairs, time)) = &truth {
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        println!(
            "{} n={n}: {} pairs, CPU sweep with {threads} threads {:.2} ms",
            kind.name(),
            pairs.len(),
            time.as_secs_f64() * 1e3
        );
    }
    for tuning in &options.tunings {
        let mut finder = ResidentFinder::tuned(gpu, *tuning)?;
        let mut pairs = 0;
        for frame in &frames {
            pairs = finder.find(frame, n as u32)?;
        }
        let verdict = match &truth {
            None => "not checked",
            Some((truth, _)) => {
                let mut found = finder.read_pairs(pairs, &Executor::serial())?;
                found.sort_unstable();
                if found == *truth { "same pairs" } else { "DIFFERENT PAIRS" }
            }
        };
        // A GPU that waits lowers its clock: keep it busy first, and while measuring.
        let warm = Instant::now();
        while warm.elapsed() < WARM_UP {
            submit(&mut finder, &frames, n, 8)?;
            gpu.wait()?;
        }
        let mut samples: Vec<DeviceTimes> = Vec::new();
        for run in 0..options.repeat {
            submit(&mut finder, &frames, n, 3 + run % FRAMES)?;
            samples.push(finder.times()?);
        }
        finder.take_stage_times(true);
        let mut by_stage: Vec<DeviceTimes> = Vec::new();
        for run in 0..options.repeat {
            submit(&mut finder, &frames, n, 3 + run % FRAMES)?;
            by_stage.push(finder.times()?);
        }
        by_stage.sort_by_key(|sample| sample.total);
        let stages = &by_stage[by_stage.len() / 2].stages;
        samples.sort_by_key(|sample| sample.total);
        let (least, median) = (&samples[0], &samples[samples.len() / 2]);
        let seconds = median.total.as_secs_f64();
        let floor = (n as f64 * 88.0 + pairs as f64 * 8.0) / bandwidth;
        let strict = (n as f64 * 24.0 + pairs as f64 * 8.0) / bandwidth;
        println!(
            "{:>9} n={n:<9} reach {:?} cells {} | median {:.4} ms, least {:.4} | floor {:.4} ({:.1}x), least {:.4} \
             ({:.1}x) | {} | {verdict}",
            kind.name(),
            tuning.reach,
            tuning.cells_per_box,
            seconds * 1e3,
            least.total.as_secs_f64() * 1e3,
            floor * 1e3,
            seconds / floor,
            strict * 1e3,
            seconds / strict,
            stage_list(stages),
        );
    }
    order(gpu, &frames, kind, n)
}

/// Frames of a stream on the device, and the boxes of the last.
fn resident_frames(
    gpu: &Gpu,
    kind: StreamKind,
    n: usize,
) -> Result<(Vec<wgpu::Buffer>, Vec<jostle_broad::Aabb>), Box<dyn Error>> {
    let mut stream = BoxStream::new(kind, n, 1);
    let mut frames = Vec::new();
    for frame in 0..FRAMES {
        if frame > 0 {
            stream.advance();
        }
        let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("boxes"),
            size: (n * 24) as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(stream.boxes()));
        frames.push(buffer);
    }
    gpu.wait()?;
    Ok((frames, stream.boxes().to_vec()))
}

/// The reference grid, with its matrix and with the local rule.
fn reference(
    gpu: &Gpu,
    kind: StreamKind,
    n: usize,
    levels: u32,
    repeat: usize,
) -> Result<(), Box<dyn Error>> {
    let (resident, _) = resident_frames(gpu, kind, n)?;
    let mut other = ResidentFinder::new(gpu)?;
    for tested in [TestedPairs::MatrixIfItFits, TestedPairs::LocalRule] {
        let mut finder = HgridFinder::new(gpu, levels, tested)?;
        if tested == TestedPairs::MatrixIfItFits && !finder.has_matrix(n) {
            continue;
        }
        let settings = FindSettings { canonical: false, ..FindSettings::default() };
        let mut stream = BoxStream::new(kind, n, 1);
        let mut frames = Vec::new();
        for _ in 0..FRAMES {
            frames.push(Boxes::from_aabbs(stream.boxes())?);
            stream.advance();
        }
        let mut samples = Vec::new();
        let warm = Instant::now();
        while samples.len() < repeat {
            let is_warm = warm.elapsed() > WARM_UP;
            for frame in &frames {
                // The host works before the search begins. A GPU that waits lowers its clock, so it has other work then.
                submit(&mut other, &resident, n, MEANWHILE)?;
                finder.update(frame, &settings)?;
            }
            if is_warm {
                samples.push(finder.times()?);
            }
        }
        samples.sort_by_key(|sample| sample.total);
        let median = &samples[samples.len() / 2];
        println!(
            "{:>9} n={n:<9} gpu-hgrid {levels} levels {tested:?} | median {:.4} ms | {} | {} pairs, {} MB",
            kind.name(),
            median.total.as_secs_f64() * 1e3,
            stage_list(&median.stages),
            finder.pairs().len(),
            finder.bytes() >> 20,
        );
    }
    Ok(())
}

/// The co-processor, with both partitions.
fn co_processor(gpu: &Gpu, kind: StreamKind, n: usize, capacity: usize) -> Result<(), Box<dyn Error>> {
    for partition in [PartitionKind::Grid, PartitionKind::Tree] {
        let mut finder = CellsFinder::new(gpu, partition, capacity)?;
        let mut stream = BoxStream::new(kind, n, 1);
        let mut boxes = Boxes::from_aabbs(stream.boxes())?;
        for _ in 0..8 {
            finder.search(&boxes, |_| {})?;
            stream.advance();
            boxes.update(Moved::All, stream.boxes())?;
        }
        let report = finder.report();
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "{:>9} n={n:<9} gpu-cells {partition:?} of {capacity} | partition {:.3} ms, device {:.3}, narrow phase {:.3} | \
             {} cells of {:.1} boxes, {} oversized, {} duplicates",
            kind.name(),
            milliseconds(report.partition),
            milliseconds(report.device),
            milliseconds(report.narrow_phase),
            report.cells,
            report.entries as f64 / report.cells.max(1) as f64,
            report.oversized,
            report.duplicates,
        );
    }
    Ok(())
}

fn stage_list(stages: &[(&'static str, Duration)]) -> String {
    let list = stages.iter().map(|(name, time)| format!("{name} {:.4}", time.as_secs_f64() * 1e3));
    list.collect::<Vec<_>>().join(", ")
}

/// Sorting on the device, and telling what changed.
fn order(gpu: &Gpu, frames: &[wgpu::Buffer], kind: StreamKind, n: usize) -> Result<(), Box<dyn Error>> {
    let mut finder = CanonicalFinder::new(gpu)?;
    let mut times = Vec::new();
    let mut counts = ChangeCounts::default();
    for run in 0..12 {
        counts = finder.find(&frames[run % FRAMES], n as u32, true)?;
        times.push(finder.sort_time()?.total);
    }
    times.sort_unstable();
    let time = times[times.len() / 2].as_secs_f64() * 1e3;
    println!("{:>9} n={n:<9} canonical order on the device: sort {time:.4} ms, {counts:?}", kind.name());
    Ok(())
}

/// Frames of a stream from host to host, and those of them that allocate and in which `auto` tries its finders.
const END_FRAMES: usize = 24;
const END_WARM_UP: usize = 8;

/// A finder that goes from host to host.
struct Contestant {
    name: &'static str,
    finder: Box<dyn PairFinder>,
    times: Vec<Duration>,
    latest: FindReport,
}

/// Boxes on the host to pairs on the host, in canonical order with changes or without either, frame by frame: `gpu` by
/// what comes back, `auto` without the GPU and with it.
fn end_to_end(gpu: &Gpu, adapter: &AdapterChoice, kind: StreamKind, n: usize) -> Result<(), Box<dyn Error>> {
    let threads = std::thread::available_parallelism()?.get();
    let executor = Executor::new(threads)?;
    for changes in [false, true] {
        let settings = FindSettings {
            executor: executor.clone(),
            canonical: changes,
            changes,
            ..FindSettings::default()
        };
        let mut with_gpu = jostle_gpu::auto(DecideBy::Time, adapter);
        with_gpu.wait_for_device(n);
        let mut finders: Vec<(&'static str, Box<dyn PairFinder>)> =
            vec![("auto", Box::new(Auto::default())), ("auto with gpu", Box::new(with_gpu))];
        let ways = [
            ("gpu", ReadBack::Fewer),
            ("gpu, all pairs", ReadBack::Pairs),
            ("gpu, changes", ReadBack::Changes),
        ];
        for (name, read_back) in ways.into_iter().take(if changes { 3 } else { 1 }) {
            let mut finder = GpuFinder::new(gpu)?;
            finder.set_read_back(read_back);
            finders.push((name, Box::new(finder)));
        }
        let mut contestants: Vec<Contestant> = finders
            .into_iter()
            .map(|(name, finder)| Contestant {
                name,
                finder,
                times: Vec::new(),
                latest: FindReport::default(),
            })
            .collect();
        let mut stream = BoxStream::new(kind, n, 1);
        let mut boxes = Boxes::from_aabbs(stream.boxes())?;
        for frame in 0..END_FRAMES {
            for contestant in &mut contestants {
                let start = Instant::now();
                contestant.latest = contestant.finder.update(&boxes, &settings)?;
                if frame >= END_WARM_UP {
                    contestant.times.push(start.elapsed());
                }
            }
            stream.advance();
            boxes.update(Moved::All, stream.boxes())?;
        }
        for Contestant { name, mut times, latest, finder } in contestants {
            times.sort_unstable();
            println!(
                "{:>9} n={n:<9} end to end{}, {threads} threads: {name:<14} median {:.2} ms, most {:.2} | {} | {} | {} \
                 added, {} removed",
                kind.name(),
                if changes { " with changes" } else { "" },
                times[times.len() / 2].as_secs_f64() * 1e3,
                times[times.len() - 1].as_secs_f64() * 1e3,
                stage_list(&latest.stages),
                latest.detail.unwrap_or_default(),
                finder.pairs().added().len(),
                finder.pairs().removed().len(),
            );
        }
    }
    Ok(())
}

/// Hands over so many searches at once, the frames in turn.
fn submit(
    finder: &mut ResidentFinder,
    frames: &[wgpu::Buffer],
    n: usize,
    count: usize,
) -> Result<(), Box<dyn Error>> {
    for run in 0..count {
        let mut encoder = finder.gpu().device().create_command_encoder(&Default::default());
        finder.record(&mut encoder, &frames[run % FRAMES], n as u32)?;
        finder.gpu().queue().submit([encoder.finish()]);
    }
    Ok(())
}

fn cpu_pairs(aabbs: &[jostle_broad::Aabb]) -> Result<(Vec<Pair>, Duration), Box<dyn Error>> {
    let boxes = Boxes::from_aabbs(aabbs)?;
    let threads = std::thread::available_parallelism()?.get();
    let settings = FindSettings { executor: Executor::new(threads)?, ..FindSettings::default() };
    let mut sweep = Sweep::default();
    let start = Instant::now();
    sweep.update(&boxes, &settings)?;
    let time = start.elapsed();
    Ok((sweep.pairs().as_slice().to_vec(), time))
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        adapter: AdapterChoice::Any,
        n: vec![100_000, 1_000_000],
        streams: vec![StreamKind::Brownian, StreamKind::Disparity, StreamKind::Pile, StreamKind::Fast],
        tunings: Vec::new(),
        repeat: 20,
        verify: true,
        ends: false,
        resident: true,
        hgrid: Vec::new(),
        capacity: Vec::new(),
    };
    let default = GridTuning::default();
    let (mut reaches, mut cells) = (vec![default.reach], vec![default.cells_per_box]);
    for argument in std::env::args().skip(1) {
        let (key, value) = argument.split_once('=').ok_or_else(|| format!("`{argument}`: give KEY=VALUE"))?;
        match key {
            "adapter" => options.adapter = AdapterChoice::Named(value.to_string()),
            "n" => options.n = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "streams" => options.streams = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "repeat" => options.repeat = value.parse::<usize>()?.max(1),
            "verify" => options.verify = value == "yes",
            "hgrid" => options.hgrid = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "capacity" => options.capacity = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "ends" => (options.ends, options.resident) = (value != "no", value != "only"),
            "cells" => cells = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "reach" => {
                reaches = Vec::new();
                for reach in value.split(',') {
                    let axes: Vec<u32> = reach.split('x').map(str::parse).collect::<Result<_, _>>()?;
                    reaches.push(axes.try_into().map_err(|_| format!("reach `{reach}`: give AxBxC"))?);
                }
            }
            _ => return Err(format!("unknown option `{key}`").into()),
        }
    }
    for &cells_per_box in &cells {
        options.tunings.extend(reaches.iter().map(|&reach| GridTuning { reach, cells_per_box }));
    }
    Ok(options)
}
