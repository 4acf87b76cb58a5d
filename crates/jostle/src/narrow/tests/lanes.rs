//! Every set of vector instructions gives the same bits as none, whoever shares a register.

use jostle_broad::Lanes;

use super::super::{Batch, SolidPair};
use super::*;
use crate::simd::Solid;

fn solids() -> impl Strategy<Value = Solid> {
    let ball = (poses(1.0), between(0.05, 1.0)).prop_map(|(pose, radius)| Solid::ball(&pose, radius));
    let cuboid = (poses(1.0), halves()).prop_map(|(pose, half)| Solid::cuboid(&pose, half));
    prop_oneof![1 => ball, 3 => cuboid]
}

fn bits(manifolds: &[Manifold]) -> &[u32] {
    bytemuck::cast_slice(manifolds)
}

fn run(lanes: Lanes, solids: &[Solid], pairs: &[SolidPair]) -> Vec<Manifold> {
    // What is there before must not show through.
    let before = Manifold { count: 4, normal: Vec3::ONE, ..Manifold::NONE };
    let mut out = vec![before; pairs.len()];
    Batch::new(lanes).collide(solids, pairs, &mut out);
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn all_lanes_agree(solids in prop::collection::vec(solids(), 2..20), prediction in between(0.0, 0.2)) {
        let mut pairs = Vec::new();
        for first in 0..solids.len() as u32 {
            for second in 0..solids.len() as u32 {
                pairs.push(SolidPair { first, second, prediction });
            }
        }
        let reference = run(Lanes::scalar(), &solids, &pairs);
        for lanes in Lanes::available() {
            let wide = run(lanes, &solids, &pairs);
            prop_assert!(bits(&wide) == bits(&reference), "{lanes}");
            // One alone gets what it gets among others.
            let alone = run(lanes, &solids, &pairs[1..2]);
            prop_assert!(bits(&alone) == bits(&reference[1..2]), "{lanes}");
        }
        for manifold in &reference {
            check_form(manifold, prediction);
        }
    }
}
