//! The `vellum` command: reads the arguments, runs one command of [`cmd::COMMANDS`] and turns its error into a message
//! and an exit status: 1 when the command failed, 2 when the arguments are wrong.

mod args;
mod cmd;
mod database;
mod error;
mod heap;
mod output;

use std::io::{self, Write};
use std::process::ExitCode;

use crate::error::Error;

#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;

fn main() -> ExitCode {
    match cmd::run(&args::command().get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has had enough.
        Err(Error::Output { source }) if source.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do when even this cannot be written.
            writeln!(io::stderr(), "vellum: {error}").ok();
            ExitCode::FAILURE
        }
    }
}
