//! What happened in a step, in canonical order.

use jostle_broad::Pair;

use crate::BodyId;

/// One thing that happened between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// The body with the lower id.
    pub first: BodyId,
    /// The body with the higher id.
    pub second: BodyId,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// Their surfaces came together.
    ContactBegan,
    /// They still touch, and at least one of them is awake.
    ContactPersists,
    /// They no longer touch, or one of them is gone.
    ContactEnded,
    /// A body came into a sensor.
    SensorEntered,
    /// A body left a sensor.
    SensorLeft,
}

/// The events of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    pub(crate) contacts: Vec<Event>,
    pub(crate) began_overlapping: Vec<Pair>,
    pub(crate) ended_overlapping: Vec<Pair>,
}

impl Events {
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.began_overlapping.clear();
        self.ended_overlapping.clear();
    }

    /// Contacts that began, persist and ended, bodies that entered and left sensors; ascending by the two ids.
    pub fn contacts(&self) -> &[Event] {
        &self.contacts
    }

    /// Pairs whose boxes, swept over the frame, overlap and did not before; ascending.
    pub fn began_overlapping(&self) -> &[Pair] {
        &self.began_overlapping
    }

    /// Pairs whose boxes, swept over the frame, no longer overlap; ascending.
    pub fn ended_overlapping(&self) -> &[Pair] {
        &self.ended_overlapping
    }
}
