//! Recordings: played again anywhere they lead to the same states; damaged ones say how much of them is whole.

mod common;

use common::{FRAMES, Random, execution, run, run_arranged, world};
use jostle::broad::{Catalog, Lanes};
use jostle::{Execution, Recording, RecordingError, RecordingSettings, SnapshotError, World};
use proptest::prelude::*;

/// The scene from a frame on.
fn record(from: u64, until: u64, settings: RecordingSettings) -> Recording {
    let mut world = world(&Execution::default());
    run(&mut world, from);
    world.start_recording_with(settings);
    run(&mut world, until);
    assert!(world.is_recording());
    let recording = world.stop_recording().unwrap();
    assert!(world.stop_recording().is_none());
    recording
}

#[test]
fn replays_are_the_same_everywhere() {
    let recording = record(0, FRAMES, RecordingSettings::default());
    let recording = Recording::from_bytes(&recording.to_bytes()).unwrap();
    let last = recording.frames().last().unwrap().hash;
    for (index, finder) in Catalog::builtin().iter().enumerate() {
        let lanes = Lanes::available()[index % Lanes::available().len()];
        let report = recording.replay(&execution([1, 2, 3, 8][index % 4], &finder.name, lanes)).unwrap();
        assert_eq!((report.frames, report.last), (FRAMES as usize, last), "{}", finder.name);
    }
}

#[test]
fn recordings_begin_anywhere_and_do_not_depend_on_the_order_of_commands() {
    let expected = record(60, 100, RecordingSettings::default());
    assert_eq!(expected.first().frame(), 60);
    let bytes = expected.to_bytes();
    let read = Recording::from_bytes(&bytes).unwrap();
    assert_eq!(read.frames(), expected.frames());
    assert_eq!(read.replay(&Execution::default()).unwrap().frames, 40);
    let mut random = Random(5);
    let mut world = world(&execution(2, "tree", Lanes::scalar()));
    run_arranged(&mut world, 60, |list| random.shuffle(list));
    world.start_recording();
    run_arranged(&mut world, 100, |list| random.shuffle(list));
    assert!(world.stop_recording().unwrap().to_bytes() == bytes, "the same bytes");
}

#[test]
fn recording_changes_nothing_and_keeps_out_what_failed() {
    let expected = run(&mut world(&Execution::default()), FRAMES);
    let mut world = world(&Execution::default());
    world.start_recording();
    let snapshot = world.snapshot();
    let mut trace = run(&mut world, 70);
    world.set_pair_limit(Some(1));
    for _ in 0..3 {
        world.step(common::DT).unwrap_err();
    }
    world.set_pair_limit(None);
    assert!(matches!(world.restore(&snapshot), Err(SnapshotError::Recording)));
    trace.0.extend(run(&mut world, FRAMES).0);
    trace.assert_is(&expected, "recorded");
    let recording = world.stop_recording().unwrap();
    assert_eq!(recording.frames().len() as u64, FRAMES);
    recording.replay(&Execution::default()).unwrap();
}

#[test]
fn a_file_is_what_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("heap.jrec");
    let recording = record(0, 30, RecordingSettings { body_hashes_every: 10 });
    recording.save(&path).unwrap();
    recording.save(&path).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    assert_eq!(Recording::load(&path).unwrap().frames(), recording.frames());

    // The writer was interrupted.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let error = Recording::load(&path).unwrap_err();
    let RecordingError::Damaged { whole_frames, .. } = error else { panic!("{error}") };
    let rest = Recording::load_whole_frames(&path).unwrap();
    assert_eq!(rest.frames(), &recording.frames()[..whole_frames]);
    assert_eq!(rest.replay(&Execution::default()).unwrap().frames, whole_frames);

    let missing = folder.path().join("nobody/knows.jrec");
    for error in [Recording::load(&missing).unwrap_err(), recording.save(&missing).unwrap_err()] {
        assert!(error.to_string().contains("knows.jrec"), "{error}");
    }
}

fn small() -> Vec<u8> {
    let mut world = World::default();
    let ball = jostle::Shape::ball(0.5).unwrap();
    world.add(jostle::BodyId(1), jostle::Body::dynamic(ball.clone())).unwrap();
    world.step(common::DT).unwrap();
    world.start_recording();
    world.add(jostle::BodyId(2), jostle::Body::dynamic(ball).at(jostle::glam::Vec3::Y)).unwrap();
    (0..4).for_each(|_| drop(world.step(common::DT).unwrap()));
    world.stop_recording().unwrap().to_bytes()
}

#[test]
fn every_truncation_says_how_many_frames_are_whole() {
    let bytes = small();
    let whole = Recording::from_bytes(&bytes).unwrap();
    let mut seen = Vec::new();
    for length in 0..bytes.len() {
        let cut = &bytes[..length];
        match Recording::from_bytes(cut).unwrap_err() {
            RecordingError::Damaged { whole_frames, .. } => {
                let rest = Recording::from_whole_frames(cut).unwrap();
                assert_eq!(rest.frames(), &whole.frames()[..whole_frames]);
                seen.push(whole_frames);
            }
            RecordingError::NotARecording => assert!(length < 4),
            RecordingError::NoFirstState { .. } => assert!(Recording::from_whole_frames(cut).is_err()),
            other => panic!("{length}: {other}"),
        }
    }
    assert!(seen.is_sorted());
    seen.dedup();
    assert_eq!(seen, [0, 1, 2, 3, 4]);
}

#[test]
fn every_bit_flip_is_noticed() {
    let bytes = small();
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(Recording::from_bytes(&flipped).is_err(), "bit {bit}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn bytes_of_any_kind_are_no_trouble(mut bytes in prop::collection::vec(any::<u8>(), 0..300), dressed in any::<bool>()) {
        if dressed && bytes.len() >= 8 {
            bytes[..4].copy_from_slice(b"JREC");
            bytes[4..8].copy_from_slice(&1u32.to_le_bytes());
        }
        prop_assert!(Recording::from_bytes(&bytes).is_err());
        prop_assert!(Recording::from_whole_frames(&bytes).is_err());
    }
}
