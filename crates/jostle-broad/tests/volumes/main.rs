//! The promise of the bounding volumes: one that is fitted to points never misses what those points meet.

mod oriented;
mod shared_points;
