//! A world's settings as a list of words: for the hash, for snapshots, and to name the first one that differs.

use glam::Vec3;

use crate::{ResponseSettings, SleepSettings, WorldSettings};

/// How many words.
pub(super) const WORDS: usize = 14;

/// What each word is called in errors.
const NAMES: [&str; WORDS] = [
    "gravity",
    "gravity",
    "gravity",
    "max_speed",
    "margin",
    "response.substeps",
    "response.stiffness",
    "response.damping_ratio",
    "response.push_out",
    "response.bounce_speed",
    "sleep.enabled",
    "sleep.slow_speed",
    "sleep.after",
    "sleep.wake_speed",
];

/// Every setting, as bits.
pub(super) fn to_words(settings: &WorldSettings) -> [u32; WORDS] {
    // Without `..`: a setting that is added must be added here, or this does not compile.
    let WorldSettings { gravity, response, sleep, max_speed, margin } = *settings;
    let ResponseSettings { substeps, stiffness, damping_ratio, push_out, bounce_speed } = response;
    let SleepSettings { enabled, slow_speed, after, wake_speed } = sleep;
    let [x, y, z] = gravity.to_array().map(f32::to_bits);
    let [max_speed, margin] = [max_speed, margin].map(f32::to_bits);
    let [stiffness, damping_ratio] = [stiffness, damping_ratio].map(f32::to_bits);
    let [push_out, bounce_speed] = [push_out, bounce_speed].map(f32::to_bits);
    let [slow_speed, after, wake_speed] = [slow_speed, after, wake_speed].map(f32::to_bits);
    [
        x,
        y,
        z,
        max_speed,
        margin,
        substeps,
        stiffness,
        damping_ratio,
        push_out,
        bounce_speed,
        u32::from(enabled),
        slow_speed,
        after,
        wake_speed,
    ]
}

/// The settings of words, if they make sense.
pub(super) fn from_words(words: [u32; WORDS]) -> Option<WorldSettings> {
    let float = |at: usize| f32::from_bits(words[at]);
    let settings = WorldSettings {
        gravity: Vec3::new(float(0), float(1), float(2)),
        max_speed: float(3),
        margin: float(4),
        response: ResponseSettings {
            substeps: words[5],
            stiffness: float(6),
            damping_ratio: float(7),
            push_out: float(8),
            bounce_speed: float(9),
        },
        sleep: SleepSettings {
            enabled: words[10] != 0,
            slow_speed: float(11),
            after: float(12),
            wake_speed: float(13),
        },
    };
    (words[10] <= 1 && settings.defect().is_none()).then_some(settings)
}

/// The first setting that differs.
pub(super) fn first_difference(a: &WorldSettings, b: &WorldSettings) -> Option<&'static str> {
    let (a, b) = (to_words(a), to_words(b));
    (0..WORDS).find(|&at| a[at] != b[at]).map(|at| NAMES[at])
}
