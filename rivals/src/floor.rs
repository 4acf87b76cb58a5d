//! A floor under all times: to read this frame's boxes once, each beside a box that was kept, and nothing else. Who wants to
//! know whether boxes have moved by more than a margin does that at least. It finds no pairs, and counts as nobody's rival.

use anyhow::Result;
use jostle_broad::{Aabb, Pair};

use crate::rival::{Contestant, Delivers, Rival};

/// The floor as an entrant.
pub const FLOOR: Rival = Rival {
    name: "floor",
    version: "no library",
    delivers: Delivers::Nothing,
    margin: "does not matter",
    parallel: false,
    size_limit: None,
    make: |boxes, _| Ok(Box::new(Floor { kept: boxes.to_vec(), away: 0 })),
};

struct Floor {
    kept: Vec<Aabb>,
    /// How many groups of boxes have a number that is far from the one kept: what keeps the reading from being left out.
    away: usize,
}

impl Contestant for Floor {
    fn update(&mut self, boxes: &[Aabb], _moved: &[u32]) -> Result<()> {
        self.away = count_away(boxes, &self.kept);
        Ok(())
    }

    fn note(&mut self) {
        std::hint::black_box(self.away);
    }

    fn pairs(&self) -> Vec<Pair> {
        Vec::new()
    }
}

/// So many boxes are looked at together: their numbers fill whole registers of every width.
const TOGETHER: usize = 8;
const MARGIN: f32 = 0.05;

/// In how many groups of boxes is a number farther than the margin from the one kept? In the widest registers there are.
fn count_away(now: &[Aabb], kept: &[Aabb]) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512vl,avx2")]
        fn in_512_bits(now: &[Aabb], kept: &[Aabb]) -> usize {
            count(now, kept)
        }
        #[target_feature(enable = "avx2")]
        fn in_256_bits(now: &[Aabb], kept: &[Aabb]) -> usize {
            count(now, kept)
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the machine has the instructions.
            return unsafe { in_512_bits(now, kept) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has the instructions.
            return unsafe { in_256_bits(now, kept) };
        }
    }
    count(now, kept)
}

#[inline(always)]
fn count(now: &[Aabb], kept: &[Aabb]) -> usize {
    let groups = now.chunks(TOGETHER).zip(kept.chunks(TOGETHER));
    groups.filter(|(now, kept)| are_away(bytemuck::cast_slice(now), bytemuck::cast_slice(kept))).count()
}

#[inline(always)]
fn are_away(now: &[f32], kept: &[f32]) -> bool {
    let is_far = |away: bool, (now, kept): (&f32, &f32)| away | ((now - kept).abs() > MARGIN);
    match (now.first_chunk::<{ 6 * TOGETHER }>(), kept.first_chunk::<{ 6 * TOGETHER }>()) {
        (Some(now), Some(kept)) => now.iter().zip(kept).fold(false, is_far),
        _ => now.iter().zip(kept).fold(false, is_far),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jostle_broad::glam::Vec3;

    #[test]
    fn all_numbers_are_looked_at() {
        let kept: Vec<Aabb> =
            (0..21).map(|i| Aabb::new(Vec3::splat(i as f32), Vec3::splat(i as f32 + 1.0))).collect();
        assert_eq!(count_away(&kept, &kept), 0);
        for number in 0..6 * kept.len() {
            let mut now = kept.clone();
            let numbers: &mut [f32] = bytemuck::cast_slice_mut(&mut now);
            numbers[number] += 0.1;
            assert_eq!(count_away(&now, &kept), 1, "number {number}");
        }
    }
}
