//! What a step falls back on when the pair finder refuses: until then only bodies and commands have changed.

use crate::command::Commands;
use crate::world::store::Store;
use crate::{Command, World};

/// Bodies and commands as they were before a step.
pub(crate) struct Backup {
    store: Store,
    commands: Commands,
}

impl World {
    /// Refuses steps in which more pairs of boxes overlap than this: they return an error and change nothing. `None`, the
    /// default, is no limit. Price of a limit: each step keeps a copy of all bodies until it has found the pairs.
    pub fn set_pair_limit(&mut self, limit: Option<usize>) {
        self.find_settings.pair_limit = limit;
    }

    /// A copy, if this step's search for pairs can fail: there is a limit it may exceed, or the finder is the user's.
    pub(crate) fn back_up(&self) -> Option<Backup> {
        let may_be_too_many = || self.finder.size_limit().is_some_and(|limit| self.most_bodies() > limit);
        let can_fail = self.finder_is_foreign || self.find_settings.pair_limit.is_some() || may_be_too_many();
        can_fail.then(|| Backup { store: self.store.clone(), commands: self.commands.clone() })
    }

    /// Puts everything back.
    pub(crate) fn roll_back(&mut self, backup: Option<Backup>) {
        let Backup { store, commands } = backup.expect("built-in finders refuse only what exceeds a limit");
        // The copy has a history of its own: the finder, which has seen the boxes of the failed step, starts over.
        self.store = store;
        self.commands = commands;
        let scratch = &mut self.scratch;
        scratch.leaving.clear();
        scratch.stirred.clear();
        scratch.frozen.clear();
        scratch.changed_sleep = false;
        scratch.changed_bodies = true;
        scratch.woke = 0;
    }

    /// How many bodies there can be in the next step.
    fn most_bodies(&self) -> usize {
        let adds = self.commands.iter().filter(|(_, command)| matches!(command, Command::Add(_)));
        self.len() + adds.count()
    }
}
