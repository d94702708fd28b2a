//! The operations of workload EV on Vellum beside the control written by hand, with 20,000 events and with 200,000.
//!
//! Each engine's answer is held against the oracle before it is timed. `cargo bench --bench events -- EV5` runs the
//! operations whose name matches; a table of what has been measured comes last, as `docs/benchmarks.md` shows it. The
//! documents and the queries are those of `vellum demo`.
#![allow(clippy::expect_used, missing_docs, reason = "a benchmark stops at the first surprise")]

mod compile;
mod count;
#[path = "../../cli/src/cmd/demo/event.rs"]
mod event;
mod index;
mod load;
mod page;
#[path = "../../cli/src/cmd/demo/queries.rs"]
mod queries;
mod read;
mod scene;
mod suite;
mod table;
mod write;

use std::error::Error;

use self::scene::Scene;
use self::suite::Suite;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Two sizes, so that growth shows.
const COUNTS: [usize; 2] = [20_000, 200_000];

fn main() -> Outcome {
    let mut suite = Suite::new();
    for count in COUNTS {
        let scene = Scene::new(count)?;
        load::operations(&mut suite, &scene)?;
        index::operations(&mut suite, &scene)?;
        count::operations(&mut suite, &scene)?;
        page::operations(&mut suite, &scene)?;
        read::operations(&mut suite, &scene)?;
        compile::operations(&mut suite, &scene)?;
        // The only ones that change documents.
        write::operations(&mut suite, &scene)?;
    }
    print!("{}", suite.table()?);
    Ok(())
}
