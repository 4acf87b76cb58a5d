//! Which bodies a question is about.

use std::fmt;

use crate::{Body, BodyId, BodyKind};

/// A user's own test of a body. The body is as it was described; its pose and velocity are those of the beginning.
pub type Predicate<'a> = &'a (dyn Fn(BodyId, &Body) -> bool + Sync);

/// Which bodies a question is about. All conditions must hold.
///
/// ```
/// use jostle::query::QueryFilter;
/// use jostle::{BodyId, BodyKind};
///
/// let even = |id: BodyId, _: &jostle::Body| id.0 % 2 == 0;
/// let filter = QueryFilter::ALL
///     .kinds(&[BodyKind::Dynamic, BodyKind::Fixed])
///     .groups(0b01, 0b10)
///     .without(&[BodyId(6)])
///     .when(&even);
/// ```
#[derive(Clone, Copy)]
pub struct QueryFilter<'a> {
    group: u32,
    mask: u32,
    /// One bit per kind.
    kinds: u8,
    without: &'a [BodyId],
    when: Option<Predicate<'a>>,
}

impl Default for QueryFilter<'_> {
    fn default() -> Self {
        Self::ALL
    }
}

impl<'a> QueryFilter<'a> {
    /// All bodies, sensors included.
    pub const ALL: Self = Self { group: u32::MAX, mask: u32::MAX, kinds: u8::MAX, without: &[], when: None };

    /// Only bodies that would meet a body of this group and mask.
    pub fn groups(mut self, group: u32, mask: u32) -> Self {
        self.group = group;
        self.mask = mask;
        self
    }

    /// Only bodies of these kinds.
    pub fn kinds(mut self, kinds: &[BodyKind]) -> Self {
        self.kinds = kinds.iter().fold(0, |bits, &kind| bits | 1 << kind as u8);
        self
    }

    /// Not these bodies. The list is searched from the front: for many, use [`QueryFilter::when`] and a set.
    pub fn without(mut self, ids: &'a [BodyId]) -> Self {
        self.without = ids;
        self
    }

    /// Only bodies for which the predicate holds. It is asked in no certain order, perhaps from several threads.
    pub fn when(mut self, predicate: Predicate<'a>) -> Self {
        self.when = Some(predicate);
        self
    }

    /// Is the question about this body?
    pub fn admits(&self, id: BodyId, body: &Body) -> bool {
        self.kinds >> body.kind as u8 & 1 == 1
            && self.group & body.mask != 0
            && self.mask & body.group != 0
            && !self.without.contains(&id)
            && self.when.is_none_or(|predicate| predicate(id, body))
    }
}

impl fmt::Debug for QueryFilter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryFilter")
            .field("group", &self.group)
            .field("mask", &self.mask)
            .field("kinds", &self.kinds)
            .field("without", &self.without)
            .field("when", &self.when.map(|_| "a predicate"))
            .finish()
    }
}
