//! The boxes a world's finder was given, frame by frame, as a JBOX file.
//!
//! Such a file has the same boxes in every frame, and a world need not: a body that is not there in a frame stands at a
//! point of its own, far from everything. Filters have no place in the file, so that fixed bodies pair with each other
//! there.

use std::path::Path;

use anyhow::{Result, ensure};
use jostle::{Command, Execution, Recording};
use jostle_broad::glam::Vec3;
use jostle_broad::{Aabb, Boxes};

use crate::jbox::{Header, MOST_FRAMES, Writer};

/// Where bodies wait that are not there: far enough for any world, near enough to be squared.
const FAR: f32 = 1e18;

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
        let ids = all_ids(recording)?;
        let header = Header { n: u32::try_from(ids.len())?, frames: frames as u32 };
        Ok(Self { writer: Writer::create(path, header)?, ids, frame: Vec::new() })
    }

    pub(super) fn write(&mut self, boxes: &Boxes) -> Result<()> {
        let far = |place: usize| {
            let point = Vec3::splat(f32::from_bits(FAR.to_bits() + place as u32));
            Aabb::new(point, point)
        };
        self.frame.clear();
        self.frame.extend(self.ids.iter().enumerate().map(|(place, id)| match boxes.slot_of(*id) {
            Some(slot) => *boxes.aabb(slot),
            None => far(place),
        }));
        self.writer.write_frame(&self.frame)
    }

    /// Completes the file, and says how many boxes each of its frames has.
    pub(super) fn finish(self) -> Result<usize> {
        self.writer.finish()?;
        Ok(self.ids.len())
    }
}

/// Bodies of the first state, and all that come later.
fn all_ids(recording: &Recording) -> Result<Vec<u32>> {
    let first = recording.first_world(&Execution::default())?.ids().into_iter().map(|id| id.0);
    let commands = recording.frames().iter().flat_map(|frame| &frame.commands);
    let added = commands.filter(|(_, command)| matches!(command, Command::Add(_))).map(|(id, _)| id.0);
    let mut ids: Vec<u32> = first.chain(added).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}
