//! The command `compare`.

use std::process::ExitCode;

use clap::Parser;
use vellum_compare::args::Arguments;
use vellum_compare::cmd;

fn main() -> ExitCode {
    match cmd::run(&Arguments::parse()) {
        Ok(ending) => ending.into(),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
