//! Bodies that could not be tested in a search that goes on until something near is found.
//!
//! Which of the far bodies a search looks at depends on the tree. So a failure counts only if its body's box is as near as
//! what was found: those bodies are looked at in every tree, and the error is the same for all of them.

use super::QueryError;

/// Failures so far: how far the box is, whose it is, why.
#[derive(Default)]
pub(super) struct Failures {
    found: Vec<(f64, u32, QueryError)>,
}

impl Failures {
    pub(super) fn add(&mut self, distance: f64, id: u32, error: QueryError) {
        self.found.push((distance, id, error));
    }

    /// The answer, or the failure with the lowest id among the boxes no farther than `until`.
    pub(super) fn or<T>(self, answer: T, until: f64) -> Result<T, QueryError> {
        let near = self.found.into_iter().filter(|&(distance, _, _)| distance <= until);
        near.min_by_key(|&(_, id, _)| id).map_or(Ok(answer), |(_, _, error)| Err(error))
    }
}
