//! `pairs_between`: each box of one store against all of another, as brute force would.

use jostle_broad::scene::{BoxStream, Random, StreamKind};
use jostle_broad::{
    Aabb, Boxes, BoxesSettings, CrossPair, Dimensions, Executor, Filter, FindError, FindSettings,
    pairs_between,
};
use proptest::prelude::*;

fn store(settings: BoxesSettings, aabbs: &[Aabb], first_id: u32, random: &mut Random) -> Boxes {
    let mut boxes = Boxes::new(settings).unwrap();
    for (i, aabb) in aabbs.iter().enumerate() {
        let filter = match random.below(6) {
            0 => Filter::fixed(),
            1 => Filter::sensor(),
            2 => Filter::default().groups(2, 1),
            _ => Filter::default(),
        };
        boxes.insert(first_id + 3 * i as u32, *aabb, filter).unwrap();
    }
    // Some leave free slots behind.
    for i in (0..aabbs.len()).step_by(7) {
        boxes.remove(first_id + 3 * i as u32).unwrap();
    }
    boxes
}

fn brute(first: &Boxes, second: &Boxes) -> Vec<CrossPair> {
    let mut pairs = Vec::new();
    for a in first.live_slots() {
        for b in second.live_slots() {
            let admitted = first.filter_at(a).admits(second.filter_at(b), first.settings().fixed_pairs);
            if first.aabb(a).overlaps(second.aabb(b)) && admitted {
                pairs.push(CrossPair { first: first.id(a), second: second.id(b) });
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn two_sets_agree_with_brute_force(
        kind in prop::sample::select(StreamKind::ALL.to_vec()),
        (n, m) in (0usize..400, 0usize..400),
        seed in 0u64..1000,
        (flat, margin, fixed_pairs) in (any::<bool>(), prop::sample::select(vec![0.0f32, 0.3]), any::<bool>()),
        threads in prop::sample::select(vec![1usize, 2, 5]),
    ) {
        let dimensions = if flat { Dimensions::Two } else { Dimensions::Three };
        let settings = BoxesSettings { dimensions, margin, fixed_pairs };
        let mut random = Random::new(seed);
        let stream = BoxStream::new(kind, n + m, seed);
        let (some, others) = stream.boxes().split_at(n);
        let mut others = others.to_vec();
        if m > 0 {
            others.push(Aabb::EVERYWHERE);
        }
        let first = store(settings, some, 0, &mut random);
        let mut second = store(settings, &others, 1_000_000, &mut random);
        let find = FindSettings { executor: Executor::new(threads).unwrap(), ..FindSettings::default() };
        let expected = brute(&first, &second);
        prop_assert_eq!(&pairs_between(&first, &second, &find).unwrap(), &expected);

        // The other way round it is the same with the sides exchanged.
        let exchange = |pair: &CrossPair| CrossPair { first: pair.second, second: pair.first };
        let mut exchanged: Vec<CrossPair> = expected.iter().map(exchange).collect();
        exchanged.sort_unstable();
        prop_assert_eq!(&pairs_between(&second, &first, &find).unwrap(), &exchanged);

        if let Some(&excluded) = expected.first() {
            second.exclude(excluded.first, excluded.second);
            prop_assert_eq!(&pairs_between(&first, &second, &find).unwrap()[..], &expected[1..]);
            let limited = FindSettings { pair_limit: Some(expected.len() - 1), ..find };
            second.include(excluded.first, excluded.second);
            let refused = FindError::TooManyPairs { limit: expected.len() - 1, need: expected.len() };
            prop_assert_eq!(pairs_between(&first, &second, &limited), Err(refused));
        }
    }
}

#[test]
fn stores_that_disagree_on_what_a_pair_is_are_refused() {
    let flat = BoxesSettings { dimensions: Dimensions::Two, ..BoxesSettings::default() };
    let refused = pairs_between(&Boxes::default(), &Boxes::new(flat).unwrap(), &FindSettings::default());
    assert_eq!(refused, Err(FindError::UnlikeStores));
}
