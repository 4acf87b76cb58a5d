//! What a frame is like, as far as the cost of finding its pairs goes, and which frames are alike.

/// What a frame is like, as far as cost goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    pub(super) boxes: usize,
    pub(super) moved: usize,
    /// Do many boxes move as far as they are long?
    pub(super) restless: bool,
    /// In the first frame all boxes are new, which says nothing about those to come.
    pub(super) first: bool,
}

impl Situation {
    pub(super) fn new(boxes: usize, moved: usize, restless: bool, first: bool) -> Self {
        Self { boxes, moved, restless, first }
    }
}

/// Situations alike enough to share what is known: the number of boxes within a factor of two, the share that moves
/// within one of four, and whether they move far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    boxes: u32,
    moved: u32,
    restless: bool,
}

impl Class {
    /// The class of a situation in which this share of the boxes has moved of late.
    pub(super) fn of(situation: Situation, share: f64) -> Self {
        let moved = [0.02, 0.15, 0.5].iter().filter(|&&limit| share > limit).count() as u32;
        Self { boxes: (situation.boxes as u32 + 1).ilog2(), moved, restless: situation.restless }
    }
}
