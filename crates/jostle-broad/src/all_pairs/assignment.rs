//! Which rows of the triangle of tests a thread takes.

/// The rows of one thread out of several: p, 2P-1-p, 2P+p, 4P-1-p, ...
#[derive(Clone, Debug)]
pub struct ZigZag {
    next: usize,
    threads: usize,
    rows: usize,
}

impl ZigZag {
    /// The rows below `rows` that thread `thread` of `threads` takes.
    pub fn new(thread: usize, threads: usize, rows: usize) -> Self {
        assert!(thread < threads, "thread {thread} of {threads}");
        Self { next: thread, threads, rows }
    }
}

impl Iterator for ZigZag {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let row = self.next;
        self.next += 2 * self.threads - 1 - 2 * (row % self.threads);
        (row < self.rows).then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figure 4.7 of the source: nine objects on three processors, 13, 12 and 11 tests.
    #[test]
    fn balanced_assignment_of_the_source() {
        let tests = |p| -> usize { ZigZag::new(p, 3, 9).map(|row| 8 - row).sum() };
        assert_eq!([tests(0), tests(1), tests(2)], [13, 12, 11]);
    }

    #[test]
    fn every_row_is_taken_once_and_loads_differ_by_less_than_a_row() {
        for (threads, rows) in [(1, 10), (2, 1000), (5, 777), (7, 3)] {
            let mut taken: Vec<usize> = (0..threads).flat_map(|p| ZigZag::new(p, threads, rows)).collect();
            taken.sort_unstable();
            assert!(taken.into_iter().eq(0..rows));
            let loads =
                (0..threads).map(|p| ZigZag::new(p, threads, rows).map(|row| rows - 1 - row).sum::<usize>());
            let loads: Vec<usize> = loads.collect();
            let spread = loads.iter().max().unwrap() - loads.iter().min().unwrap();
            assert!(spread < rows.max(1), "{loads:?}");
        }
    }
}
