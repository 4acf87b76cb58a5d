//! The streams, frame after frame, with up to 2,000 boxes.

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{Aabb, Boxes, Filter, Moved};
use proptest::prelude::*;

use crate::{Panel, cases, check_cold, settings};

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(10), ..ProptestConfig::default() })]

    #[test]
    fn every_finder_agrees_with_brute_force_on_streams(
        kind in prop::sample::select(StreamKind::ALL.to_vec()),
        n in 0usize..=2000,
        seed in 0u64..1000,
        with_ground in any::<bool>(),
    ) {
        let settings = settings();
        let mut stream = BoxStream::new(kind, n, seed);
        let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
        if with_ground {
            let mut ground = Aabb::EVERYWHERE;
            ground.max.y = 1.0;
            boxes.insert(u32::MAX, ground, Filter::fixed()).unwrap();
        }
        let mut panel = Panel::new(&settings);
        for _frame in 0..4 {
            panel.check(&boxes).map_err(TestCaseError::fail)?;
            stream.advance();
            boxes.update(Moved::Ids(stream.moved()), stream.boxes()).unwrap();
        }
        check_cold(&boxes, &settings).map_err(TestCaseError::fail)?;
    }
}
