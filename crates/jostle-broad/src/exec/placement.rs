//! Where the threads of a pool run: not on the core of the thread that they help.
//!
//! A thread that is woken may be put on the core of the one that wakes it, though another core is idle, because memory they
//! share is at hand there, or because the system would rather let other cores sleep. It then waits until the caller, which works on
//! the same tasks, is done with all of them. Where that is seen to happen, the caller's core is taken out of the set of cores they may
//! run on; which of the others they run on is up to the system. Nothing is done where that cannot be had, or where there are not as
//! many cores as threads. And where other programs have the other cores, so that nobody comes in time, all cores are allowed again:
//! then the caller's is the one that is free soonest.

use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use system::{Cores, Thread};

/// Where the threads of one pool may run.
#[derive(Debug)]
pub(super) struct Placement {
    threads: Mutex<Threads>,
    /// How many there will be.
    count: usize,
    /// The core they are kept off, plus 1; 0 if none.
    kept_off: AtomicUsize,
    /// Grows whenever one of them is seen on the caller's core, and shrinks when one is seen elsewhere.
    beside: AtomicIsize,
}

/// One seen on the caller's core is worth as much as so many elsewhere.
const SEEN: isize = 4;
/// So much must have been seen before they are kept off it.
const ENOUGH: isize = 4 * SEEN;
/// And so much more after it did no good: to wait for a thread that may not run where the caller was takes some milliseconds.
const RESPITE: isize = 1024 * SEEN;

#[derive(Debug, Default)]
struct Threads {
    list: Vec<Thread>,
    /// The cores they may run on, whoever calls.
    allowed: Option<Cores>,
}

impl Placement {
    pub(super) fn new(count: usize) -> Self {
        Self { threads: Mutex::default(), count, kept_off: AtomicUsize::new(0), beside: AtomicIsize::new(0) }
    }

    /// This thread is one of the pool.
    pub(super) fn enter(&self) {
        let Some((thread, cores)) = system::this_thread() else { return };
        let mut threads = self.threads();
        threads.list.push(thread);
        threads.allowed.get_or_insert(cores);
        if let Some(core) = self.kept_off.load(Ordering::Relaxed).checked_sub(1) {
            self.put(&threads, threads.list.len() - 1, Some(core));
        }
    }

    /// This thread will work beside those of the pool, on the core where it is. Says which one that is.
    pub(super) fn call(&self) -> Option<usize> {
        let core = system::this_core();
        let kept_off = self.kept_off.load(Ordering::Relaxed).checked_sub(1);
        if kept_off.is_some() && kept_off != core {
            // Another caller, or it has gone elsewhere: it is seen anew where they come.
            self.allow_all_cores();
            self.beside.store(0, Ordering::Relaxed);
        } else if kept_off.is_none() && self.beside.load(Ordering::Relaxed) >= ENOUGH {
            self.keep_off(core);
        }
        core
    }

    /// This thread of the pool comes to help one that was on a core when it called, and is awake.
    pub(super) fn come(&self, core_of_caller: Option<usize>) {
        if core_of_caller.is_some() && self.kept_off.load(Ordering::Relaxed) == 0 {
            self.note(self.is_on(core_of_caller));
        }
    }

    /// Is this thread on this core? No, if that is not known.
    pub(super) fn is_on(&self, core: Option<usize>) -> bool {
        core.is_some() && system::this_core() == core
    }

    fn note(&self, is_beside: bool) {
        let beside = self.beside.load(Ordering::Relaxed);
        // Threads that come at the same time may overwrite each other: this is no more than a guess.
        if is_beside {
            self.beside.store(beside + SEEN, Ordering::Relaxed);
        } else if beside > 0 {
            self.beside.store(beside - 1, Ordering::Relaxed);
        }
    }

    /// Nobody came in time.
    pub(super) fn give_up(&self) {
        if self.kept_off.load(Ordering::Relaxed) != 0 {
            self.beside.store(-RESPITE, Ordering::Relaxed);
            self.allow_all_cores();
        }
    }

    /// Nobody is on a core that they are kept off.
    pub(super) fn allow_all_cores(&self) {
        self.keep_off(None);
    }

    fn keep_off(&self, core: Option<usize>) {
        let kept_off = core.map_or(0, |core| core + 1);
        if self.kept_off.load(Ordering::Relaxed) != kept_off {
            let threads = self.threads();
            self.kept_off.store(kept_off, Ordering::Relaxed);
            self.put(&threads, 0, core);
        }
    }

    /// Has those from the `from`th on run on all cores but this one.
    fn put(&self, threads: &Threads, from: usize, core: Option<usize>) {
        if let Some(cores) = threads.allowed.and_then(|allowed| system::without(allowed, core, self.count)) {
            threads.list[from..].iter().for_each(|thread| system::put(*thread, &cores));
        }
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod system {
    use rustix::thread::{self, CpuSet, Pid};

    pub(super) type Thread = Pid;
    pub(super) type Cores = CpuSet;

    pub(super) fn this_thread() -> Option<(Thread, Cores)> {
        Some((thread::gettid(), thread::sched_getaffinity(None).ok()?))
    }

    pub(super) fn this_core() -> Option<usize> {
        Some(thread::sched_getcpu()).filter(|core| *core < CpuSet::MAX_CPU)
    }

    /// These cores but that one, where there are as many cores as threads; all of them if none is to be left out.
    pub(super) fn without(mut cores: Cores, core: Option<usize>, threads: usize) -> Option<Cores> {
        let Some(core) = core else { return Some(cores) };
        let are_enough = cores.count() as usize >= threads.max(2);
        cores.unset(core);
        are_enough.then_some(cores)
    }

    /// A system that refuses leaves threads where they are, which is slower at most.
    pub(super) fn put(thread: Thread, cores: &Cores) {
        let _ = thread::sched_setaffinity(Some(thread), cores);
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod system {
    /// There are none: where threads run is the system's choice alone.
    #[derive(Clone, Copy, Debug)]
    pub(super) enum Thread {}
    pub(super) type Cores = ();

    pub(super) fn this_thread() -> Option<(Thread, Cores)> {
        None
    }

    pub(super) fn this_core() -> Option<usize> {
        None
    }

    pub(super) fn without(_: Cores, _: Option<usize>, _: usize) -> Option<Cores> {
        None
    }

    pub(super) fn put(thread: Thread, _: &Cores) {
        match thread {}
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn cores_of(threads: &[Thread]) -> Vec<Vec<usize>> {
        let cores = |thread: &Thread| {
            let set = rustix::thread::sched_getaffinity(Some(*thread)).unwrap();
            (0..Cores::MAX_CPU).filter(|core| set.is_set(*core)).collect()
        };
        threads.iter().map(cores).collect()
    }

    #[test]
    fn threads_are_kept_off_a_core_also_those_that_come_later_and_no_longer_than_that() {
        let placement = Arc::new(Placement::new(2));
        let (done, wait) = std::sync::mpsc::sync_channel::<()>(0);
        let wait = Arc::new(Mutex::new(wait));
        let start = || {
            let (placement, wait) = (placement.clone(), wait.clone());
            let (entered, has_entered) = std::sync::mpsc::channel();
            let thread = std::thread::spawn(move || {
                placement.enter();
                entered.send(()).unwrap();
                let _ = wait.lock().unwrap().recv();
            });
            has_entered.recv().unwrap();
            thread
        };
        let first = start();
        let list = || placement.threads().list.clone();
        let all = cores_of(&list()).remove(0);
        let core = all[all.len() / 2];
        let others: Vec<usize> = all.iter().copied().filter(|other| *other != core).collect();
        // On a machine of one core nobody can be kept off it.
        let expected = if others.is_empty() { &all } else { &others };
        placement.keep_off(Some(core));
        let second = start();
        assert_eq!(cores_of(&list()), [expected.clone(), expected.clone()]);
        placement.allow_all_cores();
        assert_eq!(cores_of(&list()), [all.clone(), all.clone()]);
        // One that they may not run on anyway.
        placement.keep_off(Some(Cores::MAX_CPU - 1));
        assert_eq!(cores_of(&list()), [all.clone(), all.clone()]);
        drop(done);
        [first, second].into_iter().for_each(|thread| thread.join().unwrap());
    }

    #[test]
    fn more_threads_than_cores_are_left_where_they_are() {
        let placement = Arc::new(Placement::new(Cores::MAX_CPU));
        let of_thread = placement.clone();
        let enter = move || {
            of_thread.enter();
            let before = cores_of(&of_thread.threads().list);
            of_thread.keep_off(Some(before[0][0]));
            assert_eq!(cores_of(&of_thread.threads().list), before);
        };
        std::thread::spawn(enter).join().unwrap();
    }

    #[test]
    fn threads_are_kept_off_when_they_were_seen_there_often_and_not_when_nobody_came() {
        let placement = Placement::new(2);
        let is_kept_off = || placement.kept_off.load(Ordering::Relaxed) != 0;
        let beside = || placement.beside.load(Ordering::Relaxed);
        placement.come(None);
        assert_eq!(beside(), 0);
        placement.come(Some(Cores::MAX_CPU));
        assert_eq!(beside(), 0, "elsewhere");
        (0..3).for_each(|_| placement.note(true));
        placement.come(Some(Cores::MAX_CPU));
        assert_eq!(beside(), 3 * SEEN - 1);
        placement.note(true);
        placement.call();
        assert!(!is_kept_off(), "not yet");
        placement.note(true);
        placement.call();
        assert!(is_kept_off());
        placement.give_up();
        assert!(!is_kept_off() && beside() == -RESPITE);
        placement.give_up();
        placement.call();
        assert!(!is_kept_off());
        placement.keep_off(Some(Cores::MAX_CPU));
        placement.call();
        assert!(!is_kept_off() && beside() == 0, "the caller is somewhere else");
    }
}
