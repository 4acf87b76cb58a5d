//! Threads: one body for serial and parallel work. Work is cut by the scene, never by the number of threads.

mod placement;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use placement::Placement;
use rayon::prelude::*;
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
    threads: rayon::ThreadPool,
    placement: Arc<Placement>,
}

/// A helper is woken for so many tasks, on average: fewer are done before it comes.
const LEAST_TASKS: usize = 3;
/// So long the caller's thread looks whether its helpers are ready before it goes to sleep.
const PATIENCE: Duration = Duration::from_micros(250);
/// Who has not come so long after there was nothing more to do cannot come: it takes less to be woken.
const LATE: Duration = Duration::from_micros(100);

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
    /// Everything on the caller's thread.
    pub const fn serial() -> Self {
        Self { pool: None }
    }

    /// This one for work that is worth waking other threads, else the caller's thread alone.
    pub(crate) fn if_worth(&self, is_worth: bool) -> &Self {
        const SERIAL: &Executor = &Executor::serial();
        if is_worth { self } else { SERIAL }
    }

    /// A pool of this many threads; 1 means the caller's own.
    ///
    /// The caller works, too. On Linux, where threads of the pool are seen to be woken on the caller's core, so that they wait for it, that
    /// core is taken out of the set of cores they may run on. They get it back when the caller has gone to another core, waits for them,
    /// or calls [`Executor::install`], and when other programs keep them from coming. That set is the one that this thread has now; the
    /// caller itself is left where it is. What a task starts, a thread or a process, inherits the set it finds.
    pub fn new(threads: usize) -> Result<Self, ExecutorError> {
        match threads {
            0 => Err(ExecutorError::NoThreads),
            1 => Ok(Self::serial()),
            _ => Pool::new(threads)
                .map(|pool| Self { pool: Some(Arc::new(pool)) })
                .map_err(|source| ExecutorError::Start { threads, source }),
        }
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.threads.current_num_threads())
    }

    /// Runs `work` on every task, in any order and on any thread. Each task writes only into itself, so that the order
    /// cannot be seen in the result.
    pub fn for_each<T: Send>(&self, tasks: &mut [T], work: impl Fn(usize, &mut T) + Sync + Send) {
        match &self.pool {
            Some(pool) if tasks.len() > 1 && pool.is_here() => {
                tasks.par_iter_mut().enumerate().with_max_len(1).for_each(|(index, task)| work(index, task));
            }
            Some(pool) if tasks.len() > 1 => share(pool, tasks, work),
            _ => tasks.iter_mut().enumerate().for_each(|(index, task)| work(index, task)),
        }
    }

    /// Runs `work` on one of the threads that [`Executor::for_each`] uses, so that many calls of that inside it need not wake
    /// the threads each time.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Runs two pieces of work, at the same time where there are threads for it.
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match &self.pool {
            Some(pool) => pool.install(|| rayon::join(a, b)),
            None => (a(), b()),
        }
    }
}

impl Pool {
    fn new(threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let placement = Arc::new(Placement::new(threads));
        let of_pool = placement.clone();
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("jostle-{index}"))
            .start_handler(move |_| of_pool.enter())
            .build()?;
        Ok(Self { threads, placement })
    }

    /// Is this one of its threads?
    fn is_here(&self) -> bool {
        self.threads.current_thread_index().is_some()
    }

    /// Runs `work` on one of its threads; the caller's waits.
    fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        if !self.is_here() {
            self.placement.allow_all_cores();
        }
        self.threads.install(work)
    }
}

/// The caller's thread begins at once and the others come to help. If it went to sleep and left the work to them, it would
/// wait for one to wake, and they would, more often than not, wake on the same core.
///
/// Each has a share of neighbouring tasks, the same one in every call as far as possible: what a core wrote in the stage
/// before, or in the frame before, is then in its own cache. Who is done takes what others have left, from the far end. The caller has the
/// last one: if it has just written what the tasks read, the end of that is at hand where it runs, and would have to be fetched from there.
fn share<T: Send>(pool: &Pool, tasks: &mut [T], work: impl Fn(usize, &mut T) + Sync + Send) {
    let Pool { threads: pool, placement } = pool;
    let core = placement.call();
    let helpers = (pool.current_num_threads() - 1).min((tasks.len() / LEAST_TASKS).max(1));
    let workers = helpers + 1;
    let (len, mut rest) = (tasks.len(), tasks);
    let shares: Vec<_> = (0..workers)
        .map(|worker| {
            let indices = len * worker / workers..len * (worker + 1) / workers;
            let share = rest.split_off_mut(..indices.len()).expect("all shares together are all tasks");
            Share { is_taken: AtomicBool::new(false), tasks: Mutex::new(indices.zip(share)) }
        })
        .collect();
    let help = |preferred: usize| {
        let from = |first: usize| (first..workers).chain(0..first);
        // Another one may prefer the same.
        let is_free = |&worker: &usize| !shares[worker].is_taken.swap(true, Ordering::Relaxed);
        let own = from(preferred).find(is_free).unwrap_or(preferred);
        for worker in from(own) {
            let next = || {
                let mut tasks = shares[worker].tasks.lock().unwrap_or_else(PoisonError::into_inner);
                if worker == own { tasks.next() } else { tasks.next_back() }
            };
            while let Some((index, task)) = next() {
                work(index, task);
            }
        }
    };
    let helping = AtomicUsize::new(helpers);
    let [has_one_come, is_caller_asleep] = [false; 2].map(AtomicBool::new);
    let help_and_go = || {
        has_one_come.store(true, Ordering::Relaxed);
        if !is_caller_asleep.load(Ordering::Relaxed) {
            placement.come(core);
        }
        help(pool.current_thread_index().map_or(0, |index| index % helpers));
        helping.fetch_sub(1, Ordering::Release);
    };
    pool.in_place_scope(|scope| {
        call(scope, 1, helpers, &help_and_go);
        help(workers - 1);
        // They will be ready soon: sooner than this thread could go to sleep and be woken.
        let done = Instant::now();
        while helping.load(Ordering::Acquire) > 0 {
            let waited = done.elapsed();
            if waited > LATE && !has_one_come.load(Ordering::Relaxed) {
                placement.give_up();
            }
            if waited > PATIENCE {
                // Whoever waits for a core can have this one.
                is_caller_asleep.store(true, Ordering::Relaxed);
                placement.allow_all_cores();
                break;
            }
            (0..32).for_each(|_| std::hint::spin_loop());
            std::thread::yield_now();
        }
    });
}

/// Neighbouring tasks, and whether one of the threads has begun with them. In lines of memory of its own (two, as processors
/// fetch them): each is written to by another thread.
#[repr(align(128))]
struct Share<T> {
    is_taken: AtomicBool,
    tasks: Mutex<T>,
}

/// Wakes a helper, who wakes two more before it begins.
fn call<'scope>(
    scope: &rayon::Scope<'scope>,
    number: usize,
    helpers: usize,
    help: &'scope (impl Fn() + Sync),
) {
    if number <= helpers {
        scope.spawn(move |scope| {
            call(scope, 2 * number, helpers, help);
            call(scope, 2 * number + 1, helpers, help);
            help();
        });
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
                assert_eq!(
                    executor.install(|| done(&executor)),
                    expected,
                    "{threads} threads, on one of them"
                );
                // Tasks may have tasks.
                let mut outer = vec![vec![]; 5];
                executor.for_each(&mut outer, |_, tasks| *tasks = done(&executor));
                assert!(outer.iter().all(|tasks| *tasks == expected), "{threads} threads, in tasks");
            }
        }
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
                let mut tasks = [0; 20];
                executor.for_each(&mut tasks, |_, task| *task += 1);
                assert_eq!(tasks, [1; 20]);
            }
        }
    }
}
