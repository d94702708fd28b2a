//! The readers: opened on demand, as many kept idle as the machine has cores, at most 64 at a time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::conn::Conn;

/// The most connections that read at once.
pub(super) const MOST_READERS: usize = 64;

pub(super) struct Pool {
    state: Mutex<State>,
    changed: Condvar,
    keep: usize,
}

#[derive(Default)]
struct State {
    #[expect(clippy::vec_box, reason = "a connection is lent and given back by its pointer")]
    idle: Vec<Box<Conn>>,
    /// Idle or lent.
    open: usize,
    waiting: usize,
    paused: bool,
}

/// What a caller gets.
pub(super) enum Slot {
    Idle(Box<Conn>),
    /// The right to open one more; given back by [`Pool::forget`] when that fails.
    Vacant,
}

impl Pool {
    pub(super) fn new() -> Self {
        let keep = thread::available_parallelism().map_or(1, usize::from);
        Self { state: Mutex::default(), changed: Condvar::new(), keep }
    }

    /// Returns a connection or the right to open one; `None` when none came free in time.
    pub(super) fn take(&self, timeout: Duration) -> Option<Slot> {
        let mut state = self.lock();
        let mut deadline = None;
        loop {
            if !state.paused {
                if let Some(conn) = state.idle.pop() {
                    return Some(Slot::Idle(conn));
                }
                if state.open < MOST_READERS {
                    state.open += 1;
                    return Some(Slot::Vacant);
                }
            }
            let now = Instant::now();
            let rest = deadline.get_or_insert(now + timeout).saturating_duration_since(now);
            if rest.is_zero() {
                return None;
            }
            state.waiting += 1;
            state = self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
            state.waiting -= 1;
        }
    }

    /// Takes a connection back, to keep or to close.
    pub(super) fn put(&self, conn: Box<Conn>) {
        let mut state = self.lock();
        if state.idle.len() < self.keep {
            state.idle.push(conn);
            self.wake(state);
        } else {
            state.open -= 1;
            self.wake(state);
            drop(conn);
        }
    }

    /// Notes that a lent connection, or the right to one, is gone.
    pub(super) fn forget(&self) {
        let mut state = self.lock();
        state.open -= 1;
        self.wake(state);
    }

    /// Closes all readers and lends none until [`Pool::resume`], unless one is lent.
    pub(super) fn pause(&self) -> bool {
        let mut state = self.lock();
        if state.open != state.idle.len() {
            return false;
        }
        state.paused = true;
        state.open = 0;
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        drop(idle);
        true
    }

    pub(super) fn resume(&self) {
        let mut state = self.lock();
        state.paused = false;
        drop(state);
        self.changed.notify_all();
    }

    pub(super) fn is_paused(&self) -> bool {
        self.lock().paused
    }

    /// Waking costs a system call, so it is done only when somebody waits.
    fn wake(&self, state: MutexGuard<'_, State>) {
        let waiting = state.waiting > 0;
        drop(state);
        if waiting {
            self.changed.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
