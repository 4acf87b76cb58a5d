//! The twenty-two benchmarks are those of the thesis, and verdicts follow from samples.

use super::findings::{same_set, stands_out, top};
use super::*;
use crate::report::{Finding, Verdict};
use crate::studies::trial;

/// Row 14 of the digest.
#[test]
fn there_are_exactly_the_22_benchmarks_of_the_thesis() {
    let list = benchmarks();
    assert_eq!(list.len(), 22);
    assert_eq!(list[0].room, Room { objects: 100, ..Room::default() });
    let base = Room { objects: 500, ..Room::default() };
    assert_eq!(list[1].room, base, "spheres are the default");
    let expected: [Room; 20] = [
        Room { kind: ObjectType::Cuboids, ..base.clone() },
        Room { kind: ObjectType::Cylinders, ..base.clone() },
        Room { kind: ObjectType::Cones, ..base.clone() },
        Room { kind: ObjectType::Bunnies, ..base.clone() },
        Room { kind: ObjectType::Armadillos, ..base.clone() },
        Room { kind: ObjectType::Uniform, ..base.clone() },
        Room { location: Location::Uniform, ..base.clone() },
        Room { location: Location::Normal, ..base.clone() },
        Room { size: Distribution::Uniform([25.0], [75.0]), ..base.clone() },
        Room { size: Distribution::Normal([50.0], [10.0]), ..base.clone() },
        Room { mass: Distribution::Uniform([10.0], [100.0]), ..base.clone() },
        Room { mass: Distribution::Normal([50.0], [20.0]), ..base.clone() },
        Room { aspect: Distribution::Uniform([0.5, 0.5], [1.5, 1.5]), ..base.clone() },
        Room { aspect: Distribution::Normal([1.0, 1.0], [0.2, 0.2]), ..base.clone() },
        Room { acceleration: Distribution::Uniform([-2.5; 3], [2.5; 3]), ..base.clone() },
        Room { acceleration: Distribution::Normal([0.0; 3], [1.0; 3]), ..base.clone() },
        Room { linear_velocity: Distribution::Uniform([-25.0; 3], [25.0; 3]), ..base.clone() },
        Room { linear_velocity: Distribution::Normal([0.0; 3], [10.0; 3]), ..base.clone() },
        Room { angular_velocity: Distribution::Uniform([-2.5; 3], [2.5; 3]), ..base.clone() },
        Room { angular_velocity: Distribution::Normal([0.0; 3], [1.0; 3]), ..base.clone() },
    ];
    for (benchmark, room) in list[2..].iter().zip(&expected) {
        assert_eq!(benchmark.room, *room, "{}", benchmark.cell);
        assert_ne!(benchmark.room, base, "{}", benchmark.cell);
    }
    let options = trial::options();
    let catalog = crate::finders::catalog();
    let cells = Parameters.cells(&options, &catalog).unwrap();
    assert!(cells.iter().map(|cell| &cell.name).eq(list.iter().map(|benchmark| &benchmark.cell)));
}

#[test]
fn the_largest_and_what_stands_out() {
    let values = [1.0, 5.0, 3.0, 4.0];
    assert_eq!(top(&values, 2), [2, 4]);
    assert!(same_set(&[4, 2], &[2, 4]) && !same_set(&[2], &[2, 4]));
    assert_eq!(stands_out(&values, &[2, 4]), Some(2.25));
    assert_eq!(stands_out(&[0.0; 4], &[2, 4]), None);
}

/// Times that bear out everything the thesis says: a mean and a deviation of each benchmark.
fn as_in_the_thesis(who: &str, number: usize) -> (f64, f64) {
    match (who, number) {
        ("all-pairs", 1) => (1.0, 0.1),
        ("all-pairs", 9 | 10) => (30.0, 1.0),
        ("all-pairs", 18) => (15.0, 5.0),
        ("all-pairs", 11 | 12 | 17 | 19 | 20) => (15.0, 1.0),
        ("all-pairs", 5) => (12.0, 5.0),
        ("all-pairs", _) => (10.0, 1.0),
        ("sap", 1) => (0.9, 0.1),
        ("sap", 8) => (3.0, 0.1),
        ("sap", 2 | 3 | 13..=16 | 21 | 22) => (2.0, 0.5),
        ("sap", _) => (2.0, 0.1),
        ("tree", 1) => (0.95, 0.05),
        ("tree", 8) => (2.5, 0.05),
        ("tree", _) => (2.2, 0.05),
        (_, 6..=8) => (if number == 8 { 0.2 } else { 0.5 }, 0.1),
        _ => (0.1, 0.01),
    }
}

fn made_up(times: impl Fn(&str, usize) -> (f64, f64)) -> Vec<Finding> {
    let list = benchmarks();
    let mut series = Vec::new();
    for (number, benchmark) in (1..).zip(&list) {
        for who in ["all-pairs", "sap", "tree", WORLD] {
            let (middle, deviation) = times(who, number);
            let measure = if who == WORLD { "narrow" } else { "broad" };
            let values = vec![middle - deviation, middle, middle + deviation];
            series.push((benchmark.cell.clone(), who.to_string(), measure, values));
        }
    }
    findings(&View { results: &trial::made_up(series) }, &list)
}

#[test]
fn verdicts_follow_from_the_samples() {
    for finding in made_up(as_in_the_thesis) {
        assert_eq!(finding.verdict, Verdict::Agrees, "{}: {}", finding.claim, finding.found);
    }
    // All finders alike, and the narrow phase slower than any.
    for finding in made_up(|who, _| (if who == WORLD { 20.0 } else { 10.0 }, 1.0)) {
        assert_eq!(finding.verdict, Verdict::Differs, "{}: {}", finding.claim, finding.found);
    }
}
