//! Times, taken around an operation alone.

use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

use crate::{Created, Ran};

/// How long before the moment a copy stops sleeping and starts to look at the clock.
const SPIN: Duration = Duration::from_millis(2);

/// The times of the repetitions of an operation.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    ns: Vec<u64>,
    cpu_ns: u64,
}

impl Clock {
    /// Makes a clock without times.
    pub fn new() -> Self {
        Self::default()
    }

    /// Does `work` and notes how long it took.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let cpu = processor_ns();
        let start = Instant::now();
        let result = work();
        let time = start.elapsed();
        self.cpu_ns += processor_ns().saturating_sub(cpu);
        self.ns.push(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        result
    }

    /// Returns the reply of an operation that returned `answer`.
    pub fn ran(self, answer: impl Into<Value>) -> Ran {
        Ran { ns: self.ns, cpu_ns: Some(self.cpu_ns), answer: answer.into(), ..Ran::default() }
    }

    /// Returns the reply of a creation, after which there are `count` indexes.
    pub fn created(self, count: u64) -> Created {
        Created { ns: self.ns, answer: count }
    }
}

/// An operation that is done several times.
#[derive(Clone, Debug)]
pub struct Times {
    repeat: usize,
    clock: Clock,
}

impl Times {
    /// Does it `repeat` times, at least once.
    pub fn new(repeat: usize) -> Self {
        Self { repeat, clock: Clock::new() }
    }

    /// Does `work`, until it fails.
    pub fn of<T, E>(mut self, mut work: impl FnMut() -> Result<T, E>) -> Result<Timed<T>, E> {
        let mut last = self.clock.time(&mut work)?;
        for _ in 1..self.repeat {
            last = self.clock.time(&mut work)?;
        }
        Ok(Timed { last, clock: self.clock })
    }
}

/// What the last repetition returned, and the times of all.
#[derive(Clone, Debug)]
pub struct Timed<T> {
    last: T,
    clock: Clock,
}

impl<T> Timed<T> {
    /// Returns the reply, in which `answer` is what was returned.
    pub fn answer(self, answer: impl FnOnce(T) -> Value) -> crate::Result<Ran> {
        self.try_answer(|last| Ok(answer(last)))
    }

    /// Returns the reply, in which `answer` is what was returned, unless there is none.
    pub fn try_answer(self, answer: impl FnOnce(T) -> crate::Result<Value>) -> crate::Result<Ran> {
        Ok(self.clock.ran(answer(self.last)?))
    }
}

/// Waits for a moment of the wall clock and returns the moment at which the wait was over.
pub fn wait_until(unix_ns: u64) -> u64 {
    loop {
        let now = unix_now();
        let Some(left) = unix_ns.checked_sub(now).filter(|&left| left > 0) else { return now };
        let left = Duration::from_nanos(left);
        if left > SPIN {
            thread::sleep(left - SPIN);
        } else {
            std::hint::spin_loop();
        }
    }
}

/// Returns the time that the process has spent, all its threads.
fn processor_ns() -> u64 {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    spent.tv_sec.unsigned_abs() * 1_000_000_000 + spent.tv_nsec.unsigned_abs()
}

/// Returns the moment by the wall clock.
pub fn unix_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
