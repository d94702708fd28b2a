//! What goes wrong, and when.

use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::ffi;

use super::shadow::Shadow;

/// A call that reaches the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Open,
    Delete,
    Access,
    Read,
    Write,
    Truncate,
    Sync,
    FileSize,
    Lock,
    MapShared,
    LockShared,
}

impl Call {
    /// Returns the code by which SQLite's own VFS says that the system refused the call.
    pub(super) fn code(self) -> c_int {
        match self {
            Call::Open => ffi::SQLITE_CANTOPEN,
            Call::Delete => ffi::SQLITE_IOERR_DELETE,
            Call::Access => ffi::SQLITE_IOERR_ACCESS,
            Call::Read => ffi::SQLITE_IOERR_READ,
            Call::Write => ffi::SQLITE_IOERR_WRITE,
            Call::Truncate => ffi::SQLITE_IOERR_TRUNCATE,
            Call::Sync => ffi::SQLITE_IOERR_FSYNC,
            Call::FileSize => ffi::SQLITE_IOERR_FSTAT,
            Call::Lock => ffi::SQLITE_IOERR_LOCK,
            Call::MapShared => ffi::SQLITE_IOERR_SHMMAP,
            Call::LockShared => ffi::SQLITE_IOERR_SHMLOCK,
        }
    }

    fn is_change(self) -> bool {
        matches!(self, Call::Write | Call::Truncate | Call::Sync | Call::Delete)
    }
}

/// How a call goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// The call is not done.
    Refused,
    /// A write is done in part.
    Torn,
    /// A write is done in part, because no space is left.
    Full,
    /// A change is done, and said not to be.
    Late,
    /// The process ends, a write done in part.
    Death,
    /// The power goes: nothing is done from here on, and what was not synced is lost in part.
    PowerCut,
}

impl How {
    fn meets(self, call: Call) -> bool {
        match self {
            How::Refused => true,
            How::Torn | How::Full => call == Call::Write,
            How::Late | How::Death | How::PowerCut => call.is_change(),
        }
    }
}

/// One thing that goes wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) how: How,
    /// Which of the calls that `how` can meet, counted from 1.
    pub(crate) at: u64,
    /// Whether the disk stays so until it is healed: full for every write, or refusing every call.
    pub(crate) lasting: bool,
}

/// What a disk does next.
#[derive(Default)]
pub(super) struct Script(Mutex<State>);

#[derive(Default)]
struct State {
    fault: Option<Fault>,
    met: u64,
    hit: Option<Call>,
    shadow: Option<Shadow>,
}

impl Script {
    pub(super) fn arm(&self, fault: Fault) {
        let shadow = (fault.how == How::PowerCut).then(Shadow::default);
        *self.lock() = State { fault: Some(fault), shadow, ..State::default() };
    }

    /// Ends what goes wrong, and returns how many calls were met, and the one that failed first.
    pub(super) fn heal(&self) -> (u64, Option<Call>) {
        let mut state = self.lock();
        state.fault = None;
        (state.met, state.hit)
    }

    pub(super) fn take_shadow(&self) -> Option<Shadow> {
        self.lock().shadow.take()
    }

    /// Lets the shadow see a change that was done, if there is one.
    pub(super) fn note(&self, change: impl FnOnce(&mut Shadow)) {
        if let Some(shadow) = &mut self.lock().shadow {
            change(shadow);
        }
    }

    /// Returns how this call goes wrong, or `None` when it goes well.
    pub(super) fn next(&self, call: Call) -> Option<How> {
        let mut state = self.lock();
        let Fault { how, at, lasting } = state.fault?;
        let is_met = how.meets(call);
        if is_met {
            state.met += 1;
            if state.met == at {
                state.hit = Some(call);
                return Some(if how == How::PowerCut { How::Refused } else { how });
            }
        }
        match how {
            _ if !lasting || state.hit.is_none() => None,
            How::Full => is_met.then_some(how),
            _ => Some(How::Refused),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
