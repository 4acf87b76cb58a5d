//! How large the boxes are and where most of them lie: what cell sizes are chosen from. One pass over the boxes.

use glam::Vec3;

use crate::Boxes;

/// Sizes are counted by exponent and three bits of mantissa: steps of at most an eighth.
const SHIFT: u32 = 20;
const BINS: usize = (f32::INFINITY.to_bits() >> SHIFT) as usize;
/// Boxes whose place is looked at, evenly spaced among the slots.
const SAMPLES: usize = 255;

/// The sizes (longest sides) and the typical place of the boxes of a store.
#[derive(Clone, Debug, Default)]
pub(super) struct Census {
    /// Finite boxes by size; the first bin holds the sizes of zero too.
    bins: Vec<u32>,
    finite: usize,
    /// The smallest and largest size above zero among the finite boxes.
    positive: Option<(f32, f32)>,
    samples: [Vec<f32>; 3],
    center: Vec3,
    spread: f32,
}

impl Census {
    /// Counts the boxes.
    pub(super) fn take(&mut self, boxes: &Boxes) {
        self.bins.clear();
        self.bins.resize(BINS, 0);
        self.finite = 0;
        let (mut smallest, mut largest) = (f32::INFINITY, 0f32);
        for aabb in boxes.aabbs() {
            let size = aabb.longest_side();
            // False for free slots, whose size is a NaN.
            if size < f32::INFINITY {
                self.bins[(size.to_bits() >> SHIFT) as usize] += 1;
                self.finite += 1;
                largest = largest.max(size);
                smallest = if size > 0.0 { smallest.min(size) } else { smallest };
            }
        }
        self.positive = (largest > 0.0).then_some((smallest, largest));
        self.sample(boxes);
    }

    /// How many finite boxes there are.
    pub(super) fn finite(&self) -> usize {
        self.finite
    }

    /// The smallest and the largest size above zero, if any finite box has one.
    pub(super) fn positive(&self) -> Option<(f32, f32)> {
        self.positive
    }

    /// A size that at least this part of the finite boxes does not exceed.
    pub(super) fn quantile(&self, part: f32) -> f32 {
        let above = self.finite as f64 * (1.0 - f64::from(part.clamp(0.0, 1.0)));
        self.largest_but(above as usize)
    }

    /// A size that all finite boxes but `count` do not exceed.
    pub(super) fn largest_but(&self, count: usize) -> f32 {
        let mut above = 0;
        for (bin, &boxes) in self.bins.iter().enumerate().rev() {
            above += boxes as usize;
            if above > count {
                let upper = f32::from_bits((((bin + 1) as u32) << SHIFT) - 1);
                // The bins are wider than they need to be at the ends.
                return self.positive.map_or(0.0, |(_, largest)| upper.min(largest));
            }
        }
        0.0
    }

    /// A point in the midst of the boxes.
    pub(super) fn center(&self) -> Vec3 {
        self.center
    }

    /// How wide the region is in which most boxes lie, along its longest side.
    pub(super) fn spread(&self) -> f32 {
        self.spread
    }

    fn sample(&mut self, boxes: &Boxes) {
        self.samples.iter_mut().for_each(Vec::clear);
        for aabb in boxes.aabbs().iter().step_by(boxes.slots() / SAMPLES + 1) {
            for (axis, sample) in self.samples.iter_mut().enumerate() {
                if aabb.min[axis].is_finite() {
                    sample.push(aabb.min[axis]);
                }
            }
        }
        (self.center, self.spread) = (Vec3::ZERO, 0.0);
        let axes = boxes.settings().dimensions.count();
        for (axis, sample) in self.samples.iter_mut().enumerate().take(axes) {
            if sample.is_empty() {
                continue;
            }
            sample.sort_unstable_by(f32::total_cmp);
            self.center[axis] = sample[sample.len() / 2];
            // The outer tenths are left out: a box that went astray says nothing about the others.
            let (low, high) = (sample[sample.len() / 10], sample[sample.len() - 1 - sample.len() / 10]);
            self.spread = self.spread.max((high - low).min(f32::MAX));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.bins.capacity() + self.samples.iter().map(Vec::capacity).sum::<usize>()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Aabb;

    fn census(sizes: &[f32]) -> Census {
        let aabbs: Vec<Aabb> =
            sizes.iter().map(|&size| Aabb::new(Vec3::ZERO, Vec3::new(size, 0.0, 0.0))).collect();
        let mut census = Census::default();
        census.take(&Boxes::from_aabbs(&aabbs).unwrap());
        census
    }

    #[test]
    fn quantiles_are_upper_bounds_within_an_eighth() {
        let mut sizes: Vec<f32> = (1..=1000).map(|i| i as f32).collect();
        sizes.push(f32::INFINITY);
        let census = census(&sizes);
        assert_eq!(census.positive(), Some((1.0, 1000.0)));
        for part in [0.1, 0.5, 0.9] {
            let quantile = census.quantile(part);
            assert!(quantile >= 1000.0 * part && quantile <= 1130.0 * part, "{part}: {quantile}");
        }
        assert_eq!(census.quantile(1.0), 1000.0);
        assert_eq!(census.largest_but(0), 1000.0);
        assert!(census.largest_but(500) >= 500.0 && census.largest_but(500) < 565.0);
    }

    #[test]
    fn boxes_without_size_have_no_smallest_and_no_largest() {
        for sizes in [&[][..], &[0.0, 0.0], &[f32::INFINITY]] {
            let census = census(sizes);
            assert_eq!(census.positive(), None);
            assert_eq!(census.quantile(0.9), 0.0);
        }
        assert_eq!(census(&[0.0, 1e-45]).positive(), Some((1e-45, 1e-45)));
    }
}
