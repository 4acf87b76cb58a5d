//! Threads that stay awake for a while after they have helped.
//!
//! The pool's own threads go to sleep soon, and while they are awake they look for work where those who work put it, and so take from
//! them. Here they look at one number that changes when there is something to do.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Tells those who are awake that there is something to do. In lines of memory of its own (two, as processors fetch them).
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Bell {
    /// How many times it was rung.
    rung: AtomicUsize,
    /// How many threads listen, some of which may be at work.
    listening: AtomicUsize,
    /// Is there no pool any more?
    is_over: AtomicBool,
    patience: Duration,
}

thread_local! {
    /// Does this thread listen, maybe while it does something else in between?
    static LISTENS: Cell<bool> = const { Cell::new(false) };
    /// Does it help somebody?
    static IS_AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// This thread helps somebody until this is dropped. If it waits meanwhile, for tasks of its task, the pool may hand it anything: it does not
/// begin to listen then, as what it waits for would wait for that.
pub(super) struct AtWork {
    was_at_work: bool,
}

impl AtWork {
    pub(super) fn begin() -> Self {
        Self { was_at_work: IS_AT_WORK.replace(true) }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        IS_AT_WORK.set(self.was_at_work);
    }
}

impl Bell {
    pub(super) fn new(patience: Duration) -> Self {
        let [rung, listening] = [0; 2].map(AtomicUsize::new);
        Self { rung, listening, is_over: AtomicBool::new(false), patience }
    }

    /// There is something to do, which has been handed to the pool.
    pub(super) fn ring(&self) {
        self.rung.fetch_add(1, Ordering::Release);
    }

    /// How many threads are awake, or at work: more or less.
    pub(super) fn listening(&self) -> usize {
        self.listening.load(Ordering::Relaxed)
    }

    /// Nobody is to stay awake any more.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Is this thread one that stayed awake?
    pub(super) fn listens() -> bool {
        LISTENS.get()
    }

    /// This thread of the pool will stay awake when it is done with what it does, unless that is part of something else. (The pool may hand the
    /// wish to another thread that is awake, too; then this one goes to sleep.)
    pub(super) fn stay_awake(self: &Arc<Self>) {
        if !self.patience.is_zero() && !LISTENS.get() && !IS_AT_WORK.get() {
            let bell = self.clone();
            rayon::spawn(move || bell.listen());
        }
    }

    /// This thread will not stay awake, though it might listen.
    pub(super) fn go_to_sleep() {
        LISTENS.set(false);
    }

    /// Does what there is to do until there has been nothing for long.
    fn listen(&self) {
        // Another thread's wish may end up here.
        if IS_AT_WORK.get() || LISTENS.replace(true) {
            return;
        }
        self.listening.fetch_add(1, Ordering::Relaxed);
        loop {
            // First what was rung, then what there is: what comes in between is rung anew.
            let rung = self.rung.load(Ordering::Acquire);
            while LISTENS.get() && rayon::yield_now() == Some(rayon::Yield::Executed) {}
            if !LISTENS.get() || !self.is_rung_anew(rung) {
                break;
            }
        }
        self.listening.fetch_sub(1, Ordering::Relaxed);
        LISTENS.set(false);
    }

    /// Waits until it is rung, but not for long. Says whether it was.
    fn is_rung_anew(&self, rung: usize) -> bool {
        let since = Instant::now();
        while !self.is_over.load(Ordering::Relaxed) && since.elapsed() < self.patience {
            for _ in 0..16 {
                if self.rung.load(Ordering::Acquire) != rung {
                    return true;
                }
                std::hint::spin_loop();
            }
            // Whoever waits for this core gets it.
            std::thread::yield_now();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// A pool of one thread, which says when it ends.
    fn pool() -> (rayon::ThreadPool, Receiver<()>) {
        let (ended, has_ended) = channel();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).exit_handler(move |_| {
            let _ = ended.send(());
        });
        (pool.build().unwrap(), has_ended)
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn who_stays_awake_hears_the_bell_and_ends_with_the_pool() {
        let (pool, has_ended) = pool();
        let (hour, soon) = (Duration::from_secs(3600), Duration::from_secs(60));
        let bell = Arc::new(Bell::new(hour));
        pool.install(|| (0..2).for_each(|_| bell.stay_awake()));
        for _ in 0..3 {
            let (said, heard) = channel();
            pool.spawn(move || said.send(Bell::listens()).unwrap());
            bell.ring();
            assert_eq!(heard.recv_timeout(soon), Ok(true));
        }
        bell.end();
        drop(pool);
        assert_eq!(has_ended.recv_timeout(soon), Ok(()));
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn who_is_not_patient_does_not_stay_awake() {
        let (pool, _has_ended) = pool();
        let bell = Arc::new(Bell::new(Duration::ZERO));
        let has_begun = pool.install(|| {
            bell.stay_awake();
            rayon::yield_local() == Some(rayon::Yield::Executed)
        });
        assert!(!has_begun);
    }

    #[test]
    fn who_is_at_work_does_not_begin_to_listen() {
        let (patience, since) = (Duration::from_secs(60), Instant::now());
        let bell = Bell::new(patience);
        let outer = AtWork::begin();
        drop(AtWork::begin());
        bell.listen();
        assert!(since.elapsed() < patience && !Bell::listens());
        drop(outer);
        assert!(!IS_AT_WORK.get());
    }
}
