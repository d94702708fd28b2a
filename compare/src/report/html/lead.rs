//! Who is the fastest in each operation, and how far ahead of the second.

use std::fmt::{self, Write};

use super::Colors;
use crate::report::{Report, Row, figure};

/// The lead at which a bar is full.
const FULL: f64 = 100.0;

/// Writes the section, when an operation has two engines with a time.
pub(super) fn section(report: &Report, colors: &Colors, out: &mut String) -> fmt::Result {
    let mut leads = Vec::new();
    for row in report.rows.iter().filter(|row| is_largest(row, report)) {
        if let [(first, best), (second, next), ..] = row.ranking().as_slice() {
            leads.push((row, (*first).to_owned(), (*second).to_owned(), next / best));
        }
    }
    if leads.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Lead of the first over the second</h2>")?;
    colors.legend(out)?;
    writeln!(out, "<div class=\"bars\">")?;
    for (row, first, second, lead) in leads {
        let width = (lead.log10() / FULL.log10() * 100.0).clamp(0.5, 100.0);
        write!(
            out,
            "<span class=\"label\">{} <span class=\"faint\">{}</span></span>",
            row.name(),
            row.count
        )?;
        write!(
            out,
            "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{first}\">"
        )?;
        write!(out, "<path class=\"grid\" d=\"M50 0V10\" vector-effect=\"non-scaling-stroke\"/>")?;
        write!(
            out,
            "<rect y=\"1\" height=\"8\" width=\"{width:.2}\" fill=\"{}\"/></svg>",
            colors.color(&first)
        )?;
        writeln!(out, "<span class=\"value\"><b>{first}</b> x{} {second}</span>", figure::ratio(lead))?;
    }
    writeln!(out, "<span class=\"axis\"><span>x1</span><span>x10</span><span>x100</span></span></div>")
}

/// Returns whether the operation was not measured with more documents.
fn is_largest(row: &Row, report: &Report) -> bool {
    !report.rows.iter().any(|other| other.name() == row.name() && other.count > row.count)
}
