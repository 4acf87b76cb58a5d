//! Memory: what `auto` holds, and what a limit on pairs saves.

use jostle_broad::scene::{BoxStream, StreamKind};
use jostle_broad::{Aabb, Auto, Boxes, Catalog, FindSettings, Moved, PairFinder};

/// The promise: at most 250 bytes per box plus 16 per pair, in every frame, switches and trials included.
#[test]
fn auto_holds_what_it_promises() {
    let settings = FindSettings { changes: true, ..FindSettings::default() };
    for kind in StreamKind::ALL {
        // (boxes, how much larger than in the stream): the second has about 20 pairs per box.
        for (n, scale) in [(20_000, 1.0), (5_000, 2.5)] {
            let mut stream = BoxStream::new(kind, n, 1);
            let grown = |stream: &BoxStream| -> Vec<Aabb> {
                let grow = |aabb: &Aabb| Aabb::from_center(aabb.center(), aabb.extents() * (0.5 * scale));
                stream.boxes().iter().map(grow).collect()
            };
            let mut boxes = Boxes::from_aabbs(&grown(&stream)).unwrap();
            let mut auto = Auto::default();
            for frame in 0..30 {
                let report = auto.update(&boxes, &settings).unwrap();
                let allowed = 250 * n + 16 * report.pairs;
                assert!(
                    report.bytes <= allowed,
                    "{} frame {frame}: {} of {allowed} bytes, {} pairs, {:?}",
                    kind.name(),
                    report.bytes,
                    report.pairs,
                    report.detail
                );
                stream.advance();
                boxes.update(Moved::All, &grown(&stream)).unwrap();
            }
        }
    }
}

/// 4,000 boxes in one place make eight million pairs, 64 MB of them: far more than is held when 1,000 are allowed.
#[test]
fn a_limit_on_pairs_is_a_limit_on_memory() {
    let boxes = Boxes::from_aabbs(&vec![Aabb::EVERYWHERE; 4000]).unwrap();
    for entry in Catalog::builtin().iter() {
        let mut finder = entry.make();
        let limited = FindSettings { pair_limit: Some(1000), ..FindSettings::default() };
        finder.update(&boxes, &limited).unwrap_err();
        assert!(finder.bytes() < 8 << 20, "{} holds {} bytes", entry.name, finder.bytes());
    }
}
