//! Where the boxes come from: a seeded stream or a recorded file, frame by frame, with the list of what moved.

use anyhow::Result;
use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{Aabb, Moved};

use crate::jbox::Reader;

/// A source of frames. It stands at its first frame when it is made.
#[derive(Debug)]
pub(crate) enum Scene {
    Stream { kind: StreamKind, stream: BoxStream },
    File { reader: Reader, boxes: Vec<Aabb>, before: Vec<Aabb>, moved: Vec<u32> },
}

impl Scene {
    pub(crate) fn stream(kind: StreamKind, n: usize, seed: u64) -> Self {
        Self::Stream { kind, stream: BoxStream::new(kind, n, seed) }
    }

    pub(crate) fn file(mut reader: Reader) -> Result<Self> {
        let mut boxes = Vec::new();
        reader.next_frame(&mut boxes)?;
        let moved = (0..reader.header().n).collect();
        Ok(Self::File { reader, boxes, before: Vec::new(), moved })
    }

    /// The name reports give it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stream { kind, .. } => kind.name().to_string(),
            Self::File { reader, .. } => reader.path().display().to_string(),
        }
    }

    /// This frame's boxes in id order.
    pub(crate) fn boxes(&self) -> &[Aabb] {
        match self {
            Self::Stream { stream, .. } => stream.boxes(),
            Self::File { boxes, .. } => boxes,
        }
    }

    /// Which of them moved since the frame before.
    pub(crate) fn moved(&self) -> Moved<'_> {
        let ids = match self {
            Self::Stream { stream, .. } => stream.moved(),
            Self::File { moved, .. } => moved,
        };
        if ids.len() == self.boxes().len() { Moved::All } else { Moved::Ids(ids) }
    }

    /// Goes on to the next frame.
    pub(crate) fn advance(&mut self) -> Result<()> {
        match self {
            Self::Stream { stream, .. } => stream.advance(),
            Self::File { reader, boxes, before, moved } => {
                std::mem::swap(boxes, before);
                reader.next_frame(boxes)?;
                moved.clear();
                moved.extend((0..boxes.len()).filter(|&i| boxes[i] != before[i]).map(|i| i as u32));
            }
        }
        Ok(())
    }
}
