//! What bodies are made of, as contacts see it.

/// Surface and weight of a shape. Two materials meet as follows: friction is the geometric mean of both, restitution the
/// larger of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient, at least 0. Default: 0.6.
    pub friction: f32,
    /// The share of the approaching speed a bounce gives back, 0 to 1. Default: 0.
    pub restitution: f32,
    /// Kilograms a cubic metre, above 0. Default: 1000.
    pub density: f32,
}

impl Default for Material {
    fn default() -> Self {
        Self { friction: 0.6, restitution: 0.0, density: 1000.0 }
    }
}

impl Material {
    /// The same with another friction.
    pub fn with_friction(mut self, friction: f32) -> Self {
        self.friction = friction;
        self
    }

    /// The same with another restitution.
    pub fn with_restitution(mut self, restitution: f32) -> Self {
        self.restitution = restitution;
        self
    }

    /// The same with another density.
    pub fn with_density(mut self, density: f32) -> Self {
        self.density = density;
        self
    }
}
