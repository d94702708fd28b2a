//! TinyStore as an engine of the comparison: its SQL engine, by typed tables where they say it, else by SQL.

mod events;
mod records;
mod store;

use std::io;

use vellum_compare_protocol::{Engine, Failure, Hello, Open, Opened, Result, VERSION, Workload, serve};

struct TinyStore;

impl Engine for TinyStore {
    fn hello(&self) -> Hello {
        Hello {
            protocol: VERSION,
            engine: "tinystore".to_owned(),
            version: "TinyStore 0.5.1".to_owned(),
            runtime: "native".to_owned(),
            language: "Rust".to_owned(),
            variants: vec!["ordinary".to_owned()],
            workloads: vec!["EV".to_owned(), "TM".to_owned()],
            servers: Vec::new(),
        }
    }

    fn open(&self, open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
        match open.workload.as_str() {
            "EV" => events::open(open),
            "TM" => records::open(open),
            other => Err(Failure::unsupported(format!("TinyStore has no program for the workload {other}"))),
        }
    }
}

fn main() -> io::Result<()> {
    serve(&TinyStore)
}
