//! The thirty benchmarks are those of the thesis, and verdicts follow from samples.

use super::findings::ABOUT_CONSTANT;
use super::*;
use crate::report::{Finding, Verdict};
use crate::scenes::Location;
use crate::studies::trial;

/// Row 15 of the digest.
#[test]
fn there_are_exactly_the_30_benchmarks_of_the_thesis() {
    let list = benchmarks();
    assert_eq!(list.len(), 30);
    for objects in COUNTS {
        for size in SIZES {
            let benchmark = list.iter().find(|benchmark| benchmark.cell == cell(objects, size)).unwrap();
            let room = &benchmark.room;
            assert_eq!((room.objects, room.size), (objects, Distribution::Constant([f64::from(size)])));
            assert_eq!((room.kind, room.location), (ObjectType::Uniform, Location::Constant));
            assert_eq!(room.acceleration, Distribution::Constant([0.0; 3]));
            assert_eq!(room.linear_velocity, Distribution::Uniform([-25.0; 3], [25.0; 3]));
            assert_eq!(room.angular_velocity, Distribution::Uniform([-2.5; 3], [2.5; 3]));
            assert_eq!((room.mass, room.aspect), (Room::default().mass, Room::default().aspect));
        }
    }
    assert_eq!((COUNTS, SIZES), ([100, 200, 300, 400, 500], [25, 50, 75, 100, 125, 150]));
}

/// Row 15 of the digest, the part that does not depend on the clock. A contest fails where pairs are wrong.
#[test]
fn more_objects_collide_the_larger_they_are_and_number_matters_less() {
    let options = Options { frames: Some(8), ..trial::options() };
    let catalog = crate::finders::catalog();
    let sizes = [25, 75, 150];
    let wanted =
        |name: &str| [100, 300].iter().any(|&objects| sizes.iter().any(|&size| cell(objects, size) == name));
    let results = trial::run_cells(&Collisions, &options, &catalog, wanted);
    let view = View { results: &results };
    for objects in [100, 300] {
        let shares = sizes.map(|size| view.colliding(&cell(objects, size), objects).unwrap());
        assert!(shares[0] < shares[1] && shares[1] < shares[2], "{objects}: {shares:?}");
    }
    // Over the number of objects it differs less than over their size.
    let share = |objects: usize, size: u32| view.colliding(&cell(objects, size), objects).unwrap();
    for size in [75, 150] {
        let (few, many) = (share(100, size), share(300, size));
        let by_number = (few / many).max(many / few);
        assert!(by_number < ABOUT_CONSTANT, "{size} m: {few} and {many}");
        assert!(by_number < share(300, 150) / share(300, 25), "{size} m: {few} and {many}");
    }
    for name in results.cells.keys() {
        let pairs = |finder: &str| results.values(name, finder, "pairs");
        assert_eq!(pairs("all-pairs").len(), 8);
        for finder in ["sap", "tree", crate::finders::AUTO_BY_WORK] {
            assert_eq!(pairs(finder), pairs("all-pairs"), "{name}: {finder}");
        }
    }
}

fn made_up(times: impl Fn(&str, usize, u32) -> f64) -> Vec<Finding> {
    let mut series = Vec::new();
    for (objects, size) in everywhere() {
        for (who, measure) in [
            ("all-pairs", "broad"),
            ("sap", "broad"),
            ("tree", "broad"),
            (WORLD, "colliding"),
            (WORLD, "narrow"),
        ] {
            let who_or_share = if measure == "colliding" { measure } else { who };
            let values = vec![times(who_or_share, objects, size); 3];
            series.push((cell(objects, size), who.to_string(), measure, values));
        }
    }
    findings(&View { results: &trial::made_up(series) })
}

#[test]
fn verdicts_follow_from_the_samples() {
    // Growth as printed, and between it a straight line.
    let grown = |start: f64, by_number: f64, by_size: f64, objects: usize, size: u32| {
        let number = 1.0 + by_number / 100.0 * (objects as f64 - 100.0) / 400.0;
        start * number * (1.0 + by_size / 100.0 * (f64::from(size) - 25.0) / 125.0)
    };
    let thesis = made_up(|who, objects, size| match who {
        "all-pairs" => grown(1.0, 1602.0, 25.0, objects, size),
        "sap" => grown(0.3, 567.0, -8.0, objects, size),
        "tree" => grown(0.4, 519.0, 76.0, objects, size),
        "colliding" => objects as f64 * f64::from(size) / 200.0,
        _ => grown(100.0, 637.0, 538.0, objects, size),
    });
    for finding in &thesis {
        assert_eq!(finding.verdict, Verdict::Agrees, "{}: {}", finding.claim, finding.found);
    }
    assert_eq!(thesis[2].found, "all-pairs +1602 %, sap +567 %, tree +519 %");
    assert_eq!(thesis[3].found, "all-pairs +25 %, sap -8 %, tree +76 %");
    // All finders alike, number and size without effect.
    for finding in made_up(|who, _, _| if who == WORLD { 1.0 } else { 10.0 }) {
        assert_eq!(finding.verdict, Verdict::Differs, "{}: {}", finding.claim, finding.found);
    }
}
