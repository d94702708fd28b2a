//! `vellum demo`: fills a database with events, does the operations of workload EV on it and on the hand-written
//! control, holds every answer against the oracle and prints the times side by side.

mod bench;
mod case;
mod cases;
mod event;
mod files;
mod measure;
mod place;
mod queries;
mod rows;
mod table;
mod vellum;

use std::io::{self, Write};

use crate::args::{DemoArgs, Subject};
use crate::error::{Error, Result};
use crate::output;

use bench::Bench;
use cases::{ENTRIES, Entry};
use measure::{RUNS, measure};
use place::{Look, Place};
use rows::{Report, Row};

/// How the files that stay are looked at.
const LOOKS: [Look; 2] = [
    Look { program: "sqlite3", arguments: "\"SELECT id, json(doc) FROM events LIMIT 5\"" },
    Look { program: "sqlite3", arguments: "\"SELECT id, json(doc) FROM t LIMIT 5\"" },
];

/// Runs the command.
pub(crate) fn run(args: &DemoArgs) -> Result<()> {
    if let Some(Subject::Files(args)) = &args.subject {
        return files::run(&args.clone().into_demo());
    }
    let subject = format!("{} events", args.events);
    let place = Place::new(args)?;
    let (bench, report) =
        report(&format!("generating and inserting {subject}"), ENTRIES, || Bench::new(args.events, place))?;
    print(args, &subject, bench.place.kept(LOOKS), &bench.place, &report)
        .map_err(|source| Error::Output { source })?;
    report.outcome()
}

/// Makes what the rows work on, measures them and returns both.
fn report<B>(preparing: &str, entries: &[Entry<B>], make: impl FnOnce() -> Result<B>) -> Result<(B, Report)> {
    let progress = output::progress((entries.len() * RUNS) as u64);
    progress.set_message(preparing.to_owned());
    let bench = make()?;
    let mut rows = Vec::new();
    for entry in entries {
        progress.set_message(format!("{}: {}", entry.name, entry.name.title));
        rows.push(row(&bench, entry, || progress.inc(1))?);
    }
    progress.finish_and_clear();
    rows.sort_by_key(|row| row.name.number());
    Ok((bench, Report { rows }))
}

/// Measures one row. A wrong answer ends the run; an engine that cannot do the operation is a row that says so.
fn row<B>(bench: &B, entry: &Entry<B>, tick: impl Fn()) -> Result<Row> {
    match (entry.build)(bench).and_then(|case| measure(entry.name, case, tick)) {
        Ok(row) => Ok(row),
        Err(error @ (Error::WrongResult { .. } | Error::Unsound { .. })) => Err(error),
        Err(error) => Ok(Row::failed(entry.name, error.to_string())),
    }
}

fn print(
    args: &DemoArgs,
    subject: &str,
    kept: Vec<String>,
    place: &Place,
    report: &Report,
) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, report)?;
        writeln!(out)?;
        return kept.iter().try_for_each(|line| writeln!(io::stderr(), "{line}"));
    }
    writeln!(out, "{subject}, {}", place.description())?;
    writeln!(out, "median milliseconds of six warm runs; every answer was checked\n")?;
    table::table(&report.rows, place.synchronous()).write(&mut out)?;
    report.legend().into_iter().try_for_each(|line| writeln!(out, "{line}"))?;
    kept.iter().try_for_each(|line| writeln!(out, "{line}"))
}
