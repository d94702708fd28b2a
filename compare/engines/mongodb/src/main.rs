//! MongoDB as an engine of the comparison, and FerretDB under its own name.
//!
//! `--uri URI` is a server that runs already; `--ferretdb PROGRAM` is one that is started for each database, in the
//! folder of the database. What a server refuses because it lacks it is an `unsupported` in its own words.

mod deployment;
mod events;
mod matrix;
mod records;
mod server;
mod trouble;

use std::{env, io};

use vellum_compare_protocol::{Engine, Failure, Hello, Open, Opened, Result, VERSION, Workload, serve};

use crate::deployment::Source;

struct MongoDb(Source);

impl Engine for MongoDb {
    fn hello(&self) -> Hello {
        Hello {
            protocol: VERSION,
            engine: self.0.name().to_owned(),
            version: self.0.version(),
            runtime: "a server".to_owned(),
            language: "Rust".to_owned(),
            variants: vec!["ordinary".to_owned(), "tuned".to_owned()],
            workloads: ["EV", "TM", "MX"].map(str::to_owned).to_vec(),
            servers: Vec::new(),
        }
    }

    fn open(&self, open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
        match open.workload.as_str() {
            "EV" => events::open(&self.0, open),
            "TM" => records::open(&self.0, open),
            "MX" => matrix::open(&self.0, open),
            other => Err(Failure::unsupported(format!("there is no program for the workload {other}"))),
        }
    }
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let source = match arguments.as_slice() {
        [option, uri] if option == "--uri" => Source::Uri(uri.clone()),
        [option, program] if option == "--ferretdb" => Source::FerretDb(program.into()),
        _ => return Err(io::Error::other("usage: --uri URI, or --ferretdb PROGRAM")),
    };
    serve(&MongoDb(source))
}
