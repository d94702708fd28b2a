//! Ctrl-C: the run ends at the next reply or tick, engines and files go, what was measured is reported.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Notes the signals that ask a process to end, from now on.
pub fn catch() -> Result<()> {
    Ok(ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed))?)
}

/// Returns whether the user wants the run to end.
pub fn is_wanted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
