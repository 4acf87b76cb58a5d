//! When to try repairing again after it cost too much: not in the next frame, then not in the next three, seven,
//! fifteen. A scene that has lost its coherence pays for hopeless attempts in one frame of sixteen at most.

/// How many frames are left out at most.
const MOST: u32 = 15;

/// Counts the frames without an attempt.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patience {
    /// Frames still to be left out.
    left: u32,
    /// Frames left out after the latest failure; 0 after a success.
    length: u32,
}

impl Patience {
    /// Is this frame one to try in? Asking counts the frame.
    pub(super) fn may_try(&mut self) -> bool {
        let may = self.left == 0;
        self.left = self.left.saturating_sub(1);
        may
    }

    /// The attempt succeeded.
    pub(super) fn succeed(&mut self) {
        *self = Self::default();
    }

    /// The attempt cost too much.
    pub(super) fn fail(&mut self) {
        self.length = (2 * self.length + 1).min(MOST);
        self.left = self.length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_space_attempts_out_and_a_success_brings_them_back() {
        let mut patience = Patience::default();
        let mut tried = Vec::new();
        for frame in 0..60 {
            if patience.may_try() {
                tried.push(frame);
                if frame < 50 { patience.fail() } else { patience.succeed() }
            }
        }
        assert_eq!(tried, [0, 2, 6, 14, 30, 46], "one, three, seven, fifteen, fifteen frames apart");
        patience.succeed();
        assert!(patience.may_try() && patience.may_try());
    }
}
