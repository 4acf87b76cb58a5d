//! Capacities and rows are those of the thesis; findings follow from what was counted.

use super::*;
use crate::studies::trial;

#[test]
fn capacities_are_less_than_all_objects() {
    assert_eq!(capacities(2_000).collect::<Vec<_>>(), [1024]);
    assert_eq!(contestants(16_000).count(), 8);
    let rows = SIZES.iter().map(|&objects| contestants(objects).count()).sum::<usize>();
    assert_eq!(rows, 20);
    for (objects, capacity, partition, ..) in THESIS {
        assert!(contestants(objects).any(|one| one == (partition, capacity)), "{objects}, {capacity}");
    }
}

#[test]
fn without_an_adapter_it_says_what_is_missing() {
    let (options, catalog) = (trial::options(), crate::finders::catalog());
    let error = Partitioned.cells(&options, &catalog).err().unwrap().to_string();
    assert!(error.contains("002-partitioned") && error.contains("--"), "{error}");
}

#[test]
fn bounds_are_judged_by_what_was_counted() {
    let series = |cells: f64, per_cell: f64| {
        [("cells", cells), ("objects-per-cell", per_cell), ("oversized", 0.0)]
            .map(|(measure, value)| (cell_name(2_000), who(Partition::Tree, 1024), measure, vec![value; 3]))
    };
    let verdict = |cells, per_cell| findings(&trial::made_up(series(cells, per_cell)))[0].verdict;
    assert_eq!(verdict(3.0, 700.0), crate::report::Verdict::Agrees);
    assert_eq!(verdict(1.0, 700.0), crate::report::Verdict::Differs);
    assert_eq!(verdict(2.0, 1025.0), crate::report::Verdict::Differs);
}
