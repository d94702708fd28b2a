//! What `put` and `get` have in common: a bar, an end by Ctrl-C that leaves whole files, and a line for each name that
//! was left out.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use vellum::Transfer;

use crate::error::{Error, Result};
use crate::output;

/// Runs an import or export.
pub(super) fn run(transfer: Transfer<'_>) -> Result<()> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&is_stopped);
    ctrlc::set_handler(move || stop.store(true, Ordering::Relaxed))
        .map_err(|source| Error::Signal { source })?;
    let bar = output::byte_progress();
    let report = transfer.run_with(|progress| {
        bar.set_length(progress.total_bytes);
        bar.set_position(progress.bytes);
        bar.set_message(format!("{} of {} files", progress.files, progress.total_files));
        if is_stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    let report = report?;
    for skipped in &report.skipped {
        // Nothing is left to do when even this cannot be written.
        writeln!(io::stderr(), "vellum: left out {}", output::line(&skipped.to_string())).ok();
    }
    match report.skipped.len() {
        0 => Ok(()),
        count => Err(Error::LeftOut { count, files: report.files }),
    }
}
