//! The caller's thread and its helpers do tasks.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Pool;
use super::bell::{AtWork, Bell};

/// So long the caller's thread looks whether its helpers are ready before it goes to sleep.
const PATIENCE: Duration = Duration::from_micros(250);
/// Who has not come so long after there was nothing more to do cannot come: it takes less to be woken.
const LATE: Duration = Duration::from_micros(100);

impl Pool {
    /// The caller's thread begins at once and the helpers, who are engaged and are let go, come. If it went to sleep and left the work to
    /// them, it would wait for one to wake, and they would, more often than not, wake on the same core.
    ///
    /// Each has a share of neighbouring tasks, the same one in every call as far as possible: what a core wrote in the stage
    /// before, or in the frame before, is then in its own cache. Who is done takes what others have left, from the far end. The caller has
    /// the last one: if it has just written what the tasks read, the end of that is at hand where it runs, and would have to be fetched from
    /// there.
    pub(super) fn share<T: Send>(
        &self,
        helpers: usize,
        tasks: &mut [T],
        weight: impl Fn(&T) -> usize,
        work: impl Fn(usize, &mut T) + Sync + Send,
    ) {
        let Self { helpers: pool, free, bell, placement } = self;
        // A helper whose task has tasks is a caller, too; it does not matter where it is.
        let is_outside = pool.current_thread_index().is_none();
        let core = if is_outside { placement.call() } else { None };
        let workers = helpers + 1;
        let ends = ends(tasks, workers, weight);
        let (mut first, mut rest) = (0, tasks);
        let shares: Vec<_> = ends
            .into_iter()
            .map(|end| {
                let indices = std::mem::replace(&mut first, end)..end;
                let share = rest.split_off_mut(..indices.len()).expect("shares end where others begin");
                Share { is_taken: AtomicBool::new(false), tasks: Mutex::new(indices.zip(share)) }
            })
            .collect();
        let help = |preferred: usize| {
            let from = |first: usize| (first..workers).chain(0..first);
            // Another one may prefer the same.
            let is_free = |&worker: &usize| !shares[worker].is_taken.swap(true, Ordering::Relaxed);
            let own = from(preferred).find(is_free).expect("there is a share for each");
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
            let _engaged = Engaged { free, helping: &helping };
            has_one_come.store(true, Ordering::Relaxed);
            // Where the system woke it, if it did.
            if !is_caller_asleep.load(Ordering::Relaxed) && !Bell::listens() {
                placement.come(core);
            }
            let at_work = AtWork::begin();
            help(pool.current_thread_index().map_or(0, |index| index % helpers));
            drop(at_work);
            // Not where the caller would have to wait for this core.
            if placement.is_on(core) {
                Bell::go_to_sleep();
            } else {
                bell.stay_awake();
            }
        };
        pool.in_place_scope(|scope| {
            call(scope, bell, 1, helpers, &help_and_go);
            help(workers - 1);
            // They will be ready soon: sooner than this thread could go to sleep and be woken.
            let done = Instant::now();
            while helping.load(Ordering::Acquire) > 0 {
                let waited = done.elapsed();
                if is_outside && waited > LATE && !has_one_come.load(Ordering::Relaxed) {
                    placement.give_up();
                }
                if waited > PATIENCE {
                    // Whoever waits for a core can have this one.
                    is_caller_asleep.store(true, Ordering::Relaxed);
                    if is_outside {
                        placement.allow_all_cores();
                    }
                    break;
                }
                if !is_outside {
                    // What was handed to a helper who has not come is here, in the queue of this thread.
                    rayon::yield_local();
                }
                (0..32).for_each(|_| std::hint::spin_loop());
                std::thread::yield_now();
            }
        });
    }
}

/// Where shares of the same weight end, very nearly. The last one ends with the tasks.
fn ends<T>(tasks: &[T], shares: usize, weight: impl Fn(&T) -> usize) -> Vec<usize> {
    let total: usize = tasks.iter().map(&weight).sum();
    let (mut end, mut before) = (0, 0);
    let up_to = |most: usize| {
        while let Some(task) = tasks.get(end)
            && before + weight(task) <= most
        {
            before += weight(task);
            end += 1;
        }
        end
    };
    // In two steps, as the product might be too large.
    let part = |share: usize| total / shares * share + total % shares * share / shares;
    (1..shares).map(part).map(up_to).chain([tasks.len()]).collect()
}

/// A helper at work. It is let go even if a task panics, and before the caller hears of it, who may call it anew at once.
struct Engaged<'a> {
    free: &'a AtomicUsize,
    helping: &'a AtomicUsize,
}

impl Drop for Engaged<'_> {
    fn drop(&mut self) {
        self.free.fetch_add(1, Ordering::Relaxed);
        self.helping.fetch_sub(1, Ordering::Release);
    }
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
    bell: &'scope Bell,
    number: usize,
    helpers: usize,
    help: &'scope (impl Fn() + Sync),
) {
    if number <= helpers {
        scope.spawn(move |scope| {
            call(scope, bell, 2 * number, helpers, help);
            call(scope, bell, 2 * number + 1, helpers, help);
            help();
        });
        bell.ring();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_weigh_the_same_as_far_as_tasks_can() {
        let equal = |count: usize, shares: usize| ends(&vec![(); count], shares, |()| 1);
        assert_eq!(equal(10, 2), [5, 10]);
        assert_eq!(equal(10, 3), [3, 6, 10]);
        assert_eq!(equal(2, 3), [0, 1, 2]);
        let weighed = |weights: &[usize], shares: usize| ends(weights, shares, |weight| *weight);
        assert_eq!(weighed(&[1, 1, 1, 1, 4], 2), [4, 5]);
        assert_eq!(weighed(&[4, 1, 1, 1, 1], 2), [1, 5]);
        assert_eq!(weighed(&[0, 9, 0], 2), [1, 3], "one is too heavy");
        assert_eq!(weighed(&[usize::MAX / 2, usize::MAX / 2], 2), [1, 2], "very heavy ones");
        assert_eq!(weighed(&[0, 0, 0], 2), [3, 3], "nothing to do");
    }
}
