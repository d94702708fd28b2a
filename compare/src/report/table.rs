//! The run as a table in the terminal.

use std::io::{self, Write};

use super::{Cell, Outcome, Report, Row, Verdict, figure};
use crate::measure::statistics;

/// Characters of a reason that a cell shows.
const REASON: usize = 70;

/// Writes the run for people: what is wrong first, then the engines, the operations and the matrix.
pub fn terminal(report: &Report, out: &mut impl Write) -> io::Result<()> {
    for (row, cell) in report.wrong() {
        writeln!(
            out,
            "WRONG  {} on {} {}: {}",
            row.name(),
            cell.engine,
            cell.variant,
            cell.outcome.reason()
        )?;
    }
    for engine in &report.engines {
        match &engine.not_run {
            Some(reason) => writeln!(out, "{}: not run: {reason} ({})", engine.name, engine.install)?,
            None => {
                write!(out, "{}: {}, {} ({})", engine.name, engine.version, engine.runtime, engine.way)?;
                let lacks = engine.lacks.join(", ");
                writeln!(out, "{}", if lacks.is_empty() { lacks } else { format!("; not built: {lacks}") })?;
            }
        }
    }
    for (workload, reason) in &report.missing {
        writeln!(out, "{workload}: {reason}")?;
    }
    if !report.rows.is_empty() {
        writeln!(
            out,
            "\ndurability {}, in {}; ratio: time / the control's best\n",
            report.durability, report.place
        )?;
        operations(&report.rows, out)?;
    }
    for engine in &report.engines {
        for database in &engine.databases {
            writeln!(
                out,
                "{} {} of {}: file {}, peak memory {}, opened again: {}",
                engine.name,
                database.workload,
                database.count,
                figure::bytes(database.file_bytes),
                figure::bytes(database.peak_bytes),
                database.validated.as_deref().unwrap_or("no"),
            )?;
        }
    }
    matrix(report, out)?;
    if report.is_partial {
        writeln!(out, "\ninterrupted: rows are missing")?;
    }
    Ok(())
}

fn operations(rows: &[Row], out: &mut impl Write) -> io::Result<()> {
    let lines = rows.iter().flat_map(|row| row.cells.iter().map(move |cell| line(row, cell)));
    let headings =
        ["operation", "documents", "engine", "variant", "ratio", "median", "spread", "processor", ""];
    let lines: Vec<[String; 9]> = [headings.map(str::to_owned)].into_iter().chain(lines).collect();
    let width = |column: usize| {
        lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    for line in &lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at {
            1 | 4..=7 => format!("{cell:>width$}"),
            _ => format!("{cell:<width$}"),
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

fn line(row: &Row, cell: &Cell) -> [String; 9] {
    let [mut ratio, mut median, mut spread, mut processor, mut note] = [const { String::new() }; 5];
    match &cell.outcome {
        Outcome::Measured(measured) => {
            let ns = statistics::median(&measured.samples_ns);
            ratio = row.ratio(ns).map(figure::ratio).unwrap_or_default();
            median = figure::time(ns);
            spread = format!("{:.0}%", statistics::spread(&measured.samples_ns) * 100.0);
            processor = measured.cpu_ns.map(figure::time).unwrap_or_default();
            let cold = measured.is_cold.then(|| "one sample, of the first call".to_owned());
            let rate = row.items.map(|items| figure::rate(items, ns));
            note = rate
                .into_iter()
                .chain(cold)
                .chain(measured.notes.iter().cloned())
                .collect::<Vec<_>>()
                .join("; ");
        }
        outcome => note.extend(outcome.reason().chars().take(REASON)),
    }
    let count = row.count.to_string();
    let (engine, variant) = (cell.engine.clone(), cell.variant.clone());
    [row.name(), count, engine, variant, ratio, median, spread, processor, note]
}

fn matrix(report: &Report, out: &mut impl Write) -> io::Result<()> {
    if report.matrix.is_empty() {
        return Ok(());
    }
    writeln!(out, "\ncorrectness: + right, - wrong, . cannot be said")?;
    let width = report.matrix.iter().map(|row| row.case.len()).max().unwrap_or(0);
    for row in &report.matrix {
        let marks = row.cells.iter().map(|cell| {
            let mark = match cell.verdict {
                Verdict::Right => '+',
                Verdict::Wrong { .. } => '-',
                Verdict::NotExpressible { .. } => '.',
            };
            format!("{} {mark}", cell.engine)
        });
        writeln!(out, "{:<width$}  {}", row.case, marks.collect::<Vec<_>>().join("  "))?;
        for cell in &row.cells {
            if let Verdict::Wrong { said } = &cell.verdict {
                writeln!(out, "{:<width$}    {} said {said} instead of {}", "", cell.engine, row.expected)?;
            }
        }
    }
    Ok(())
}
