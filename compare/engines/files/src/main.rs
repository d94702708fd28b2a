//! Plain files as an engine of the comparison: the control of workload FS.
//!
//! What is written is synced (`fdatasync`) where a database with full durability syncs, and only there.

mod workload;

use std::io;

use vellum_compare_protocol::{Engine, Failure, Hello, Open, Opened, Result, VERSION, Workload, serve};

struct Files;

impl Engine for Files {
    fn hello(&self) -> Hello {
        Hello {
            protocol: VERSION,
            engine: "files".to_owned(),
            version: "plain files".to_owned(),
            runtime: "native".to_owned(),
            language: "Rust".to_owned(),
            variants: vec!["ordinary".to_owned()],
            workloads: vec!["FS".to_owned()],
            servers: Vec::new(),
        }
    }

    fn open(&self, open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
        match open.workload.as_str() {
            "FS" => workload::open(open),
            other => Err(Failure::unsupported(format!("plain files have no workload {other}"))),
        }
    }
}

fn main() -> io::Result<()> {
    serve(&Files)
}
