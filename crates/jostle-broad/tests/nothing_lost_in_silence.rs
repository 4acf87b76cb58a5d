//! Promise 3, nothing lost in silence: limits are errors that say limit, need and setting, change nothing, and leave
//! the finder usable.

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::verify::true_pairs;
use jostle_broad::{Aabb, Boxes, Catalog, Executor, FindError, FindSettings, Moved};

#[test]
fn running_into_the_pair_limit_changes_nothing_and_can_be_recovered_from() {
    for threads in [1, 3] {
        for entry in Catalog::builtin().iter() {
            let mut stream = BoxStream::new(StreamKind::Brownian, 400, 5);
            let mut boxes = Boxes::from_aabbs(stream.boxes()).unwrap();
            let executor = Executor::new(threads).unwrap();
            let open = FindSettings { changes: true, executor, ..FindSettings::default() };
            let mut finder = entry.make();
            finder.update(&boxes, &open).unwrap();
            let before = true_pairs(&boxes);

            // Twice, with the boxes moving on in between.
            for _ in 0..2 {
                stream.advance();
                boxes.update(Moved::All, stream.boxes()).unwrap();
                let need = true_pairs(&boxes).len();
                let limit = need - 1;
                let closed = FindSettings { pair_limit: Some(limit), ..open.clone() };
                let error = finder.update(&boxes, &closed).unwrap_err();
                assert_eq!(error, FindError::TooManyPairs { limit, need }, "{}", entry.name);
                let message = error.to_string();
                for part in [limit.to_string(), need.to_string(), "pair_limit".to_string()] {
                    assert!(message.contains(&part), "{message}");
                }
                assert_eq!(finder.pairs().as_slice(), before, "{}", entry.name);
            }

            let exact = FindSettings { pair_limit: Some(true_pairs(&boxes).len()), ..open };
            finder.update(&boxes, &exact).unwrap();
            let after = true_pairs(&boxes);
            assert_eq!(finder.pairs().as_slice(), after, "{}", entry.name);
            let added: Vec<_> = after.iter().filter(|pair| !before.contains(pair)).copied().collect();
            let removed: Vec<_> = before.iter().filter(|pair| !after.contains(pair)).copied().collect();
            assert_eq!(finder.pairs().added(), added, "{}", entry.name);
            assert_eq!(finder.pairs().removed(), removed, "{}", entry.name);
        }
    }
}

/// Every two of 1,500 boxes overlap: over a million pairs, all of them reported or the need stated.
#[test]
fn a_flood_of_pairs_is_complete_or_refused() {
    let n = 1_500;
    let boxes = Boxes::from_aabbs(&vec![Aabb::EVERYWHERE; n]).unwrap();
    let need = n * (n - 1) / 2;
    for entry in Catalog::builtin().iter() {
        let mut finder = entry.make();
        let limited = FindSettings { pair_limit: Some(1000), ..FindSettings::default() };
        let refused = finder.update(&boxes, &limited).unwrap_err();
        assert_eq!(refused, FindError::TooManyPairs { limit: 1000, need }, "{}", entry.name);
        finder.update(&boxes, &FindSettings::default()).unwrap();
        assert_eq!(finder.pairs().len(), need, "{}", entry.name);
        assert!(finder.pairs().as_slice().is_sorted(), "{}", entry.name);
    }
}

#[test]
fn quadratic_finders_refuse_what_would_take_too_long() {
    let boxes = Boxes::from_aabbs(&vec![Aabb::new(glam::Vec3::ZERO, glam::Vec3::ZERO); 60_000]).unwrap();
    for entry in Catalog::builtin().iter() {
        let mut finder = entry.make();
        let Some(limit) = finder.size_limit().filter(|&limit| limit < boxes.len()) else { continue };
        let error = finder.update(&boxes, &FindSettings::default()).unwrap_err();
        assert!(matches!(error, FindError::TooManyBoxes { need: 60_000, .. }), "{error}");
        assert!(error.to_string().contains(&limit.to_string()) && error.to_string().contains("size_limit"));
    }
}
