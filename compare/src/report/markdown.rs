//! The run as Markdown.

use std::fmt::Write;

use super::{Cell, Outcome, Report, Row, Verdict, figure};
use crate::measure::statistics;

/// Returns report.md.
pub fn markdown(report: &Report) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    write(report, &mut text).ok();
    text
}

fn write(report: &Report, out: &mut String) -> std::fmt::Result {
    writeln!(out, "# Vellum beside other databases\n")?;
    if report.is_partial {
        writeln!(out, "**The run was interrupted: rows are missing.**\n")?;
    }
    wrong(report, out)?;
    machine(report, out)?;
    engines(report, out)?;
    for workload in workloads(report) {
        operations(report, &workload, out)?;
    }
    matrix(report, out)?;
    databases(report, out)
}

fn wrong(report: &Report, out: &mut String) -> std::fmt::Result {
    let mut wrong = report.wrong().peekable();
    if wrong.peek().is_none() {
        return writeln!(out, "Every answer that has a time was held against the oracle and was right.\n");
    }
    writeln!(out, "## Wrong answers\n\n| operation | engine | expected | found |\n|---|---|---|---|")?;
    for (row, cell) in wrong {
        if let Outcome::Wrong { expected, found } = &cell.outcome {
            let engine = [cell.engine.as_str(), cell.variant.as_str()].join(" ");
            writeln!(out, "| {} | {engine} | `{}` | `{}` |", row.name(), plain(expected), plain(found))?;
        }
    }
    writeln!(out)
}

fn machine(report: &Report, out: &mut String) -> std::fmt::Result {
    let machine = &report.machine;
    writeln!(out, "```text\n{}\n```\n", report.command)?;
    writeln!(
        out,
        "{} with {} threads, {} MiB, {}; databases in {} ({}); durability {}; load at the start {}; {:.0} s.\n",
        machine.processor,
        machine.cores,
        machine.memory_mib,
        machine.system,
        report.place,
        machine.file_system,
        report.durability,
        machine.load,
        report.seconds,
    )
}

fn engines(report: &Report, out: &mut String) -> std::fmt::Result {
    writeln!(out, "| engine | version | runs by |\n|---|---|---|")?;
    for engine in &report.engines {
        match &engine.not_run {
            Some(reason) => {
                writeln!(
                    out,
                    "| {} | not run: {} | {} |",
                    engine.name,
                    plain(reason),
                    plain(&engine.install)
                )?;
            }
            None => writeln!(
                out,
                "| {} | {} | {}, {} |",
                engine.name,
                plain(&engine.version),
                plain(&engine.runtime),
                engine.way
            )?,
        }
    }
    report.missing.iter().try_for_each(|(workload, reason)| writeln!(out, "\n{workload}: {reason}."))?;
    writeln!(out)
}

fn workloads(report: &Report) -> Vec<(String, usize)> {
    let mut workloads: Vec<(String, usize)> = Vec::new();
    for row in &report.rows {
        let workload = (row.workload.clone(), row.count);
        if !workloads.contains(&workload) {
            workloads.push(workload);
        }
    }
    workloads
}

/// A table of medians: a line for each operation, a column for each engine and variant. The ratio to the control's
/// best comes first in each cell.
fn operations(report: &Report, (workload, count): &(String, usize), out: &mut String) -> std::fmt::Result {
    let rows: Vec<&Row> =
        report.rows.iter().filter(|row| row.workload == *workload && row.count == *count).collect();
    let mut columns: Vec<(&str, &str)> = Vec::new();
    for cell in rows.iter().flat_map(|row| &row.cells) {
        let column = (cell.engine.as_str(), cell.variant.as_str());
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    writeln!(out, "## {workload}, {count} documents\n")?;
    let control = rows.first().map(|row| row.of.as_str()).unwrap_or_default();
    writeln!(
        out,
        "Ratio of the median to the best of {control}, the median, and its spread, (p90 - p10) / median.\n"
    )?;
    write!(out, "| operation |")?;
    columns.iter().try_for_each(|(engine, variant)| write!(out, " {engine} {variant} |"))?;
    write!(out, "\n|---|")?;
    columns.iter().try_for_each(|_| write!(out, "---|"))?;
    let mut notes: Vec<String> = Vec::new();
    for row in rows {
        write!(out, "\n| {}: {} |", row.name(), row.title)?;
        for (engine, variant) in &columns {
            let cell = row.cells.iter().find(|cell| cell.engine == *engine && cell.variant == *variant);
            write!(out, " {} |", cell.map(|cell| figures(row, cell, &mut notes)).unwrap_or_default())?;
        }
    }
    writeln!(out, "\n")?;
    for (at, note) in notes.iter().enumerate() {
        writeln!(out, "{}. {}", at + 1, plain(note))?;
    }
    writeln!(out)
}

/// Returns a cell; what it has to say is added to `notes`.
fn figures(row: &Row, cell: &Cell, notes: &mut Vec<String>) -> String {
    let mut note = |text: String| {
        let at = notes.iter().position(|known| *known == text).unwrap_or(notes.len());
        if at == notes.len() {
            notes.push(text);
        }
        format!(" [{}]", at + 1)
    };
    match &cell.outcome {
        Outcome::Measured(measured) => {
            let ns = statistics::median(&measured.samples_ns);
            let ratio = row.ratio(ns).map(|ratio| format!("**{}** ", figure::ratio(ratio)));
            let spread = match measured.samples_ns.len() {
                1 => note("one sample, of the first call: it takes too long for more".to_owned()),
                _ => format!(" {:.0}%", statistics::spread(&measured.samples_ns) * 100.0),
            };
            let marks: String = measured.notes.iter().cloned().map(note).collect();
            format!("{}{}{spread}{marks}", ratio.unwrap_or_default(), figure::time(ns))
        }
        Outcome::Wrong { .. } => "**wrong**".to_owned(),
        Outcome::Unsupported { .. } => format!("cannot{}", note(cell.outcome.reason())),
        Outcome::Failed { .. } => format!("failed{}", note(cell.outcome.reason())),
    }
}

fn matrix(report: &Report, out: &mut String) -> std::fmt::Result {
    let Some(first) = report.matrix.first() else { return Ok(()) };
    writeln!(out, "## Correctness\n")?;
    write!(out, "| case | right answer |")?;
    first.cells.iter().try_for_each(|cell| write!(out, " {} |", cell.engine))?;
    write!(out, "\n|---|---|")?;
    first.cells.iter().try_for_each(|_| write!(out, "---|"))?;
    for row in &report.matrix {
        write!(out, "\n| {}: {} | `{}` |", row.case, plain(&row.title), plain(&row.expected))?;
        for cell in &row.cells {
            match &cell.verdict {
                Verdict::Right => write!(out, " right |")?,
                Verdict::Wrong { said } => write!(out, " **wrong**: `{}` |", plain(said))?,
                Verdict::NotExpressible { why } => write!(out, " cannot: {} |", plain(why))?,
            }
        }
    }
    writeln!(out, "\n")
}

fn databases(report: &Report, out: &mut String) -> std::fmt::Result {
    writeln!(out, "## Files, memory, settings\n")?;
    writeln!(
        out,
        "Files are opened again at the end and read as a whole. Memory is the peak of the engine's process during"
    )?;
    writeln!(out, "the operations, where the system tells it; it includes the inputs of EV1.\n")?;
    writeln!(
        out,
        "| engine | workload | files | peak memory | opened again | settings |\n|---|---|---|---|---|---|"
    )?;
    for engine in &report.engines {
        for database in &engine.databases {
            writeln!(
                out,
                "| {} | {} {} | {} | {} | {} | {} |",
                engine.name,
                database.workload,
                database.count,
                figure::bytes(database.file_bytes),
                figure::bytes(database.peak_bytes),
                plain(database.validated.as_deref().unwrap_or("no")),
                plain(&database.said()),
            )?;
        }
    }
    Ok(())
}

/// Text that ends no cell.
fn plain(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
