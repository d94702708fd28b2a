//! Native DB as an engine of the comparison: Rust types with the keys that their models declare.

mod events;
mod records;

use std::io;

use native_db::Models;
use vellum_compare_protocol::{Engine, Failure, Hello, Open, Opened, Result, VERSION, Workload, serve};

struct NativeDb {
    /// Databases borrow it.
    models: &'static Models,
}

impl Engine for NativeDb {
    fn hello(&self) -> Hello {
        Hello {
            protocol: VERSION,
            engine: "native_db".to_owned(),
            version: "Native DB 0.8.2".to_owned(),
            runtime: "native".to_owned(),
            language: "Rust".to_owned(),
            variants: vec!["ordinary".to_owned()],
            workloads: vec!["EV".to_owned(), "TM".to_owned()],
            servers: Vec::new(),
        }
    }

    fn open(&self, open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
        if open.durability == "off" {
            return Err(Failure::unsupported("Native DB always syncs what it commits"));
        }
        match open.workload.as_str() {
            "EV" => events::open(open, self.models),
            "TM" => records::open(open, self.models),
            other => Err(Failure::unsupported(format!("Native DB has no program for the workload {other}"))),
        }
    }
}

fn models() -> native_db::db_type::Result<Models> {
    let mut models = Models::new();
    models.define::<events::Event>()?;
    models.define::<records::Record>()?;
    Ok(models)
}

fn main() -> io::Result<()> {
    let models = models().map_err(io::Error::other)?;
    serve(&NativeDb { models: Box::leak(Box::new(models)) })
}
