//! obvhs: a tree built anew every frame by locally ordered clustering (PLOC), then a box query per leaf.

use anyhow::Result;
use jostle_broad::{Aabb, Pair};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb as ObvhsAabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;
use obvhs::ploc::PlocBuilder;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::rival::{Contestant, Delivers, Rival};

pub(super) const RIVALS: [Rival; 1] = [Rival {
    name: "obvhs",
    version: "obvhs 0.4.0",
    delivers: Delivers::Set,
    margin: "none",
    parallel: true,
    size_limit: None,
    make: |boxes, threads| Ok(Box::new(Obvhs::new(boxes, threads)?)),
}];

/// The preset for trees that live for one frame.
const PRESET: BvhBuildParams = BvhBuildParams::fastest_build();
/// Nodes whose leaves one task looks up.
const TASK: usize = 4096;

struct Obvhs {
    state: State,
    /// Of one thread, too: outside of a pool the builder would take all threads of the machine.
    pool: ThreadPool,
}

struct State {
    builder: PlocBuilder,
    tree: Bvh2,
    leaves: Vec<ObvhsAabb>,
    found: Vec<Vec<Pair>>,
}

impl Obvhs {
    fn new(boxes: &[Aabb], threads: usize) -> Result<Self> {
        let state = State {
            builder: PlocBuilder::with_capacity(boxes.len()),
            tree: Bvh2::zeroed(boxes.len()),
            leaves: Vec::new(),
            found: Vec::new(),
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut made = Self { state, pool };
        made.update(boxes, &[])?;
        Ok(made)
    }
}

impl State {
    fn step(&mut self, boxes: &[Aabb]) {
        self.leaves.clear();
        self.leaves.extend(
            boxes.iter().map(|aabb| ObvhsAabb::new(aabb.min.to_array().into(), aabb.max.to_array().into())),
        );
        let mut indices = std::mem::take(&mut self.tree.primitive_indices);
        indices.clear();
        indices.extend(0..boxes.len() as u32);
        self.builder.build_with_bvh(
            &mut self.tree,
            PRESET.ploc_search_distance,
            &self.leaves,
            indices,
            PRESET.sort_precision,
            PRESET.search_depth_threshold,
        );
        let tree = &self.tree;
        self.found.resize_with(tree.nodes.len().div_ceil(TASK), Vec::new);
        // Leaves in the order of the tree: neighbours ask for the same nodes.
        let tasks = tree.nodes.par_chunks(TASK).zip(&mut self.found);
        tasks.for_each(|(nodes, found)| query(tree, nodes, found));
    }
}

fn query(tree: &Bvh2, nodes: &[Bvh2Node], found: &mut Vec<Pair>) {
    found.clear();
    for node in nodes.iter().filter(|node| node.is_leaf()) {
        let id = tree.primitive_indices[node.first_index as usize];
        tree.aabb_traverse(*node.aabb(), |tree, other| {
            let other = tree.primitive_indices[tree.nodes[other as usize].first_index as usize];
            if other > id {
                found.push(Pair { low: id, high: other });
            }
            true
        });
    }
}

impl Contestant for Obvhs {
    fn update(&mut self, boxes: &[Aabb], _moved: &[u32]) -> Result<()> {
        let state = &mut self.state;
        self.pool.install(|| state.step(boxes));
        Ok(())
    }

    fn pairs(&self) -> Vec<Pair> {
        self.state.found.concat()
    }
}
