//! Recording a world while it runs.

use super::{RecordedFrame, Recording};
use crate::{BodyId, Command, World};

/// What a recording holds besides commands and hashes of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingSettings {
    /// Every how many frames the hashes of all bodies are kept, so that a replay can name the body that differs; 0 for
    /// never. Price: four bytes a body. Default: 1, every frame.
    pub body_hashes_every: u32,
}

impl Default for RecordingSettings {
    fn default() -> Self {
        Self { body_hashes_every: 1 }
    }
}

/// A recording under way.
#[derive(Debug)]
pub(crate) struct Recorder {
    settings: RecordingSettings,
    recording: Recording,
}

impl World {
    /// Records from here on: the state as it is, then all steps until [`World::stop_recording`]. Price: a state hash a
    /// step. A recording under way is dropped.
    pub fn start_recording(&mut self) {
        self.start_recording_with(RecordingSettings::default());
    }

    /// The same with other settings.
    pub fn start_recording_with(&mut self, settings: RecordingSettings) {
        let recording = Recording { first: self.snapshot(), frames: Vec::new() };
        self.recorder = Some(Box::new(Recorder { settings, recording }));
    }

    /// Ends the recording and hands it over; `None` if there is none under way.
    pub fn stop_recording(&mut self) -> Option<Recording> {
        self.recorder.take().map(|recorder| recorder.recording)
    }

    /// Is the world being recorded?
    pub fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// The commands of the step to come, if they are to be recorded.
    pub(crate) fn commands_to_record(&self) -> Option<Vec<(BodyId, Command)>> {
        self.recorder.is_some().then(|| self.commands.sorted())
    }

    /// A step went well.
    pub(crate) fn record(&mut self, dt: f32, commands: Option<Vec<(BodyId, Command)>>) {
        let Some(mut recorder) = self.recorder.take() else { return };
        let frames = &mut recorder.recording.frames;
        let every = recorder.settings.body_hashes_every as usize;
        let hashes = self.body_hashes();
        let hash = self.combine_hashes(&hashes);
        let keeps = every != 0 && (frames.len() + 1).is_multiple_of(every);
        let body_hashes = if keeps { lower_halves(&hashes) } else { Vec::new() };
        frames.push(RecordedFrame { dt, commands: commands.unwrap_or_default(), hash, body_hashes });
        self.recorder = Some(recorder);
    }
}

/// What a recording keeps of bodies' hashes.
pub(super) fn lower_halves(hashes: &[u64]) -> Vec<u32> {
    hashes.iter().map(|&hash| hash as u32).collect()
}
