//! Threads: one body for serial and parallel work. Work is cut by the scene, never by the number of threads.

mod bell;
mod placement;
mod share;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bell::Bell;
use placement::Placement;
use thiserror::Error;

/// Where tasks run: on the caller's thread, and where there is a pool, on its threads as well. Clones share the pool.
///
/// On Linux the threads of the pool may be kept off the core of the caller: see [`Executor::new`].
#[derive(Clone, Debug, Default)]
pub struct Executor {
    pool: Option<Arc<Pool>>,
}

#[derive(Debug)]
struct Pool {
    /// They help the caller's thread: one less than there are threads.
    helpers: rayon::ThreadPool,
    /// How many of them nobody has called.
    free: AtomicUsize,
    bell: Arc<Bell>,
    placement: Arc<Placement>,
}

/// A helper that sleeps is called for so many tasks, on average: fewer are done before it comes.
const LEAST_TASKS: usize = 3;

/// Why there is no executor.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExecutorError {
    /// Zero threads cannot do anything.
    #[error("the number of threads must be at least 1")]
    NoThreads,
    /// The system did not give the threads.
    #[error("cannot start {threads} threads: {source}")]
    Start {
        /// How many were asked for.
        threads: usize,
        /// What the thread pool said.
        source: rayon::ThreadPoolBuildError,
    },
}

impl Executor {
    /// For how long threads stay awake unless something else is asked for: a few times what it takes to wake one.
    pub const PATIENCE: Duration = Duration::from_micros(250);

    /// Everything on the caller's thread.
    pub const fn serial() -> Self {
        Self { pool: None }
    }

    /// This one for work that is worth waking other threads, else the caller's thread alone.
    pub(crate) fn if_worth(&self, is_worth: bool) -> &Self {
        const SERIAL: &Executor = &Executor::serial();
        if is_worth { self } else { SERIAL }
    }

    /// This many threads: the caller's own, and others that help it and stay awake for [`Executor::PATIENCE`] then.
    ///
    /// On Linux, where threads of the pool are seen to be woken on the caller's core, so that they wait for it, that
    /// core is taken out of the set of cores they may run on. They get it back when the caller has gone to another core or waits for
    /// them, and when other programs keep them from coming. That set is the one that this thread has now; the
    /// caller itself is left where it is. What a task starts, a thread or a process, inherits the set it finds.
    pub fn new(threads: usize) -> Result<Self, ExecutorError> {
        Self::with_patience(threads, Self::PATIENCE)
    }

    /// As [`Executor::new`], with threads that look out for more work for this long after they have helped before they go to sleep.
    ///
    /// To wake one takes some 40 us, 10 of them the caller's own: much of a frame of 200. Whoever computes frame after frame
    /// may have them stay awake from each to the next. Their cores are busy meanwhile, but anybody else who wants one gets it.
    ///
    /// ```
    /// use std::time::Duration;
    /// use jostle_broad::Executor;
    ///
    /// // The next frame begins within 2 ms.
    /// let executor = Executor::with_patience(2, Duration::from_millis(2))?;
    /// let mut tasks = [1, 2, 3];
    /// executor.for_each(&mut tasks, |_, task| *task *= 2);
    /// assert_eq!(tasks, [2, 4, 6]);
    /// # Ok::<(), jostle_broad::ExecutorError>(())
    /// ```
    pub fn with_patience(threads: usize, patience: Duration) -> Result<Self, ExecutorError> {
        match threads {
            0 => Err(ExecutorError::NoThreads),
            1 => Ok(Self::serial()),
            _ => Pool::new(threads, patience)
                .map(|pool| Self { pool: Some(Arc::new(pool)) })
                .map_err(|source| ExecutorError::Start { threads, source }),
        }
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.helpers.current_num_threads() + 1)
    }

    /// Runs `work` on every task, in any order and on any thread. Each task writes only into itself, so that the order
    /// cannot be seen in the result. Tasks may have tasks: threads that have nothing to do when they begin help with them.
    pub fn for_each<T: Send>(&self, tasks: &mut [T], work: impl Fn(usize, &mut T) + Sync + Send) {
        self.for_each_by_weight(tasks, |_| 1, work);
    }

    /// The same for tasks that take as long as their weights say.
    pub(crate) fn for_each_by_weight<T: Send>(
        &self,
        tasks: &mut [T],
        weight: impl Fn(&T) -> usize,
        work: impl Fn(usize, &mut T) + Sync + Send,
    ) {
        if let Some(pool) = &self.pool
            && tasks.len() > 1
            && let helpers @ 1.. = pool.engage(pool.wanted(tasks.len()))
        {
            pool.share(helpers, tasks, weight, work);
        } else {
            tasks.iter_mut().enumerate().for_each(|(index, task)| work(index, task));
        }
    }

    /// Runs two pieces of work, at the same time where there is a thread for it, or one after the other in any order.
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.pool.is_none() {
            return (a(), b());
        }
        let (mut a, mut b) = (Some(a), Some(b));
        let (mut of_a, mut of_b) = (None, None);
        let mut do_a = || of_a = a.take().map(|a| a());
        let mut do_b = || of_b = b.take().map(|b| b());
        // The caller has the last one.
        let mut both: [&mut (dyn FnMut() + Send); 2] = [&mut do_b, &mut do_a];
        self.for_each(&mut both, |_, work| work());
        (of_a.expect("each is done once"), of_b.expect("each is done once"))
    }
}

impl Pool {
    fn new(threads: usize, patience: Duration) -> Result<Self, rayon::ThreadPoolBuildError> {
        let placement = Arc::new(Placement::new(threads));
        let of_pool = placement.clone();
        let helpers = rayon::ThreadPoolBuilder::new()
            .num_threads(threads - 1)
            .thread_name(|index| format!("jostle-{}", index + 1))
            .start_handler(move |_| of_pool.enter())
            .build()?;
        let free = AtomicUsize::new(helpers.current_num_threads());
        Ok(Self { helpers, free, bell: Arc::new(Bell::new(patience)), placement })
    }

    /// How many helpers so many tasks are worth: those that are awake in any case.
    fn wanted(&self, tasks: usize) -> usize {
        (tasks / LEAST_TASKS).max(self.bell.listening().min(tasks - 1)).max(1)
    }

    /// Engages so many helpers, or as many as nobody else has called: how many that are. Each is to be let go.
    fn engage(&self, wanted: usize) -> usize {
        let engage = |free: usize| Some(free - free.min(wanted));
        let free = self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, engage);
        free.unwrap_or_else(|free| free).min(wanted)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.bell.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_on_any_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            let executor = Executor::new(threads).unwrap();
            for count in [0, 1, 2, 7, 100] {
                let done = |executor: &Executor| {
                    let mut tasks = vec![0; count];
                    executor.for_each(&mut tasks, |index, task| *task += index + 1);
                    tasks
                };
                let expected: Vec<usize> = (1..=count).collect();
                assert_eq!(done(&executor), expected, "{threads} threads");
                // Tasks may have tasks.
                let mut outer = vec![vec![]; 5];
                executor.for_each(&mut outer, |_, tasks| *tasks = done(&executor));
                assert!(outer.iter().all(|tasks| *tasks == expected), "{threads} threads, in tasks");
            }
        }
    }

    fn are_all_free(executor: &Executor) -> bool {
        executor.pool.as_ref().is_none_or(|pool| pool.free.load(Ordering::Relaxed) + 1 == executor.threads())
    }

    #[test]
    fn helpers_come_to_tasks_that_wait_for_each_other() {
        for patience in [Duration::ZERO, Executor::PATIENCE, Duration::from_secs(1)] {
            let executor = Executor::with_patience(2, patience).unwrap();
            for _ in 0..20 {
                let both = std::sync::Barrier::new(2);
                executor.for_each(&mut [(); 2], |_, ()| {
                    both.wait();
                });
                let (a, b) = executor.join(|| both.wait().is_leader(), || both.wait().is_leader());
                assert!(a != b && are_all_free(&executor));
            }
        }
    }

    #[test]
    fn tasks_of_tasks_do_not_wait_for_those_who_stay_awake() {
        let (patience, since) = (Duration::from_secs(10), std::time::Instant::now());
        let executor = Executor::with_patience(5, patience).unwrap();
        let other = Executor::with_patience(3, patience).unwrap();
        let sum = |executor: &Executor, depth: u32| -> u64 {
            fn below(executor: &Executor, other: &Executor, depth: u32) -> u64 {
                if depth == 0 {
                    let mut tasks = [1; 4];
                    other.for_each(&mut tasks, |index, task| *task += index as u64);
                    return tasks.iter().sum();
                }
                let (a, b) =
                    executor.join(|| below(executor, other, depth - 1), || below(executor, other, depth - 1));
                a + b
            }
            below(executor, &other, depth)
        };
        for _ in 0..30 {
            // Several callers, too.
            std::thread::scope(|scope| {
                let sums = [0; 3].map(|_| scope.spawn(|| sum(&executor, 6)));
                assert!(sums.into_iter().all(|sum| sum.join().unwrap() == 10 << 6));
            });
            assert!(are_all_free(&executor) && are_all_free(&other));
        }
        assert!(since.elapsed() < patience, "somebody waited for the end of patience");
    }

    #[test]
    fn a_task_that_panics_is_no_secret_and_harms_no_later_ones() {
        for threads in [1, 2, 8] {
            let executor = Executor::new(threads).unwrap();
            for panicking in [0, 5, 19] {
                let mut tasks = [0; 20];
                let work = |index: usize, task: &mut i32| {
                    assert!(index != panicking, "task {index}");
                    *task += 1;
                };
                let all = std::panic::AssertUnwindSafe(|| executor.for_each(&mut tasks, work));
                assert!(std::panic::catch_unwind(all).is_err(), "{threads} threads");
                assert!(are_all_free(&executor), "{threads} threads");
                let mut tasks = [0; 20];
                executor.for_each(&mut tasks, |_, task| *task += 1);
                assert_eq!(tasks, [1; 20]);
            }
        }
    }
}
