//! The run as one page: charts without a script, readable on a phone and in the dark.

mod bars;
mod growth;
mod lead;

use std::fmt::{self, Write};

use super::{EngineReport, Report, Row, Verdict, figure};
use crate::engine::CONTROL;
use crate::workload::Workload;

const STYLE: &str = include_str!("style.css");

/// Returns report.html.
pub fn html(report: &Report) -> String {
    let mut page = String::new();
    // Writing to a string cannot fail.
    write(report, &mut page).ok();
    page
}

fn write(report: &Report, out: &mut String) -> fmt::Result {
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<title>Vellum beside other databases</title>\n<style>\n{STYLE}</style>\n</head>\n<body>")?;
    writeln!(out, "<h1>Vellum beside other databases</h1>")?;
    if report.is_partial {
        writeln!(out, "<p class=\"alarm\">The run was interrupted: rows are missing.</p>")?;
    }
    wrong(report, out)?;
    run(report, out)?;
    engines(report, out)?;
    let colors = Colors::of(report);
    lead::section(report, &colors, out)?;
    growth::section(report, &colors, out)?;
    operations(report, &colors, out)?;
    matrix(report, out)?;
    databases(report, out)?;
    writeln!(out, "</body>\n</html>")
}

fn wrong(report: &Report, out: &mut String) -> fmt::Result {
    let mut wrong = report.wrong().peekable();
    if wrong.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "<div class=\"alarm\"><h2>Wrong answers</h2>")?;
    for (row, cell) in wrong {
        let reason = escaped(&cell.outcome.reason());
        writeln!(out, "<p><b>{} on {} {}</b>: {reason}</p>", row.name(), cell.engine, cell.variant)?;
    }
    writeln!(out, "</div>")
}

fn run(report: &Report, out: &mut String) -> fmt::Result {
    let machine = &report.machine;
    writeln!(out, "<pre>{}</pre>", escaped(&report.command))?;
    writeln!(
        out,
        "<p>{} with {} threads, {} MiB, {}. Databases in {} ({}), durability {}. Load at the start {}; {:.0} s in all.</p>",
        escaped(&machine.processor),
        machine.cores,
        machine.memory_mib,
        escaped(&machine.system),
        escaped(&report.place),
        escaped(&machine.file_system),
        report.durability,
        machine.load,
        report.seconds,
    )?;
    writeln!(
        out,
        "<p class=\"faint\">Bars are medians on a logarithmic scale, lines go from the tenth to the ninetieth percentile \
         of six samples in two blocks, engines in turn and the second block in reverse. A time counts when its answer \
         was the oracle's. The number in front is the ratio to the best of {CONTROL}, which is SQL by hand, and for files to plain files.</p>"
    )
}

fn engines(report: &Report, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "<h2>Engines</h2><div class=\"wide\"><table><tr><th>engine<th>version<th>runs by<th>not built</tr>"
    )?;
    for engine in &report.engines {
        let EngineReport { name, version, runtime, way, lacks, .. } = engine;
        match &engine.not_run {
            Some(reason) => {
                let (reason, install) = (escaped(reason), escaped(&engine.install));
                writeln!(
                    out,
                    "<tr><td>{name}<td colspan=\"3\">not run: {reason}<br><code>{install}</code></tr>"
                )?;
            }
            None => {
                let (version, runtime, lacks) = (escaped(version), escaped(runtime), lacks.join(", "));
                writeln!(out, "<tr><td>{name}<td>{version}<td>{runtime}, {way}<td>{lacks}</tr>")?;
            }
        }
    }
    writeln!(out, "</table></div>")?;
    report.missing.iter().try_for_each(|(workload, reason)| writeln!(out, "<p>{workload}: {reason}.</p>"))
}

fn operations(report: &Report, colors: &Colors, out: &mut String) -> fmt::Result {
    let mut heading = (String::new(), 0);
    for row in &report.rows {
        let this = (row.workload.clone(), row.count);
        if this != heading {
            let title = Workload::ALL.into_iter().find(|known| known.name() == row.workload);
            let title = title.map(Workload::title).unwrap_or_default();
            writeln!(out, "<h2>{}: {title}; {} documents</h2>", row.workload, row.count)?;
            heading = this;
        }
        bars::chart(row, colors, out)?;
    }
    Ok(())
}

fn matrix(report: &Report, out: &mut String) -> fmt::Result {
    let Some(first) = report.matrix.first() else { return Ok(()) };
    writeln!(out, "<h2>Correctness</h2><div class=\"wide\"><table><tr><th>case<th>right answer")?;
    first.cells.iter().try_for_each(|cell| write!(out, "<th>{}", cell.engine))?;
    for row in &report.matrix {
        write!(out, "</tr>\n<tr><td>{}<br><span class=\"faint\">{}</span>", row.case, escaped(&row.title))?;
        write!(out, "<td><code>{}</code>", escaped(&row.expected))?;
        for cell in &row.cells {
            match &cell.verdict {
                Verdict::Right => write!(out, "<td class=\"right\">right")?,
                Verdict::Wrong { said } => {
                    write!(out, "<td><span class=\"wrong\">wrong</span> <code>{}</code>", escaped(said))?;
                }
                Verdict::NotExpressible { why } => {
                    write!(out, "<td class=\"faint\">cannot be said: {}", escaped(why))?;
                }
            }
        }
    }
    writeln!(out, "</tr></table></div>")
}

fn databases(report: &Report, out: &mut String) -> fmt::Result {
    writeln!(out, "<h2>Files, memory, settings</h2><div class=\"wide\"><table>")?;
    writeln!(out, "<tr><th>engine<th>workload<th>files<th>peak memory<th>opened again<th>settings</tr>")?;
    for engine in &report.engines {
        for database in &engine.databases {
            writeln!(
                out,
                "<tr><td>{}<td>{} {}<td>{}<td>{}<td>{}<td>{}</tr>",
                engine.name,
                escaped(&database.workload),
                database.count,
                figure::bytes(database.file_bytes),
                figure::bytes(database.peak_bytes),
                escaped(database.validated.as_deref().unwrap_or("no")),
                escaped(&database.said()),
            )?;
        }
    }
    writeln!(out, "</table></div>")
}

/// The color of each engine.
struct Colors(Vec<String>);

impl Colors {
    const COUNT: usize = 8;

    fn of(report: &Report) -> Self {
        let mut engines: Vec<String> = Vec::new();
        for cell in report.rows.iter().flat_map(|row: &Row| &row.cells) {
            if !engines.contains(&cell.engine) {
                engines.push(cell.engine.clone());
            }
        }
        Self(engines)
    }

    fn color(&self, engine: &str) -> String {
        let at = self.0.iter().position(|known| known == engine).unwrap_or_default();
        format!("var(--c{})", at % Self::COUNT)
    }

    fn legend(&self, out: &mut String) -> fmt::Result {
        write!(out, "<p class=\"faint\">")?;
        for engine in &self.0 {
            write!(out, "<span class=\"key\" style=\"background:{}\"></span>{engine}", self.color(engine))?;
        }
        writeln!(out, "</p>")
    }
}

/// Text as it stands in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
