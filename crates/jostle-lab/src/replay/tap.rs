//! A finder that writes down the boxes it is given before it passes them on.
//!
//! A JBOX file has the same boxes in every frame, and a world need not: a body that is not there in a frame stands at a
//! point of its own, far from everything. Filters have no place in a JBOX file, so that fixed bodies pair with each other
//! there.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, anyhow, ensure};
use jostle::{Command, Execution, Recording};
use jostle_broad::glam::Vec3;
use jostle_broad::{Aabb, Boxes, FindError, FindReport, FindSettings, PairBuffer, PairFinder};

use crate::jbox::{Header, MOST_FRAMES, Writer};

/// Where bodies wait that are not there: far enough for any world, near enough to be squared.
const FAR: f32 = 1e18;

/// The file that is being written, shared by the finder inside the world and the command.
#[derive(Clone)]
pub(super) struct BoxesFile(Arc<Mutex<State>>);

struct State {
    writer: Option<Writer>,
    /// The ids of all bodies that are ever there, ascending. Their places are the ids in the file.
    ids: Vec<u32>,
    frame: Vec<Aabb>,
    /// The store is given once before the first frame, when the world is brought into its first state.
    begun: bool,
    written: usize,
    expected: usize,
    trouble: Option<anyhow::Error>,
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
        let state = State {
            writer: Some(Writer::create(path, header)?),
            ids,
            frame: Vec::new(),
            begun: false,
            written: 0,
            expected: frames,
            trouble: None,
        };
        Ok(Self(Arc::new(Mutex::new(state))))
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Completes the file, and says how many boxes each of its frames has.
    pub(super) fn finish(&self) -> Result<u32> {
        self.with(|state| {
            if let Some(trouble) = state.trouble.take() {
                return Err(trouble);
            }
            ensure!(
                state.written == state.expected,
                "the finder was asked {} times in {} frames: a defect of jostle",
                state.written,
                state.expected
            );
            state.writer.take().map_or(Ok(()), Writer::finish)?;
            Ok(state.ids.len() as u32)
        })
    }
}

impl State {
    fn write(&mut self, boxes: &Boxes) -> Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let far = |place: usize| {
            let point = Vec3::splat(f32::from_bits(FAR.to_bits() + place as u32));
            Aabb::new(point, point)
        };
        self.frame.clear();
        let ids = self.ids.iter().enumerate();
        self.frame.extend(ids.map(|(place, id)| match boxes.slot_of(*id) {
            Some(slot) => *boxes.aabb(slot),
            None => far(place),
        }));
        self.written += 1;
        let writer = self.writer.as_mut().ok_or_else(|| anyhow!("the file is complete already"))?;
        writer.write_frame(&self.frame)
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

/// Passes everything on to a finder, and writes down the boxes.
pub(super) struct Tap {
    finder: Box<dyn PairFinder>,
    file: BoxesFile,
}

impl Tap {
    pub(super) fn new(finder: Box<dyn PairFinder>, file: BoxesFile) -> Self {
        Self { finder, file }
    }
}

impl PairFinder for Tap {
    fn name(&self) -> &str {
        self.finder.name()
    }

    fn update(&mut self, boxes: &Boxes, settings: &FindSettings) -> Result<FindReport, FindError> {
        self.file.with(|state| {
            if state.trouble.is_none() {
                state.trouble = state.write(boxes).err();
            }
        });
        self.finder.update(boxes, settings)
    }

    fn pairs(&self) -> &PairBuffer {
        self.finder.pairs()
    }

    fn bytes(&self) -> usize {
        self.finder.bytes()
    }

    fn size_limit(&self) -> Option<usize> {
        self.finder.size_limit()
    }
}
