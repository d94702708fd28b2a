//! SQL written by hand, as an engine of the comparison: the control of `vellum-fixtures`.
//!
//! `ordinary` leaves the choice of the index to SQLite, `tuned` names it; statements are prepared before the time in
//! both.

mod events;
mod records;
mod samples;
mod settings;
mod tables;

use std::io;

use vellum_compare_protocol::{Engine, Failure, Hello, Open, Opened, Result, VERSION, Workload, serve};

struct Rusqlite;

impl Engine for Rusqlite {
    fn hello(&self) -> Hello {
        Hello {
            protocol: VERSION,
            engine: "rusqlite".to_owned(),
            version: format!("rusqlite 0.43, SQLite {}", rusqlite::version()),
            runtime: "native".to_owned(),
            language: "Rust".to_owned(),
            variants: vec!["ordinary".to_owned(), "tuned".to_owned()],
            workloads: ["EV", "JS", "TM", "TQ"].map(str::to_owned).to_vec(),
            servers: Vec::new(),
        }
    }

    fn open(&self, open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
        match open.workload.as_str() {
            "EV" => events::open(open),
            "JS" => samples::open(open),
            "TM" => records::open(open),
            "TQ" => tables::open(open),
            other => Err(Failure::unsupported(format!("the control has no workload {other}"))),
        }
    }
}

fn main() -> io::Result<()> {
    serve(&Rusqlite)
}
