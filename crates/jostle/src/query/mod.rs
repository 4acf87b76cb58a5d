//! Questions about shapes and about a world: what overlaps, how far apart, what does a ray or a moving shape meet first.
//!
//! Two shapes, no world: [`overlap`], [`distance`], [`contact_manifolds`], [`penetration`], [`time_of_impact`].
//! A whole world: methods of [`World`](crate::World), which look at bodies as of the latest step. They go through an
//! index of boxes (kept in the world, brought up to date by the first question after a step) and test the shapes of what
//! it finds. Answers are in canonical order and depend neither on threads nor on the order of insertion.
//!
//! ```
//! use jostle::query::{QueryFilter, Ray};
//! use jostle::{Body, BodyId, Shape, World, glam::Vec3};
//!
//! let mut world = World::default();
//! world.add(BodyId(1), Body::fixed(Shape::half_space(Vec3::Y)?))?;
//! world.add(BodyId(2), Body::fixed(Shape::ball(1.0)?).at(Vec3::new(0.0, 1.0, 0.0)))?;
//! world.step(1.0 / 60.0)?;
//!
//! let down = Ray::new(Vec3::new(0.0, 10.0, 0.0), Vec3::NEG_Y);
//! let hit = world.cast_ray(&down, &QueryFilter::ALL)?.unwrap();
//! assert_eq!((hit.id, hit.distance), (BodyId(2), 8.0));
//!
//! let without_the_ball = QueryFilter::ALL.without(&[BodyId(2)]);
//! assert_eq!(world.cast_ray(&down, &without_the_ball)?.unwrap().id, BodyId(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod dispatch;
mod error;
mod failures;
mod filter;
mod geometry;
mod height_field;
mod index;
mod nearest;
mod overlap;
mod pair;
mod ray;
mod sweep;

#[cfg(test)]
mod tests;

pub use error::QueryError;
pub use filter::{Predicate, QueryFilter};
pub(crate) use geometry::{corners, reach};
pub(crate) use index::Index;
pub use jostle_broad::{Frustum, Plane, Ray};
pub use nearest::NearBody;
pub use pair::{
    Distance, Impact, Penetration, contact_manifolds, distance, overlap, penetration, time_of_impact,
};
pub use ray::RayHit;
pub use sweep::{ShapeCast, ShapeHit};
