//! Watching an index while it is built: how far it has come, and whether it is to go on.
//!
//! SQLite's machine calls back every so many of its steps. How many there will be is known from the statement's program:
//! its loops run once for each document.
#![expect(unsafe_code, reason = "the progress handler of SQLite is C")]

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};

use rusqlite::ffi;

use super::conn::Conn;
use super::error::StoreError;
use super::schema::quote;

/// How many steps of SQLite's machine there are between two calls: a few hundred documents.
const STEPS: u32 = 10_000;

/// How far a build has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// How many documents there are.
    pub(crate) documents: u64,
    /// How many steps they take, about.
    pub(crate) expected: u64,
    /// How many steps are done.
    pub(crate) done: u64,
}

/// What is told how far a build has come, and says whether it goes on.
pub(crate) type Tick<'t> = dyn FnMut(Progress) -> ControlFlow<()> + 't;

struct Watch<'w, 't> {
    conn: &'w Conn,
    tick: &'w mut Tick<'t>,
    done: u64,
    panic: Option<Box<dyn Any + Send>>,
}

/// Takes the handler away again.
struct Handler<'w>(&'w Conn);

impl Drop for Handler<'_> {
    fn drop(&mut self) {
        // SAFETY: the connection is open.
        unsafe { ffi::sqlite3_progress_handler(self.0.raw(), 0, None, std::ptr::null_mut()) };
        self.0.progress().set(None);
    }
}

impl Conn {
    /// Runs `run`, and calls `tick` now and then while it builds indexes. When that breaks, SQLite gives the statement up
    /// and ends its transaction: `Interrupted`. The connection cannot be used inside of `tick`.
    pub(crate) fn watched<T, E: From<StoreError>>(
        &self,
        tick: &mut Tick<'_>,
        run: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let mut watch = Watch { conn: self, tick, done: 0, panic: None };
        self.progress().set(Some(Progress::default()));
        let result = {
            let _handler = Handler(self);
            let data: *mut Watch<'_, '_> = &mut watch;
            // SAFETY: the handler is taken away before `watch` goes, and nothing else uses `watch` until then.
            unsafe { ffi::sqlite3_progress_handler(self.raw(), STEPS as c_int, Some(called), data.cast()) };
            run()
        };
        if let Some(payload) = watch.panic {
            panic::resume_unwind(payload);
        }
        result
    }

    /// Notes the statements that are about to run over a table, where somebody watches.
    pub(super) fn expect_steps(&self, table: &str, statements: &[String]) -> Result<(), StoreError> {
        let Some(known) = self.progress().get() else { return Ok(()) };
        let count = format!("SELECT count(*) FROM {}", quote(table));
        let documents = self.first(&count, &[], |row| row.int(0))?.unwrap_or_default().unsigned_abs();
        let mut expected = known.expected;
        for sql in statements {
            expected += documents * self.steps_of_loops(sql)?;
        }
        self.progress().set(Some(Progress { documents, expected, ..known }));
        Ok(())
    }

    /// Returns how many steps the loops of a statement's program are long, together.
    fn steps_of_loops(&self, sql: &str) -> Result<u64, StoreError> {
        const LOOPS: [&str; 2] = ["Next", "SorterNext"];
        let mut statement = self.prepare(&format!("EXPLAIN {sql}"))?;
        let mut steps = 0;
        while let Some(row) = statement.step()? {
            // Its address, its name, and behind its first operand where it goes back to.
            let (end, name, start) = (row.int(0)?, row.text(1)?, row.int(3)?);
            if LOOPS.contains(&name) {
                steps += u64::try_from(end - start + 1).unwrap_or_default();
            }
        }
        Ok(steps)
    }
}

/// Called by SQLite; anything but 0 ends the statement.
///
/// # Safety
/// `data` is the `Watch` that [`Conn::watched`] keeps.
unsafe extern "C" fn called(data: *mut c_void) -> c_int {
    // SAFETY: the caller's contract; SQLite calls on the thread that runs the statement, one call at a time.
    let watch = unsafe { &mut *data.cast::<Watch<'_, '_>>() };
    watch.done += u64::from(STEPS);
    let Some(known) = watch.conn.progress().get().filter(|known| known.expected > 0) else { return 0 };
    let progress = Progress { done: watch.done, ..known };
    let told = watch.conn.untouched(|| panic::catch_unwind(AssertUnwindSafe(|| (watch.tick)(progress))));
    match told {
        Ok(ControlFlow::Continue(())) => 0,
        Ok(ControlFlow::Break(())) => 1,
        Err(payload) => {
            watch.panic = Some(payload);
            1
        }
    }
}
