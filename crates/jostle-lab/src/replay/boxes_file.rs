//! The boxes a world's finder was given, frame by frame, as a JBOX file.
//!
//! A body that is not there in a frame is absent in the file. Bodies that cannot be pushed and have the first ids are
//! walls, which do not pair with each other; other filters have no place in the file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use jostle::{BodyId, BodyKind, Command, Execution, Recording};
use jostle_broad::{Aabb, Boxes};

use crate::jbox::{Header, MOST_FRAMES, Writer};
use crate::output::WholeFile;
use crate::scene::Rules;
use crate::scenes::ABSENT;

pub(super) struct BoxesFile {
    writer: Writer,
    /// The ids of all bodies that are ever there, ascending. Their places are the ids in the file.
    ids: Vec<u32>,
    frame: Vec<Aabb>,
}

impl BoxesFile {
    pub(super) fn create(path: &Path, recording: &Recording) -> Result<Self> {
        let frames = recording.frames().len();
        ensure!(
            (1..=MOST_FRAMES as usize).contains(&frames),
            "--boxes: the recording has {frames} frames, and a file of boxes has 1 to {MOST_FRAMES}; record others"
        );
        let bodies = all_bodies(recording)?;
        let walls = bodies.iter().take_while(|(_, kind)| **kind != BodyKind::Dynamic).count();
        let ids: Vec<u32> = bodies.into_keys().collect();
        let header = Header {
            n: u32::try_from(ids.len())?,
            frames: frames as u32,
            rules: Rules { walls, ..Rules::default() },
            gaps: true,
        };
        let writer = Writer::new(WholeFile::create(path)?, header)?;
        Ok(Self { writer, ids, frame: Vec::new() })
    }

    pub(super) fn write(&mut self, boxes: &Boxes) -> Result<()> {
        self.frame.clear();
        let of_body = |id: &u32| boxes.slot_of(*id).map_or(ABSENT, |slot| *boxes.aabb(slot));
        self.frame.extend(self.ids.iter().map(of_body));
        self.writer.write_frame(&self.frame)
    }

    /// Completes the file, and says how many boxes each of its frames has.
    pub(super) fn finish(self) -> Result<usize> {
        self.writer.finish()?;
        Ok(self.ids.len())
    }
}

/// Bodies of the first state, and all that come later, by their ids.
fn all_bodies(recording: &Recording) -> Result<BTreeMap<u32, BodyKind>> {
    let first = recording.first_world(&Execution::default())?;
    let kind = |id: &BodyId| Some((id.0, first.description(*id)?.kind));
    let mut bodies: BTreeMap<u32, BodyKind> = first.ids().iter().filter_map(kind).collect();
    for (id, command) in recording.frames().iter().flat_map(|frame| &frame.commands) {
        if let Command::Add(body) = command {
            bodies.insert(id.0, body.kind);
        }
    }
    Ok(bodies)
}
