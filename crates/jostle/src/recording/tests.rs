//! Recordings that were tampered with: the replay has to notice, and to name the place.

use glam::Vec3;

use crate::{Body, BodyId, Command, Execution, Recording, RecordingSettings, ReplayError, Shape, World};

/// Balls that never meet, pushed in frames 3 and 6 (counted from 0).
fn recording(settings: RecordingSettings) -> Recording {
    let mut world = World::default();
    world.start_recording_with(settings);
    for index in 0..10 {
        let body = Body::dynamic(Shape::ball(0.4).unwrap()).at(Vec3::X * (10 * index) as f32);
        world.add(BodyId(1000 - 7 * index), body).unwrap();
    }
    for frame in 0..10 {
        if frame % 3 == 0 && frame > 0 {
            world.apply_impulse(BodyId(1000 - 7 * frame), Vec3::Y).unwrap();
        }
        world.step(1.0 / 60.0).unwrap();
    }
    world.stop_recording().unwrap()
}

fn replay(recording: &Recording) -> Result<usize, (usize, Option<BodyId>)> {
    match recording.replay(&Execution::default()) {
        Ok(report) => Ok(report.frames),
        Err(ReplayError::Differs { frame, body, .. }) => Err((frame, body)),
        Err(other) => panic!("{other}"),
    }
}

fn push_harder(recording: &mut Recording, frame: usize) {
    let (_, command) = &mut recording.frames[frame].commands[0];
    *command = Command::Impulse { impulse: Vec3::Y * 1.001, point: None };
}

#[test]
fn the_first_frame_and_body_that_differ_are_named() {
    let mut whole = recording(RecordingSettings::default());
    assert_eq!(replay(&whole), Ok(10));
    push_harder(&mut whole, 6);
    assert_eq!(replay(&whole), Err((7, Some(BodyId(1000 - 42)))));
    push_harder(&mut whole, 3);
    assert_eq!(replay(&whole), Err((4, Some(BodyId(1000 - 21)))));
}

#[test]
fn bodies_are_named_only_where_their_hashes_were_kept() {
    for (every, named) in [(0, false), (3, false), (7, true), (1, true)] {
        let mut whole = recording(RecordingSettings { body_hashes_every: every });
        let kept = whole.frames.iter().filter(|frame| !frame.body_hashes.is_empty()).count();
        assert_eq!(kept, 10usize.checked_div(every as usize).unwrap_or(0));
        push_harder(&mut whole, 6);
        assert_eq!(replay(&whole), Err((7, named.then_some(BodyId(1000 - 42)))), "every {every}");
    }
}

#[test]
fn a_hash_that_was_changed_differs_without_a_body() {
    let mut whole = recording(RecordingSettings::default());
    whole.frames[4].hash.0 ^= 1;
    assert_eq!(replay(&whole), Err((5, None)));
}

#[test]
fn refused_commands_are_named_by_their_frame() {
    let mut whole = recording(RecordingSettings::default());
    whole.frames[2].commands.push((BodyId(3), Command::Wake));
    let error = whole.replay(&Execution::default()).unwrap_err();
    assert!(matches!(error, ReplayError::Refused { frame: 3, .. }), "{error}");
}
