//! Threads: one body for serial and parallel work. Work is cut by the scene, never by the number of threads.

use std::sync::Arc;

use rayon::prelude::*;
use thiserror::Error;

/// Where tasks run: on the caller's thread, or on a pool of its own. Clones share the pool.
#[derive(Clone, Debug, Default)]
pub struct Executor {
    pool: Option<Arc<rayon::ThreadPool>>,
}

/// Boxes from which on a whole update runs on the threads.
const WORTH_WAKING: usize = 1 << 14;

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
    pub fn serial() -> Self {
        Self { pool: None }
    }

    /// A pool of this many threads; 1 means the caller's own.
    pub fn new(threads: usize) -> Result<Self, ExecutorError> {
        match threads {
            0 => Err(ExecutorError::NoThreads),
            1 => Ok(Self::serial()),
            _ => rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(|index| format!("jostle-{index}"))
                .build()
                .map(|pool| Self { pool: Some(Arc::new(pool)) })
                .map_err(|source| ExecutorError::Start { threads, source }),
        }
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Runs `work` on every task, in any order and on any thread. Each task writes only into itself, so that the order
    /// cannot be seen in the result.
    pub fn for_each<T: Send>(&self, tasks: &mut [T], work: impl Fn(usize, &mut T) + Sync + Send) {
        match &self.pool {
            Some(pool) if tasks.len() > 1 => pool.install(|| {
                tasks.par_iter_mut().enumerate().with_max_len(1).for_each(|(index, task)| work(index, task));
            }),
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

    /// The same for an update of so many boxes; of few, waking the threads would cost more than it saves.
    pub(crate) fn install_for<R: Send>(&self, boxes: usize, work: impl FnOnce() -> R + Send) -> R {
        if boxes < WORTH_WAKING { work() } else { self.install(work) }
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
