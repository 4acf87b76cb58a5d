//! Building the whole tree, from the top down.
//!
//! A range of leaves is split where the surface heuristic is lowest among the borders of a few bins along the longest
//! axis of its centers (Wald, 'On fast construction of SAH-based bounding volume hierarchies', 2007). Nodes come out in
//! depth-first order and leaves are renumbered from left to right, so that what is near in space is near in memory.
//! How a range is split depends on nothing but its contents, so that threads cannot be seen in the tree.

use glam::Vec3A;

use super::Tree;
use super::node::{Child, Leaf, Node, Place};
use super::weight::{longest_side, weight};
use crate::{Aabb, Executor};

const BINS: usize = 8;
/// Ranges up to this size are sorted, and every split is weighed: filling bins would cost more.
const SORTED: usize = 8;
/// Ranges from this size on are split up among threads.
const PARALLEL: usize = 4096;
/// Below this depth a range is halved, whatever the heuristic says: a bound for the recursion.
const HALVED_FROM: u32 = 64;
/// A leaf this many times as large as the typical one is hung up after all others, if such leaves are few. In a split
/// by centers it would end up deep in the tree and blow up everything above it.
const OUTLIER: f64 = 32.0;

/// A leaf to be built in.
#[derive(Clone, Copy, Debug)]
struct Item {
    fat: Aabb,
    leaf: u32,
}

/// Memory for building, kept while the tree is rebuilt time and again.
#[derive(Clone, Debug, Default)]
pub(super) struct BuildScratch {
    items: Vec<Item>,
    leaves: Vec<Leaf>,
    order: Vec<u32>,
}

impl BuildScratch {
    pub(super) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<Item>()
            + self.leaves.capacity() * size_of::<Leaf>()
            + self.order.capacity() * size_of::<u32>()
    }

    pub(super) fn take_order(&mut self) -> Vec<u32> {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order
    }

    pub(super) fn give_order(&mut self, order: Vec<u32>) {
        self.order = order;
    }
}

impl Tree {
    /// Builds the tree anew around the fat boxes there are.
    pub fn rebuild(&mut self, executor: &Executor) {
        self.rebuild_with(&[], executor);
    }

    /// Gives back the memory that only building needs.
    pub(super) fn shed(&mut self) {
        self.scratch = BuildScratch::default();
    }

    /// Builds the tree anew, with these leaves that hang nowhere yet and their fat boxes. All leaves are renumbered.
    pub(super) fn rebuild_with(&mut self, added: &[(u32, Aabb)], executor: &Executor) {
        let mut items = std::mem::take(&mut self.scratch.items);
        items.clear();
        items.reserve(self.len());
        for leaf in 0..self.leaves.len() as u32 {
            if self.leaves[leaf as usize].place.is_in_tree() {
                items.push(Item { fat: self.fat_of(leaf), leaf });
            }
        }
        let mut unbounded = std::mem::take(&mut self.unbounded);
        for &(leaf, fat) in added {
            if fat.is_finite() {
                items.push(Item { fat, leaf });
            } else {
                unbounded.push(leaf);
            }
        }
        let typical = typical_side(&items);
        let is_ordinary = |item: &Item| longest_side(&item.fat) <= OUTLIER * typical;
        let mut ordinary = partition(&mut items, is_ordinary);
        if items.len() - ordinary > 8 + items.len() / 64 {
            ordinary = items.len();
        }

        self.nodes.clear();
        self.free_nodes.clear();
        (self.root, self.root_bounds) = (Child::NONE, Aabb::EMPTY);
        let bounds = Bounds::of(&items[..ordinary]);
        self.grain = typical;
        if typical == 0.0 && ordinary > 0 {
            self.grain = longest_side(&bounds.aabb()) / 1024.0;
        }
        let free = Node { bounds: [Aabb::EMPTY; 2], children: [Child::NONE; 2], place: Place::NOWHERE };
        self.nodes.resize(ordinary.saturating_sub(1), free);
        let builder = Builder { grain: self.grain, executor };
        builder.split(&mut items[..ordinary], &mut self.nodes, 0, 0, Place::ROOT, &bounds, 0);
        if ordinary > 0 {
            self.root = if ordinary == 1 { Child::leaf(0) } else { Child::node(0) };
            self.root_bounds = bounds.aabb();
        }

        self.renumber(&items, &unbounded);
        self.built_leaves = self.len();
        for (index, item) in items.iter().enumerate().skip(ordinary) {
            self.attach(index as u32, item.fat);
        }
        self.scratch.items = items;
        self.built_quality = self.quality();
        self.disturbed = 0;
    }

    /// Leaves in the order of the items, then the unbounded ones.
    fn renumber(&mut self, items: &[Item], unbounded: &[u32]) {
        let mut leaves = std::mem::take(&mut self.scratch.leaves);
        leaves.clear();
        leaves.reserve(items.len() + unbounded.len());
        let old = items.iter().map(|item| item.leaf).chain(unbounded.iter().copied());
        leaves.extend(old.map(|leaf| Leaf { place: Place::NOWHERE, ..self.leaves[leaf as usize] }));
        std::mem::swap(&mut self.leaves, &mut leaves);
        self.scratch.leaves = leaves;
        self.free_leaves.clear();
        for (index, leaf) in self.leaves.iter().enumerate() {
            self.table.set(leaf.key, index as u32);
        }
        for (index, node) in self.nodes.iter().enumerate() {
            for side in [0, 1] {
                if node.children[side].is_leaf() {
                    let leaf = node.children[side].index() as usize;
                    self.leaves[leaf].place = Place::under(index as u32, side);
                }
            }
        }
        if self.nodes.is_empty() && self.root != Child::NONE {
            self.leaves[0].place = Place::ROOT;
        }
        for leaf in items.len()..items.len() + unbounded.len() {
            self.leaves[leaf].place = Place::unbounded(self.unbounded.len() as u32);
            self.unbounded.push(leaf as u32);
        }
    }
}

/// The box around a range of items, and the one around their centers. In registers of four: most of the time of a build
/// is spent adding to one.
#[derive(Clone, Copy)]
struct Bounds {
    min: Vec3A,
    max: Vec3A,
    lowest_center: Vec3A,
    highest_center: Vec3A,
}

impl Bounds {
    const EMPTY: Self = Self {
        min: Vec3A::INFINITY,
        max: Vec3A::NEG_INFINITY,
        lowest_center: Vec3A::INFINITY,
        highest_center: Vec3A::NEG_INFINITY,
    };

    fn of(items: &[Item]) -> Self {
        items.iter().fold(Self::EMPTY, |mut bounds, item| {
            bounds.add(&item.fat);
            bounds
        })
    }

    #[inline]
    fn add(&mut self, aabb: &Aabb) {
        let (min, max) = (Vec3A::from(aabb.min), Vec3A::from(aabb.max));
        // The sum as in `Aabb::center`, to the bit.
        let center = min * 0.5 + max * 0.5;
        self.min = self.min.min(min);
        self.max = self.max.max(max);
        self.lowest_center = self.lowest_center.min(center);
        self.highest_center = self.highest_center.max(center);
    }

    #[inline]
    fn join(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            lowest_center: self.lowest_center.min(other.lowest_center),
            highest_center: self.highest_center.max(other.highest_center),
        }
    }

    #[inline]
    fn aabb(&self) -> Aabb {
        Aabb::new(self.min.into(), self.max.into())
    }
}

struct Builder<'a> {
    grain: f64,
    executor: &'a Executor,
}

impl Builder<'_> {
    /// Builds the nodes over a range of at least two items: one less than there are items. `first_node` and
    /// `first_leaf` are the numbers of the first ones in the tree.
    #[allow(clippy::too_many_arguments)]
    fn split(
        &self,
        items: &mut [Item],
        nodes: &mut [Node],
        first_node: u32,
        first_leaf: u32,
        place: Place,
        bounds: &Bounds,
        depth: u32,
    ) {
        if items.len() < 2 {
            return;
        }
        let (middle, halves) = self.choose(items, bounds, depth);
        let (left, right) = items.split_at_mut(middle);
        let (here, below) = nodes.split_first_mut().expect("one node less than items");
        let (below_left, below_right) = below.split_at_mut(middle - 1);
        let child = |count: usize, first_node: u32, first_leaf: u32| {
            if count == 1 { Child::leaf(first_leaf) } else { Child::node(first_node) }
        };
        let right_node = first_node + middle as u32;
        let right_leaf = first_leaf + middle as u32;
        *here = Node {
            bounds: [halves[0].aabb(), halves[1].aabb()],
            children: [
                child(left.len(), first_node + 1, first_leaf),
                child(right.len(), right_node, right_leaf),
            ],
            place,
        };
        let on_the_left = Place::under(first_node, 0);
        let on_the_right = Place::under(first_node, 1);
        let parallel = left.len() + right.len() >= PARALLEL;
        let mut build_left =
            || self.split(left, below_left, first_node + 1, first_leaf, on_the_left, &halves[0], depth + 1);
        let mut build_right =
            || self.split(right, below_right, right_node, right_leaf, on_the_right, &halves[1], depth + 1);
        if parallel {
            self.executor.join(build_left, build_right);
        } else {
            build_left();
            build_right();
        }
    }

    /// Reorders the items, and says how many belong to the left and what is around both halves.
    fn choose(&self, items: &mut [Item], bounds: &Bounds, depth: u32) -> (usize, [Bounds; 2]) {
        if items.len() == 2 {
            return (1, [Bounds::of(&items[..1]), Bounds::of(&items[1..])]);
        }
        let spread = bounds.highest_center - bounds.lowest_center;
        let axis = if spread.x >= spread.y && spread.x >= spread.z {
            0
        } else if spread.y >= spread.z {
            1
        } else {
            2
        };
        if items.len() <= SORTED {
            return self.choose_sorted(items, axis);
        }
        let scale = BINS as f32 / spread[axis];
        if depth < HALVED_FROM && scale.is_finite() && scale > 0.0 {
            let low = bounds.lowest_center[axis];
            let bin_of = |item: &Item| bin(&item.fat, axis, low, scale);
            if let Some((border, halves)) = self.best_border(items, bin_of) {
                return (partition(items, |item| bin_of(item) < border), halves);
            }
        }
        let middle = items.len() / 2;
        items.select_nth_unstable_by(middle, |a, b| along(axis, a, b));
        (middle, [Bounds::of(&items[..middle]), Bounds::of(&items[middle..])])
    }

    /// As [`Self::choose`], for a few items: the lightest of all splits of their order along the axis.
    fn choose_sorted(&self, items: &mut [Item], axis: usize) -> (usize, [Bounds; 2]) {
        items.sort_unstable_by(|a, b| along(axis, a, b));
        let mut right = [Bounds::EMPTY; SORTED];
        let mut sum = Bounds::EMPTY;
        for at in (1..items.len()).rev() {
            sum.add(&items[at].fat);
            right[at] = sum;
        }
        let mut left = Bounds::EMPTY;
        let mut best = (1, [Bounds::EMPTY; 2]);
        let mut best_cost = f64::INFINITY;
        for at in 1..items.len() {
            left.add(&items[at - 1].fat);
            let cost = at as f64 * weight(&left.aabb(), self.grain)
                + (items.len() - at) as f64 * weight(&right[at].aabb(), self.grain);
            if cost < best_cost {
                (best, best_cost) = ((at, [left, right[at]]), cost);
            }
        }
        best
    }

    /// The border between bins at which both halves together are lightest. None if all items are in one bin.
    fn best_border(&self, items: &[Item], bin_of: impl Fn(&Item) -> usize) -> Option<(usize, [Bounds; 2])> {
        let mut counts = [0u32; BINS];
        let mut bins = [Bounds::EMPTY; BINS];
        for item in items {
            let bin = bin_of(item);
            counts[bin] += 1;
            bins[bin].add(&item.fat);
        }
        // right[i]: everything from bin i on.
        let mut right = [Bounds::EMPTY; BINS];
        let mut sum = Bounds::EMPTY;
        for bin in (1..BINS).rev() {
            sum = sum.join(&bins[bin]);
            right[bin] = sum;
        }
        let mut left = Bounds::EMPTY;
        let mut left_count = 0;
        let mut best = None;
        let mut best_cost = f64::INFINITY;
        for border in 1..BINS {
            left = left.join(&bins[border - 1]);
            left_count += counts[border - 1];
            let right_count = items.len() as u32 - left_count;
            if counts[border - 1] == 0 || right_count == 0 {
                continue;
            }
            let cost = f64::from(left_count) * weight(&left.aabb(), self.grain)
                + f64::from(right_count) * weight(&right[border].aabb(), self.grain);
            if cost < best_cost {
                (best, best_cost) = (Some((border, [left, right[border]])), cost);
            }
        }
        best
    }
}

/// The median of the longest sides of up to 1,024 items.
fn typical_side(items: &[Item]) -> f64 {
    let step = items.len() / 1024 + 1;
    let mut sides: Vec<f64> = items.iter().step_by(step).map(|item| longest_side(&item.fat)).collect();
    let middle = sides.len() / 2;
    if sides.is_empty() { 0.0 } else { *sides.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

/// The order of two items by their centers along an axis.
#[inline]
fn along(axis: usize, a: &Item, b: &Item) -> std::cmp::Ordering {
    a.fat.center()[axis].total_cmp(&b.fat.center()[axis]).then(a.leaf.cmp(&b.leaf))
}

#[inline]
fn bin(fat: &Aabb, axis: usize, low: f32, scale: f32) -> usize {
    // The cast saturates: rounding cannot put anything outside the bins.
    (((fat.center()[axis] - low) * scale) as usize).min(BINS - 1)
}

/// Brings the items for which `is_first` holds to the front, and says how many they are.
fn partition(items: &mut [Item], is_first: impl Fn(&Item) -> bool) -> usize {
    // Lomuto's scheme, which moves more but has no branch: on which side an item goes, nobody can predict.
    let mut count = 0;
    for at in 0..items.len() {
        items.swap(at, count);
        count += usize::from(is_first(&items[count]));
    }
    count
}
