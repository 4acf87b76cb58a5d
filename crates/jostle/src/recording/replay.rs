//! Playing a recording again.

use std::ops::ControlFlow;

use super::recorder::lower_halves;
use super::{RecordedFrame, Recording, ReplayError};
use crate::{BodyId, Execution, StateHash, World};

/// What a replay that went well did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplayReport {
    /// How many steps were made.
    pub frames: usize,
    /// The hash of the last state.
    pub last: StateHash,
}

impl Recording {
    /// A world in the recording's first state.
    pub fn first_world(&self, execution: &Execution) -> Result<World, ReplayError> {
        let mut world =
            World::with_execution(*self.first.settings(), execution).map_err(ReplayError::NoWorld)?;
        world.restore(&self.first)?;
        Ok(world)
    }

    /// Plays it again from its first state, and checks that every step leads to the recorded state.
    pub fn replay(&self, execution: &Execution) -> Result<ReplayReport, ReplayError> {
        self.replay_in(&mut self.first_world(execution)?)
    }

    /// The same in a world of the caller's: with the pair finder, contact filter and force law of the one that was
    /// recorded. It is brought into the first state, and ends in the last one that was reached.
    pub fn replay_in(&self, world: &mut World) -> Result<ReplayReport, ReplayError> {
        self.replay_watched(world, |_| ControlFlow::Continue(()))
    }

    /// The same, with a look at the world after every step that led to the recorded state. The look may end the replay
    /// there: the report says how many steps were made.
    pub fn replay_watched(
        &self,
        world: &mut World,
        mut look: impl FnMut(&World) -> ControlFlow<()>,
    ) -> Result<ReplayReport, ReplayError> {
        world.restore(&self.first)?;
        for (index, frame) in self.frames.iter().enumerate() {
            let number = index + 1;
            play(world, frame).map_err(|source| ReplayError::Refused { frame: number, source })?;
            let hashes = world.body_hashes();
            let found = world.combine_hashes(&hashes);
            if found != frame.hash {
                let body = first_difference(world, &lower_halves(&hashes), &frame.body_hashes);
                return Err(ReplayError::Differs { frame: number, body, recorded: frame.hash, found });
            }
            if look(world).is_break() {
                return Ok(ReplayReport { frames: number, last: world.state_hash() });
            }
        }
        Ok(ReplayReport { frames: self.frames.len(), last: world.state_hash() })
    }
}

fn play(world: &mut World, frame: &RecordedFrame) -> Result<(), crate::WorldError> {
    for (id, command) in &frame.commands {
        world.command(*id, command.clone())?;
    }
    world.step(frame.dt).map(|_| ())
}

/// The lowest id of a body whose hash differs. Commands are the same, so that the ids are.
fn first_difference(world: &World, found: &[u32], recorded: &[u32]) -> Option<BodyId> {
    if found.len() != recorded.len() {
        return None;
    }
    let index = found.iter().zip(recorded).position(|(found, recorded)| found != recorded)?;
    world.ids().get(index).copied()
}
