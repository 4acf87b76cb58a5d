//! The engine on a study whose every value is known.

mod files;
mod going_on;
mod known;
