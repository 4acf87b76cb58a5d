//! The levels of a hierarchical grid: how many, and how wide their cells are.

use super::cells::CellMap;
use super::census::Census;
use crate::Aabb;

/// The most levels there are: sizes in the ratio of 1 to 8 million.
const MAX_LEVELS: u32 = 24;
/// The coarsest cells are wider than the largest box by this factor, so that boxes whose sizes tremble in the last bits
/// do not make new levels in every frame.
const SLACK: f32 = 1.0625;
/// Where there are too few levels for all sizes, this many boxes (and one in so many) may be too large for all.
const ALWAYS_LARGE: usize = 16;
const BOXES_PER_LARGE: usize = 4096;
/// ... if without them the largest is so many times smaller.
const WORTH_LEAVING_OUT: f32 = 4.0;
/// Cells of boxes without size: this part of the region they lie in.
const POINT_PART: f32 = 1.0 / 65536.0;

/// How many levels a hierarchical grid has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Levels {
    /// As many as the sizes of the boxes ask for: floor(log2(largest / smallest)) + 1, at most 24. Boxes without size
    /// and infinite boxes do not count.
    #[default]
    ByRule,
    /// So many, between 1 and 24. With one level the grid is uniform, its cells as wide as the largest box.
    Fixed(u32),
}

/// Levels of cells, finest first, each twice as wide as the one before.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    maps: Vec<CellMap>,
    setting: Levels,
    /// The sizes it was made for.
    sizes: Sizes,
}

/// The smallest and the largest size that count.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sizes {
    smallest: f32,
    largest: f32,
}

impl Scale {
    /// The levels for these boxes.
    pub(super) fn new(census: &Census, setting: Levels) -> Self {
        let (sizes, levels) = choose(census, setting);
        let coarsest = sizes.largest * SLACK;
        // Powers of two: exact.
        let size = |level: u32| coarsest / (1u32 << (levels - 1 - level)) as f32;
        Self { maps: (0..levels).map(|level| CellMap::new(size(level))).collect(), setting, sizes }
    }

    /// Do the levels still serve boxes of these sizes? Not if one has outgrown the coarsest cells, if there is a much
    /// smaller one than there was, or if the largest or smallest ones have left.
    pub(super) fn serves(&self, census: &Census, setting: Levels) -> bool {
        let (now, _) = choose(census, setting);
        let Sizes { smallest, largest } = self.sizes;
        setting == self.setting
            && (0.5 * largest..=SLACK * largest).contains(&now.largest)
            && (smallest / SLACK..=2.0 * smallest).contains(&now.smallest)
    }

    /// The grids, finest first.
    pub(super) fn maps(&self) -> &[CellMap] {
        &self.maps
    }

    /// The level a box is at home on: the finest whose cells contain it. `None` if none do.
    ///
    /// The cells the box overlaps have the last word, because a size is rounded and so are cells: a box on a level
    /// reaches over at most two cells per axis there. `SingleCell` relies on that.
    #[inline]
    pub(super) fn home(&self, aabb: &Aabb) -> Option<usize> {
        let size = aabb.longest_side();
        let mut levels = self.maps.iter();
        levels.position(|map| size <= map.size() && map.range(aabb).is_small())
    }
}

fn choose(census: &Census, setting: Levels) -> (Sizes, u32) {
    let Some((smallest, largest)) = census.positive() else {
        // Points, or nothing: any cells will do that are small and not too many.
        let size = census.spread() * POINT_PART;
        let levels = if let Levels::Fixed(levels) = setting { levels.clamp(1, MAX_LEVELS) } else { 1 };
        return (Sizes { smallest: size, largest: size }, levels);
    };
    let by_rule = count_by_rule(smallest, largest);
    let levels = match setting {
        Levels::ByRule => by_rule.min(MAX_LEVELS),
        Levels::Fixed(levels) => levels.clamp(1, MAX_LEVELS),
    };
    let few = census.largest_but(ALWAYS_LARGE + census.finite() / BOXES_PER_LARGE);
    let leave_out = levels < by_rule && few > 0.0 && few * WORTH_LEAVING_OUT < largest;
    let largest = if leave_out { few } else { largest };
    let levels = match setting {
        Levels::ByRule => count_by_rule(smallest, largest).min(MAX_LEVELS),
        Levels::Fixed(_) => levels,
    };
    (Sizes { smallest, largest }, levels)
}

/// floor(log2(largest / smallest)) + 1, without rounding.
fn count_by_rule(smallest: f32, largest: f32) -> u32 {
    let mut levels = 1;
    let mut doubled = 2.0 * f64::from(smallest);
    while doubled <= f64::from(largest) {
        doubled *= 2.0;
        levels += 1;
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Boxes;
    use glam::Vec3;

    fn census(sizes: &[f32]) -> Census {
        let aabbs: Vec<Aabb> =
            sizes.iter().map(|&size| Aabb::new(Vec3::ZERO, Vec3::new(0.0, size, 0.0))).collect();
        let mut census = Census::default();
        census.take(&Boxes::from_aabbs(&aabbs).unwrap());
        census
    }

    #[test]
    fn levels_follow_the_rule() {
        // (sizes, levels)
        let table: [(&[f32], usize); 8] = [
            (&[], 1),
            (&[0.0, 0.0], 1),
            (&[1.0], 1),
            (&[1.0, 1.9], 1),
            (&[1.0, 2.0, 0.0], 2),
            (&[1.0, 100.0, f32::INFINITY], 7),
            (&[0.25, 2.0], 4),
            (&[1e-40, 1e38], 24),
        ];
        for (sizes, levels) in table {
            let scale = Scale::new(&census(sizes), Levels::ByRule);
            assert_eq!(scale.maps().len(), levels, "{sizes:?}");
            assert_eq!(Scale::new(&census(sizes), Levels::Fixed(3)).maps().len(), 3, "{sizes:?}");
        }
        assert_eq!(Scale::new(&census(&[1.0]), Levels::Fixed(0)).maps().len(), 1);
        assert_eq!(Scale::new(&census(&[1.0]), Levels::Fixed(99)).maps().len(), 24);
    }

    #[test]
    fn a_box_is_at_home_on_the_finest_level_that_contains_it() {
        let scale = Scale::new(&census(&[1.0, 8.0]), Levels::ByRule);
        let home = |size: f32| scale.home(&Aabb::new(Vec3::ZERO, Vec3::new(0.0, size, 0.0)));
        assert_eq!([0.0, 1.0, 1.1, 2.2, 8.0].map(home), [Some(0), Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!([9.0, f32::INFINITY].map(home), [None, None]);
    }

    #[test]
    fn trembling_sizes_keep_the_levels_and_new_extremes_do_not() {
        let scale = Scale::new(&census(&[1.0, 8.0]), Levels::ByRule);
        let serves = |sizes: &[f32]| scale.serves(&census(sizes), Levels::ByRule);
        assert!(serves(&[1.0, 8.0]) && serves(&[0.9999, 8.0001]) && serves(&[1.0001, 3.0, 7.9999]));
        assert!(!serves(&[1.0, 9.0]), "a new largest");
        assert!(!serves(&[0.4, 8.0]), "a new smallest");
        assert!(!serves(&[1.0, 2.0]), "the largest left");
        assert!(!serves(&[4.0, 8.0]), "the smallest left");
        assert!(!scale.serves(&census(&[1.0, 8.0]), Levels::Fixed(2)), "another setting");
    }

    #[test]
    fn one_huge_box_does_not_make_the_cells_of_all_others_huge() {
        let mut sizes = vec![1.0; 100];
        sizes.push(1e20);
        for setting in [Levels::ByRule, Levels::Fixed(1)] {
            let scale = Scale::new(&census(&sizes), setting);
            assert!(scale.maps().last().unwrap().size() < 2.0, "{setting:?}");
        }
    }
}
