//! What a world is asked to be. Everything here is part of the definition of its results.

use glam::Vec3;

/// The rules of a world. Two worlds with the same settings, state and commands have the same future.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldSettings {
    /// Acceleration of all dynamic bodies, in metres per second squared. Default: 9.81 downwards (-y).
    pub gravity: Vec3,
    /// The contact response.
    pub response: ResponseSettings,
    /// Falling asleep and waking.
    pub sleep: SleepSettings,
    /// No body moves faster than this, in metres a second; clamping is counted in the report. Default: 400.
    pub max_speed: f32,
    /// Contacts are found at least this far ahead of touching, in metres. Price: more contacts. Default: 0.01.
    pub margin: f32,
}

/// How bodies in contact push each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResponseSettings {
    /// Substeps of a frame. The time of the response grows in proportion; piles get stiffer. Default: 12.
    pub substeps: u32,
    /// Stiffness of contacts: their frequency times the length of a substep. Higher: less overlap, less rest.
    /// Default: 0.125, that is 90 Hz at 60 frames a second and 12 substeps.
    pub stiffness: f32,
    /// Damping ratio of contacts. Default: 10.
    pub damping_ratio: f32,
    /// Overlap is taken back no faster than this, in metres a second. Default: 4.
    pub push_out: f32,
    /// Bodies that meet more slowly than this do not bounce, in metres a second. Default: 1.
    pub bounce_speed: f32,
}

/// When bodies fall asleep, and what wakes them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SleepSettings {
    /// May bodies fall asleep? Default: yes.
    pub enabled: bool,
    /// A body is slow while no point of it moves faster than this, in metres a second. Default: 0.1.
    pub slow_speed: f32,
    /// It falls asleep when it and all it touches have been slow for this many seconds; time at a speed between `slow_speed`
    /// and `wake_speed` is taken off again, and any higher speed starts it afresh. Default: 0.5.
    pub after: f32,
    /// A sleeper wakes when a body that touches it exceeds this speed, in metres a second. Default: 0.2.
    pub wake_speed: f32,
}

impl Default for WorldSettings {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            response: ResponseSettings::default(),
            sleep: SleepSettings::default(),
            max_speed: 400.0,
            margin: 0.01,
        }
    }
}

impl Default for ResponseSettings {
    fn default() -> Self {
        Self { substeps: 12, stiffness: 0.125, damping_ratio: 10.0, push_out: 4.0, bounce_speed: 1.0 }
    }
}

impl Default for SleepSettings {
    fn default() -> Self {
        Self { enabled: true, slow_speed: 0.1, after: 0.5, wake_speed: 0.2 }
    }
}

impl WorldSettings {
    /// Names the first setting that makes no sense, if there is one.
    pub(crate) fn defect(&self) -> Option<(&'static str, String)> {
        let positive =
            |name, value: f32| (!(value.is_finite() && value > 0.0)).then(|| (name, value.to_string()));
        let not_negative =
            |name, value: f32| (!(value.is_finite() && value >= 0.0)).then(|| (name, value.to_string()));
        let response = &self.response;
        (!self.gravity.is_finite())
            .then(|| ("gravity", self.gravity.to_string()))
            .or_else(|| positive("max_speed", self.max_speed))
            .or_else(|| not_negative("margin", self.margin))
            .or_else(|| (response.substeps == 0).then(|| ("response.substeps", "0".to_string())))
            .or_else(|| positive("response.stiffness", response.stiffness))
            .or_else(|| positive("response.damping_ratio", response.damping_ratio))
            .or_else(|| positive("response.push_out", response.push_out))
            .or_else(|| not_negative("response.bounce_speed", response.bounce_speed))
            .or_else(|| not_negative("sleep.slow_speed", self.sleep.slow_speed))
            .or_else(|| not_negative("sleep.after", self.sleep.after))
            .or_else(|| not_negative("sleep.wake_speed", self.sleep.wake_speed))
    }
}
