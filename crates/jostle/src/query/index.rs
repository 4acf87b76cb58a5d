//! The index of boxes behind all questions about a world: a tree with a leaf per body, keyed by id.
//!
//! It is brought up to date by the first question after a step, from the poses bodies have then; between steps it stays
//! as it is, and any number of threads may ask. The boxes in it are a little larger than the shapes, because the tests of
//! shapes round: what they find must not be hidden by a box. Unbounded bodies are kept beside the tree by the tree.

use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;
use jostle_broad::{Aabb, Executor, Tree};

use super::QueryFilter;
use super::geometry::Placed;
use crate::world::store::Store;
use crate::{BodyId, Pose, World};

/// Boxes handed out to a thread at a time.
const TASK: usize = 512;

/// How much a box is larger than the shapes, as a part of its longest side and of the distance from the origin.
const SLACK_OF_SIDE: f32 = 1e-4;
const SLACK_OF_PLACE: f32 = 1e-6;

/// The index, and whether it is that of now.
#[derive(Debug, Default)]
pub(crate) struct Index {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    fresh: bool,
    /// Shared with the questions being answered, which can be none while a world changes.
    tree: Arc<Tree>,
}

impl Index {
    /// Bodies have changed: to be called by everything that changes poses or the set of bodies.
    pub(crate) fn invalidate(&mut self) {
        self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).fresh = false;
    }

    /// The tree as of now.
    fn tree(&self, store: &Store, executor: &Executor) -> Arc<Tree> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.fresh {
            update(Arc::make_mut(&mut kept.tree), store, executor);
            kept.fresh = true;
        }
        kept.tree.clone()
    }
}

fn update(tree: &mut Tree, store: &Store, executor: &Executor) {
    let mut boxes: Vec<(usize, Aabb)> = store.live_slots().map(|slot| (slot, Aabb::EVERYWHERE)).collect();
    let mut tasks: Vec<_> = boxes.chunks_mut(TASK).collect();
    executor.for_each(&mut tasks, |_, task| {
        for (slot, aabb) in task.iter_mut() {
            *aabb = loose_box(&Store::tight_box(&store.descriptions[*slot], &store.pose(*slot)));
        }
    });
    let by_id = boxes.iter().map(|&(slot, aabb)| (store.id(slot), aabb));
    const IS_A_BOX: &str = "`loose_box` gives boxes, and ids are there once";
    if tree.is_empty() {
        tree.insert_all(by_id, executor).expect(IS_A_BOX);
        return;
    }
    for (id, aabb) in by_id {
        match tree.get(id) {
            None => tree.insert(id, aabb).expect(IS_A_BOX),
            Some(before) if before == aabb => {}
            Some(_) => {
                tree.set(id, aabb).expect(IS_A_BOX);
            }
        }
    }
    if tree.len() > boxes.len() {
        let gone: Vec<u32> =
            tree.iter().map(|(id, _)| id).filter(|&id| store.slot_of(id).is_none()).collect();
        for id in gone {
            tree.remove(id).expect("it is in the tree");
        }
    }
    tree.tend(executor);
}

/// A box around a box with room for rounding; around everything if that is not a box.
fn loose_box(tight: &Aabb) -> Aabb {
    let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
    let side = finite(tight.longest_side()) * SLACK_OF_SIDE;
    let room =
        |place: Vec3| Vec3::from_array(place.to_array().map(|at| side + finite(at).abs() * SLACK_OF_PLACE));
    let loose = Aabb::new(tight.min - room(tight.min), tight.max + room(tight.max));
    let is_box = loose.min.cmple(loose.max).all()
        && loose.min.cmplt(Vec3::INFINITY).all()
        && loose.max.cmpgt(Vec3::NEG_INFINITY).all();
    if is_box { loose } else { Aabb::EVERYWHERE }
}

impl World {
    /// The index as of now, with what a question needs to look at bodies.
    pub(super) fn view<'a>(&'a self, filter: &'a QueryFilter<'a>) -> View<'a> {
        let tree = self.index.tree(&self.store, &self.find_settings.executor);
        View { tree, store: &self.store, filter }
    }
}

/// A world as a question sees it.
pub(super) struct View<'a> {
    pub(super) tree: Arc<Tree>,
    store: &'a Store,
    filter: &'a QueryFilter<'a>,
}

impl View<'_> {
    /// The slot of a body, if the question is about it.
    pub(super) fn admitted(&self, id: u32) -> Option<usize> {
        let slot = self.store.slot_of(id)?;
        self.filter.admits(BodyId(id), &self.store.descriptions[slot]).then_some(slot)
    }

    pub(super) fn tight_box(&self, slot: usize) -> Aabb {
        Store::tight_box(&self.store.descriptions[slot], &self.store.pose(slot))
    }

    /// The shapes of a body, where they are.
    pub(super) fn parts(&self, slot: usize) -> impl Iterator<Item = Placed<'_>> {
        let pose: Pose = self.store.pose(slot);
        let parts = &self.store.descriptions[slot].parts;
        parts.iter().map(move |part| Placed { shape: &part.shape, pose: pose.then(&part.local) })
    }
}
