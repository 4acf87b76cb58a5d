//! The broad phases of other engines behind one small trait, so that they can be run beside jostle on the same boxes.
//!
//! Their whole worlds are in [`worlds`].
//!
//! `rivals/README.md` says what each adapter calls and what it delivers; the command `compare` runs them.

pub mod adapters;
pub mod compare;
pub mod floor;
pub mod ours;
pub mod rival;
pub mod worlds;

pub use rival::{Contestant, Delivers, Rival};
