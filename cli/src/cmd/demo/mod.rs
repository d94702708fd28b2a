//! `vellum demo`: fills a database with events, does the operations of workload EV on it and on the hand-written
//! control, holds every answer against the oracle and prints the times side by side.

mod bench;
mod case;
mod cases;
mod event;
mod measure;
mod place;
mod queries;
mod rows;
mod table;
mod vellum;

use std::io::{self, Write};

use crate::args::DemoArgs;
use crate::error::{Error, Result};
use crate::output;

use bench::Bench;
use cases::{ENTRIES, Entry};
use measure::{RUNS, measure};
use place::Place;
use rows::{Report, Row};

/// Runs the command.
pub(crate) fn run(args: &DemoArgs) -> Result<()> {
    let place = Place::new(args)?;
    let progress = output::progress((ENTRIES.len() * RUNS) as u64);
    progress.set_message(format!("generating and inserting {} events", args.events));
    let bench = Bench::new(args.events, place)?;
    let mut rows = Vec::new();
    for entry in ENTRIES {
        progress.set_message(format!("{}: {}", entry.name, entry.name.title));
        rows.push(row(&bench, entry, || progress.inc(1))?);
    }
    progress.finish_and_clear();
    rows.sort_by_key(|row| row.name.number());
    let report = Report { rows };
    print(args, &bench.place, &report).map_err(|source| Error::Output { source })?;
    match report.rows.iter().filter(|row| row.failure.is_some()).count() {
        0 => Ok(()),
        count => Err(Error::Failed { count }),
    }
}

/// Measures one row. A wrong answer ends the run; an engine that cannot do the operation is a row that says so.
fn row(bench: &Bench, entry: &Entry, tick: impl Fn()) -> Result<Row> {
    match (entry.build)(bench).and_then(|case| measure(entry.name, case, tick)) {
        Ok(row) => Ok(row),
        Err(error @ (Error::WrongResult { .. } | Error::Unsound { .. })) => Err(error),
        Err(error) => Ok(Row::failed(entry.name, error.to_string())),
    }
}

fn print(args: &DemoArgs, place: &Place, report: &Report) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let kept = place.kept();
    if args.json {
        serde_json::to_writer(&mut out, report)?;
        writeln!(out)?;
        return kept.iter().try_for_each(|line| writeln!(io::stderr(), "{line}"));
    }
    writeln!(out, "{} events, {}", args.events, place.description())?;
    writeln!(out, "median milliseconds of six warm runs; every answer was checked\n")?;
    table::table(&report.rows, place.synchronous()).write(&mut out)?;
    writeln!(
        out,
        "\nratio: compiled / control, drawn so that {} is 1; below it Vellum is faster",
        output::bar(1.0)
    )?;
    writeln!(out, "control: SQL by hand, its index named; planner: the same with no index named")?;
    kept.iter().try_for_each(|line| writeln!(out, "{line}"))
}
