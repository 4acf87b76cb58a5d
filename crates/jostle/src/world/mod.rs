//! The world: bodies, the rules, and what users call.

pub(crate) mod apply;
pub(crate) mod check;
pub(crate) mod store;

use std::collections::HashMap;
use std::sync::Arc;

use jostle_broad::{Boxes, Catalog, Executor, FindSettings, Lanes, PairFinder};

use self::store::Store;
use crate::command::Commands;
use crate::contact::Contact;
use crate::event::Events;
use crate::narrow::MOST_POINTS;
use crate::query::Index;
use crate::recording::Recorder;
use crate::solve::ForceLaw;
use crate::step::Scratch;
use crate::{Body, BodyId, Command, Manifold, Pose, Shape, ShapeHash, Velocity, WorldError, WorldSettings};

/// A world of bodies.
///
/// Commands (adding bodies included) take effect at the start of the next [`World::step`]; what is wrong with them is
/// said at once, and nothing is changed then.
pub struct World {
    pub(crate) settings: WorldSettings,
    pub(crate) store: Store,
    pub(crate) commands: Commands,
    /// Contacts of the latest step between bodies of which one was awake, in canonical order.
    pub(crate) contacts: Vec<Contact>,
    /// Contacts of bodies that are asleep, in canonical order.
    pub(crate) resting: Vec<Contact>,
    pub(crate) events: Events,
    pub(crate) frame: u64,
    pub(crate) finder: Box<dyn PairFinder>,
    /// Is the finder the user's own? Then it may fail for reasons of its own.
    pub(crate) finder_is_foreign: bool,
    pub(crate) find_settings: FindSettings,
    pub(crate) contact_filter: Option<ContactFilter>,
    pub(crate) force_law: Option<Arc<dyn ForceLaw>>,
    /// Was a filter or a law set or cleared since the latest step?
    pub(crate) rules_changed: bool,
    /// Shapes that snapshots may name, besides those of bodies.
    pub(crate) shapes: HashMap<ShapeHash, Shape>,
    pub(crate) recorder: Option<Box<Recorder>>,
    pub(crate) scratch: Scratch,
    /// For queries. Whatever changes bodies invalidates it.
    pub(crate) index: Index,
}

/// Says which contacts count: see [`World::set_contact_filter`].
pub(crate) type ContactFilter = Arc<dyn Fn(BodyId, BodyId, &Manifold) -> bool + Send + Sync>;

/// How a world computes. None of it changes a result.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The most threads to use. Default: 1.
    pub threads: usize,
    /// The pair finder, by name: see `jostle finders`. Default: `auto`.
    pub finder: String,
    /// The vector instructions. Default: the widest this machine has.
    pub lanes: Lanes,
}

impl Default for Execution {
    fn default() -> Self {
        Self { threads: 1, finder: "auto".to_string(), lanes: Lanes::best() }
    }
}

/// A body as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Where its origin is.
    pub pose: Pose,
    /// How its centre of mass moves, and how it turns.
    pub velocity: Velocity,
    /// Is it asleep?
    pub asleep: bool,
    /// Did it become something that is no number? It stands still where it was before.
    pub frozen: bool,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("bodies", &self.len())
            .field("frame", &self.frame)
            .finish_non_exhaustive()
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new(WorldSettings::default()).expect("the defaults make sense")
    }
}

impl World {
    /// An empty world that computes on one thread with the finder `auto`.
    pub fn new(settings: WorldSettings) -> Result<Self, WorldError> {
        Self::with_execution(settings, &Execution::default())
    }

    /// An empty world with threads and a finder of choice.
    pub fn with_execution(settings: WorldSettings, execution: &Execution) -> Result<Self, WorldError> {
        let finder = Catalog::builtin().get(&execution.finder)?.make();
        let mut world = Self::with_finder(settings, finder)?;
        world.finder_is_foreign = false;
        world.find_settings.executor = Executor::new(execution.threads)?;
        world.find_settings.lanes = execution.lanes;
        Ok(world)
    }

    /// An empty world with a pair finder of the user's own.
    pub fn with_finder(settings: WorldSettings, finder: Box<dyn PairFinder>) -> Result<Self, WorldError> {
        if let Some((name, value)) = settings.defect() {
            return Err(WorldError::BadSetting { name, value });
        }
        Ok(Self {
            settings,
            store: Store::default(),
            commands: Commands::default(),
            contacts: Vec::new(),
            resting: Vec::new(),
            events: Events::default(),
            frame: 0,
            finder,
            contact_filter: None,
            force_law: None,
            rules_changed: false,
            finder_is_foreign: true,
            find_settings: FindSettings { changes: true, ..FindSettings::default() },
            shapes: HashMap::new(),
            recorder: None,
            scratch: Scratch::default(),
            index: Index::default(),
        })
    }

    /// From the next step on, contacts for which `filter` says no do not exist: they push nobody and are in no event. It is
    /// given the lower id, the higher id and where they touch, and must depend on nothing else that changes: threads
    /// call it in any order. Part of the rules: worlds with different filters have different futures. With the next step
    /// everybody wakes who sleeps, as do all changes of filter and force law: it may be that nothing holds them any more.
    pub fn set_contact_filter(
        &mut self,
        filter: impl Fn(BodyId, BodyId, &Manifold) -> bool + Send + Sync + 'static,
    ) {
        self.contact_filter = Some(Arc::new(filter));
        self.rules_changed = true;
    }

    /// From the next step on, all contacts count.
    pub fn clear_contact_filter(&mut self) {
        self.contact_filter = None;
        self.rules_changed = true;
    }

    /// From the next step on, bodies that touch act on each other by a law of the user's, where it governs. Part of the
    /// rules, like [`World::set_contact_filter`].
    pub fn set_force_law(&mut self, law: impl ForceLaw + 'static) {
        self.force_law = Some(Arc::new(law));
        self.rules_changed = true;
    }

    /// From the next step on, the ordinary response holds everywhere.
    pub fn clear_force_law(&mut self) {
        self.force_law = None;
        self.rules_changed = true;
    }

    /// Computes on at most this many threads from now on. No result changes.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), WorldError> {
        self.find_settings.executor = Executor::new(threads)?;
        Ok(())
    }

    /// The rules.
    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// How many steps were made.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// How many bodies there are, as of the latest step.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Is there no body, as of the latest step?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The boxes of all bodies as the pair finder saw them in the latest step: swept over the frame, by the ids of bodies.
    pub fn boxes(&self) -> &Boxes {
        &self.store.boxes
    }

    /// The ids of all bodies as of the latest step, ascending.
    pub fn ids(&self) -> Vec<BodyId> {
        let mut ids: Vec<_> = self.store.boxes.ids().map(BodyId).collect();
        ids.sort_unstable();
        ids
    }

    /// A body as it is now, or as it will enter with the next step.
    pub fn body(&self, id: BodyId) -> Option<BodyState> {
        if let Some(slot) = self.store.slot_of(id.0) {
            let (motion, rest) = (&self.store.motions[slot], &self.store.rests[slot]);
            return Some(BodyState {
                pose: self.store.pose(slot),
                velocity: motion.velocity,
                asleep: rest.asleep,
                frozen: rest.frozen,
            });
        }
        let body = self.pending(id)?;
        Some(BodyState { pose: body.pose, velocity: body.velocity, asleep: false, frozen: false })
    }

    /// The pose of a body's origin.
    pub fn pose(&self, id: BodyId) -> Option<Pose> {
        self.body(id).map(|body| body.pose)
    }

    /// The velocity of a body.
    pub fn velocity(&self, id: BodyId) -> Option<Velocity> {
        self.body(id).map(|body| body.velocity)
    }

    /// What was said of a body when it was added; pose and velocity are those it started with, or
    /// those of the snapshot it was restored from.
    pub fn description(&self, id: BodyId) -> Option<&Body> {
        match self.store.slot_of(id.0) {
            Some(slot) => Some(&self.store.descriptions[slot]),
            None => self.pending(id).map(|body| &**body),
        }
    }

    /// The user's data of a body.
    pub fn user_data(&self, id: BodyId) -> Option<u64> {
        self.description(id).map(|body| body.user_data)
    }

    /// What happened in the latest step.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// A body that enters with the next step.
    fn pending(&self, id: BodyId) -> Option<&Arc<Body>> {
        self.commands.of(id).find_map(|command| match command {
            Command::Add(body) => Some(body),
            _ => None,
        })
    }
}

/// A manifold between two bodies, as the latest step found it, and what it took to hold it.
#[derive(Clone, Copy, Debug)]
pub struct ContactView<'a> {
    /// The body with the lower id.
    pub first: BodyId,
    /// The body with the higher id.
    pub second: BodyId,
    /// Where they touch; the normal points from the second body to the first.
    pub manifold: &'a Manifold,
    /// Per point: the impulse of the latest substep along the normal and along both tangents, in newton seconds; zero under
    /// a force law of the user's.
    pub impulses: &'a [[f32; 3]],
    /// Did the surfaces meet?
    pub touching: bool,
}

impl ContactView<'_> {
    /// How deep the bodies overlap, in metres; 0 if they do not.
    pub fn depth(&self) -> f32 {
        self.manifold.points().iter().map(|point| -point.separation).fold(0.0, f32::max)
    }
}

impl World {
    /// All manifolds, those of bodies asleep included: first those with a body that moves, then the others, both
    /// ascending by ids.
    pub fn contact_manifolds(&self) -> impl Iterator<Item = ContactView<'_>> + '_ {
        self.contacts.iter().chain(&self.resting).map(|contact| ContactView {
            first: BodyId(contact.key.low),
            second: BodyId(contact.key.high),
            manifold: &contact.manifold,
            impulses: match contact.governed {
                true => &[[0.0; 3]; MOST_POINTS][..contact.manifold.count as usize],
                false => &contact.impulses[..contact.manifold.count as usize],
            },
            touching: contact.touching,
        })
    }
}
