//! Vellum as an engine of the comparison.
//!
//! `ordinary` builds each query where it is called, as the README does; `compiled` keeps what `compile()` returned,
//! which is made before the time. Documents and queries of workload EV are those of `vellum demo`.

#[path = "../../../../cli/src/cmd/demo/event.rs"]
mod event;
mod events;
mod files;
mod people;
#[path = "../../../../cli/src/cmd/demo/queries.rs"]
#[expect(dead_code, reason = "the demo has a query more, for the cost of a call")]
mod queries;
mod records;
mod samples;
mod settings;
mod tables;

use std::io;

use vellum_compare_protocol::{Engine, Failure, Hello, Open, Opened, Result, VERSION, Workload, serve};

struct Vellum;

impl Engine for Vellum {
    fn hello(&self) -> Hello {
        Hello {
            protocol: VERSION,
            engine: "vellum".to_owned(),
            version: format!("Vellum {}", env!("CARGO_PKG_VERSION")),
            runtime: "native".to_owned(),
            language: "Rust".to_owned(),
            variants: vec!["ordinary".to_owned(), "compiled".to_owned()],
            workloads: ["EV", "FS", "JS", "TM", "TQ", "MX"].map(str::to_owned).to_vec(),
            servers: Vec::new(),
        }
    }

    fn open(&self, open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
        match open.workload.as_str() {
            "EV" => events::open(open),
            "FS" => files::open(open),
            "JS" => samples::open(open),
            "TM" => records::open(open),
            "TQ" => tables::open(open),
            "MX" => people::open(open),
            other => Err(Failure::unsupported(format!("not built yet: what workload {other} needs"))),
        }
    }
}

fn main() -> io::Result<()> {
    serve(&Vellum)
}
