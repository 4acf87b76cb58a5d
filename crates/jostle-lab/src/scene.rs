//! A source of frames: where the boxes of a bench come from, frame by frame, with the lists of what moved, came and went.
//!
//! What scenes there are is said in `scenes/`; this is one of them being played.

use std::sync::Arc;

use anyhow::Result;
use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{Aabb, Boxes, BoxesSettings, Dimensions, Executor, Filter, Moved};

use crate::jbox::Reader;
use crate::scenes::{ABSENT, CrowdStream, Paths};

/// A source of frames. It stands at its first frame when it is made.
#[derive(Debug)]
pub(crate) struct Scene {
    name: String,
    rules: Rules,
    source: Source,
    changes: Changes,
}

/// What of a scene does not change from frame to frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rules {
    pub(crate) dimensions: Dimensions,
    /// The first so many boxes are walls and the like: no two of them pair.
    pub(crate) walls: usize,
}

#[derive(Debug)]
enum Source {
    Stream(BoxStream),
    Crowd(Box<CrowdStream>),
    File { reader: Reader, boxes: Vec<Aabb>, before: Vec<Aabb> },
    Paths { paths: Arc<Paths>, boxes: Vec<Aabb>, frame: usize },
}

/// Ids, ascending, of what is not as it was a frame before.
#[derive(Debug, Default)]
struct Changes {
    moved: Vec<u32>,
    came: Vec<u32>,
    went: Vec<u32>,
}

impl Changes {
    fn clear(&mut self) {
        self.moved.clear();
        self.came.clear();
        self.went.clear();
    }

    fn note(&mut self, id: u32, before: &Aabb, now: &Aabb) {
        match (*before == ABSENT, *now == ABSENT) {
            (true, true) => {}
            (true, false) => self.came.push(id),
            (false, true) => self.went.push(id),
            (false, false) if before != now => self.moved.push(id),
            (false, false) => {}
        }
    }
}

impl Scene {
    pub(crate) fn stream(kind: StreamKind, n: usize, seed: u64) -> Self {
        let stream = BoxStream::new(kind, n, seed);
        Self::new(kind.name().to_string(), Rules::default(), Source::Stream(stream))
    }

    pub(crate) fn file(mut reader: Reader) -> Result<Self> {
        let mut boxes = Vec::new();
        reader.next_frame(&mut boxes)?;
        let (name, rules) = (reader.path().display().to_string(), reader.header().rules);
        Ok(Self::new(name, rules, Source::File { reader, boxes, before: Vec::new() }))
    }

    pub(crate) fn crowd(name: String, rules: Rules, crowd: CrowdStream) -> Self {
        Self::new(name, rules, Source::Crowd(Box::new(crowd)))
    }

    pub(crate) fn paths(name: String, rules: Rules, paths: Arc<Paths>) -> Self {
        let boxes = paths.first().to_vec();
        Self::new(name, rules, Source::Paths { paths, boxes, frame: 0 })
    }

    fn new(name: String, rules: Rules, source: Source) -> Self {
        let mut scene = Self { name, rules, source, changes: Changes::default() };
        let there = scene.boxes().iter().zip(0..).filter(|(aabb, _)| **aabb != ABSENT);
        scene.changes.moved = there.map(|(_, id)| id).collect();
        scene
    }

    /// The same under another name.
    pub(crate) fn renamed(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    /// The name reports give it.
    pub(crate) fn name(&self) -> String {
        self.name.clone()
    }

    /// This frame's boxes in id order; [`ABSENT`] where an object is not there.
    pub(crate) fn boxes(&self) -> &[Aabb] {
        match &self.source {
            Source::Stream(stream) => stream.boxes(),
            Source::Crowd(crowd) => crowd.boxes(),
            Source::File { boxes, .. } | Source::Paths { boxes, .. } => boxes,
        }
    }

    /// Which of them moved since the frame before; those that came or went are not among them.
    pub(crate) fn moved(&self) -> Moved<'_> {
        let ids = match &self.source {
            Source::Stream(stream) => stream.moved(),
            _ => &self.changes.moved,
        };
        if ids.len() == self.boxes().len() { Moved::All } else { Moved::Ids(ids) }
    }

    /// Goes on to the next frame.
    pub(crate) fn advance(&mut self) -> Result<()> {
        let changes = &mut self.changes;
        changes.clear();
        match &mut self.source {
            Source::Stream(stream) => stream.advance(),
            Source::Crowd(crowd) => crowd.advance(|id, before, now| changes.note(id, before, now)),
            Source::File { reader, boxes, before } => {
                std::mem::swap(boxes, before);
                reader.next_frame(boxes)?;
                for (id, (before, now)) in (0..).zip(before.iter().zip(&*boxes)) {
                    changes.note(id, before, now);
                }
            }
            Source::Paths { paths, boxes, frame } => {
                *frame += 1;
                let (ids, changed) = paths.changes(*frame);
                for (&id, now) in ids.iter().zip(changed) {
                    let before = std::mem::replace(&mut boxes[id as usize], *now);
                    changes.note(id, &before, now);
                }
            }
        }
        Ok(())
    }

    /// A store of this frame's boxes.
    pub(crate) fn store(&self) -> Result<Boxes> {
        match &self.source {
            Source::Stream(stream) => Ok(Boxes::from_aabbs(stream.boxes())?),
            _ => self.rules.store(self.boxes()),
        }
    }

    /// Writes this frame's boxes into an array to be handed over, if all of them may have moved.
    pub(crate) fn write_boxes(&self, array: &mut Vec<Aabb>) {
        if let Moved::All = self.moved() {
            array.clear();
            array.extend_from_slice(self.boxes());
        }
    }

    /// Brings a store from the frame before to this one, which [`Scene::write_boxes`] has written.
    pub(crate) fn update(&self, executor: &Executor, store: &mut Boxes, array: &mut Vec<Aabb>) -> Result<()> {
        for id in &self.changes.went {
            store.remove(*id)?;
        }
        match self.moved() {
            Moved::All => store.exchange(executor, array)?,
            moved => store.update_on(executor, moved, self.boxes())?,
        }
        for id in &self.changes.came {
            store.insert(*id, self.boxes()[*id as usize], self.rules.filter(*id))?;
        }
        Ok(())
    }
}

impl Rules {
    /// A store of a frame of boxes.
    pub(crate) fn store(self, boxes: &[Aabb]) -> Result<Boxes> {
        let mut store =
            Boxes::new(BoxesSettings { dimensions: self.dimensions, ..BoxesSettings::default() })?;
        for (id, aabb) in (0..).zip(boxes) {
            if *aabb != ABSENT {
                store.insert(id, *aabb, self.filter(id))?;
            }
        }
        Ok(store)
    }

    fn filter(self, id: u32) -> Filter {
        if (id as usize) < self.walls { Filter::fixed() } else { Filter::default() }
    }
}
