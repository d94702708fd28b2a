//! The queue for the one writer: first come, first served, each wait bounded.
//!
//! A turn is handed to the next in line directly, so that nobody who comes later can take it. The queue also knows
//! which thread used the open transaction last: that thread would wait for itself.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Why a turn was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The calling thread holds the turn.
    HeldByCaller,
    TimedOut,
}

#[derive(Default)]
pub(super) struct Queue {
    line: Mutex<Line>,
    /// The thread that used the open transaction last; 0 when none is open.
    user: AtomicU64,
}

#[derive(Default)]
struct Line {
    taken: bool,
    /// Whose turn it is, until that thread wakes up.
    granted: Option<u64>,
    next_ticket: u64,
    waiting: VecDeque<(u64, Thread)>,
}

impl Queue {
    /// Waits for the turn of the calling thread.
    pub(super) fn acquire(&self, timeout: Duration) -> Result<(), Refused> {
        if self.is_held_by_caller() {
            return Err(Refused::HeldByCaller);
        }
        let deadline = Instant::now() + timeout;
        let mut line = self.lock();
        if line.taken {
            let ticket = line.next_ticket;
            line.next_ticket += 1;
            line.waiting.push_back((ticket, thread::current()));
            while line.granted != Some(ticket) {
                let rest = deadline.saturating_duration_since(Instant::now());
                if rest.is_zero() {
                    line.waiting.retain(|(waiting, _)| *waiting != ticket);
                    return Err(Refused::TimedOut);
                }
                drop(line);
                thread::park_timeout(rest);
                line = self.lock();
            }
            line.granted = None;
        }
        line.taken = true;
        self.note_user();
        Ok(())
    }

    /// Ends the turn and hands it to the next in line.
    pub(super) fn release(&self) {
        self.user.store(0, Ordering::Relaxed);
        let mut line = self.lock();
        match line.waiting.pop_front() {
            Some((ticket, thread)) => {
                line.granted = Some(ticket);
                drop(line);
                thread.unpark();
            }
            None => line.taken = false,
        }
    }

    /// Notes that the calling thread uses the open transaction.
    pub(super) fn note_user(&self) {
        self.user.store(caller(), Ordering::Relaxed);
    }

    /// Returns whether the calling thread used the open transaction last.
    pub(super) fn is_held_by_caller(&self) -> bool {
        // A thread that sees its own number has stored it itself: no ordering is needed.
        self.user.load(Ordering::Relaxed) == caller()
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a number of the calling thread that no other one ever has, from 1.
fn caller() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static CALLER: u64 = NEXT.fetch_add(1, Ordering::Relaxed));
    CALLER.try_with(|caller| *caller).unwrap_or(u64::MAX)
}
