//! The studies: those of the sources (by their numbers), and ours. One file each.

mod finders;

use crate::experiment::Study;

/// All studies, in the order in which they are listed. A new one is one line here.
pub(crate) fn all() -> Vec<&'static dyn Study> {
    vec![&finders::Finders]
}
