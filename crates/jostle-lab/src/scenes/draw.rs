//! Numbers by chance: constant, uniform or normal, from two generators of one seed.
//!
//! Draws are the same bits on every machine: the only functions beyond arithmetic are a correctly rounded square root and
//! the logarithm of the `libm` crate, which is the same code everywhere.

use jostle_broad::glam::Vec3;
use jostle_broad::scene::Random;

/// A generator for uniform draws and one for normal draws, both of the same seed, as in Woulfe's framework.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    uniform: Random,
    normal: Random,
    /// Normal numbers come in twos.
    spare: Option<f64>,
}

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self { uniform: Random::new(seed), normal: Random::new(seed), spare: None }
    }

    /// A number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        unit(&mut self.uniform)
    }

    /// A number in [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// An index below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.uniform.below(n)
    }

    /// A direction: a vector of length 1.
    pub(crate) fn direction(&mut self) -> Vec3 {
        self.uniform.direction()
    }

    /// A point of the unit cube.
    pub(crate) fn point(&mut self) -> Vec3 {
        self.uniform.vector()
    }

    /// A normal number of mean 0 and standard deviation 1, by Marsaglia's polar method.
    pub(crate) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (x, y) = (2.0 * unit(&mut self.normal) - 1.0, 2.0 * unit(&mut self.normal) - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * libm::log(square) / square).sqrt();
                self.spare = Some(y * factor);
                return x * factor;
            }
        }
    }
}

fn unit(random: &mut Random) -> f64 {
    (random.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// How `N` numbers are spread. What Woulfe calls variance is a standard deviation, and called so here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Distribution<const N: usize> {
    Constant([f64; N]),
    /// From a least to a greatest value.
    Uniform([f64; N], [f64; N]),
    /// A mean and a standard deviation.
    Normal([f64; N], [f64; N]),
}

impl<const N: usize> Distribution<N> {
    /// All `N` numbers spread alike.
    pub(crate) fn constant(value: f64) -> Self {
        Self::Constant([value; N])
    }

    /// All `N` numbers spread alike.
    pub(crate) fn uniform(low: f64, high: f64) -> Self {
        Self::Uniform([low; N], [high; N])
    }

    /// All `N` numbers spread alike.
    pub(crate) fn normal(mean: f64, deviation: f64) -> Self {
        Self::Normal([mean; N], [deviation; N])
    }

    pub(crate) fn draw(&self, draws: &mut Draws) -> [f64; N] {
        std::array::from_fn(|axis| self.draw_one(axis, draws))
    }

    /// Numbers above zero: others are drawn again.
    pub(crate) fn draw_positive(&self, draws: &mut Draws) -> [f64; N] {
        std::array::from_fn(|axis| {
            loop {
                let number = self.draw_one(axis, draws);
                // A size that is not a number above zero in single precision either.
                if number as f32 > 0.0 {
                    return number;
                }
            }
        })
    }

    fn draw_one(&self, axis: usize, draws: &mut Draws) -> f64 {
        match self {
            Self::Constant(value) => value[axis],
            Self::Uniform(low, high) => draws.between(low[axis], high[axis]),
            Self::Normal(mean, deviation) => mean[axis] + deviation[axis] * draws.normal(),
        }
    }
}

impl Distribution<3> {
    pub(crate) fn draw_vector(&self, draws: &mut Draws) -> Vec3 {
        Vec3::from_array(self.draw(draws).map(|number| number as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Summary {
        mean: f64,
        deviation: f64,
        min: f64,
        max: f64,
    }

    fn summary(samples: &[f64]) -> Summary {
        let count = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / count;
        let square = samples.iter().map(|sample| (sample - mean) * (sample - mean)).sum::<f64>() / count;
        let (min, max) = samples.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        Summary { mean, deviation: square.sqrt(), min, max }
    }

    fn sampled<const N: usize>(distribution: Distribution<N>) -> [Summary; N] {
        let mut draws = Draws::new(0xAAAA_AAAA);
        let drawn: Vec<[f64; N]> = (0..100_000).map(|_| distribution.draw(&mut draws)).collect();
        std::array::from_fn(|axis| summary(&drawn.iter().map(|numbers| numbers[axis]).collect::<Vec<_>>()))
    }

    /// Row 4 of the digest: of 100,000 draws.
    #[test]
    fn draws_have_the_mean_the_spread_and_the_bounds_asked_for() {
        let [constant] = sampled(Distribution::<1>::constant(50.0));
        assert_eq!((constant.min, constant.max, constant.deviation), (50.0, 50.0, 0.0));
        let uniform = sampled(Distribution::Uniform([25.0, -25.0], [75.0, 25.0]));
        for (axis, (low, high)) in [(25.0, 75.0), (-25.0, 25.0)].into_iter().enumerate() {
            let found = &uniform[axis];
            assert!((low..low + 0.01).contains(&found.min), "{}", found.min);
            assert!((high - 0.01..high).contains(&found.max), "{}", found.max);
            assert!((found.mean - 0.5 * (low + high)).abs() < 0.2, "{}", found.mean);
            assert!((found.deviation - 50.0 / 12f64.sqrt()).abs() < 0.1, "{}", found.deviation);
        }
        let normal = sampled(Distribution::Normal([50.0, 0.0, -3.0], [10.0, 1.0, 0.0]));
        for (axis, (mean, deviation)) in [(50.0, 10.0), (0.0, 1.0), (-3.0, 0.0)].into_iter().enumerate() {
            let found = &normal[axis];
            assert!((found.mean - mean).abs() <= 0.02 * deviation, "{}", found.mean);
            assert!((found.deviation - deviation).abs() <= 0.02 * deviation, "{}", found.deviation);
            // Of so many, the farthest lies four to six deviations out.
            for far in [found.max - mean, mean - found.min] {
                assert!((3.7 * deviation..=6.0 * deviation).contains(&far), "{far}");
            }
        }
    }

    #[test]
    fn normal_draws_have_the_shape_of_the_bell() {
        let mut draws = Draws::new(1);
        let samples: Vec<f64> = (0..100_000).map(|_| draws.normal()).collect();
        for (reach, share) in [(0.5, 0.382_9), (1.0, 0.682_7), (2.0, 0.954_5), (3.0, 0.997_3)] {
            let within = samples.iter().filter(|sample| sample.abs() < reach).count() as f64 / 1e5;
            assert!((within - share).abs() < 0.005, "{reach}: {within}");
        }
    }

    #[test]
    fn sizes_at_or_below_zero_never_occur() {
        let mut draws = Draws::new(0xAAAA_AAAA);
        let mut again = 0;
        for _ in 0..100_000 {
            let [size] = Distribution::<1>::normal(1.0, 10.0).draw_positive(&mut draws);
            assert!(size > 0.0);
            again += usize::from(Distribution::<1>::normal(1.0, 10.0).draw(&mut draws)[0] <= 0.0);
        }
        assert!(again > 40_000, "the distribution gives such sizes: {again}");
    }

    /// Published numbers hang on the draws: these bits change only with a stated reason, in the changelog.
    #[test]
    fn draws_are_the_same_on_every_machine() {
        let mut draws = Draws::new(0xAAAA_AAAA);
        let sum = (0..1000).fold(0u64, |sum, _| {
            (sum ^ draws.unit().to_bits() ^ draws.normal().to_bits().rotate_left(1))
                .wrapping_mul(0x0000_0100_0000_01B3)
        });
        assert_eq!(format!("{sum:016x}"), "fbc324ebef3c8adf");
    }
}
