//! redb as an engine of the comparison: documents as JSON under their keys, and secondary indexes as multimap tables
//! that the program keeps, as a user of a store of keys and values writes them.

mod events;
mod index;
mod records;
mod store;

use std::io;

use vellum_compare_protocol::{Engine, Failure, Hello, Open, Opened, Result, VERSION, Workload, serve};

struct Redb;

impl Engine for Redb {
    fn hello(&self) -> Hello {
        Hello {
            protocol: VERSION,
            engine: "redb".to_owned(),
            version: "redb 4.6".to_owned(),
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
            other => Err(Failure::unsupported(format!("redb has no program for the workload {other}"))),
        }
    }
}

fn main() -> io::Result<()> {
    serve(&Redb)
}
