//! The times of one operation as bars on a logarithmic scale, with their spread.

use std::fmt::{self, Write};

use super::{Colors, escaped};
use crate::measure::statistics;
use crate::report::{Cell, Row, figure};

/// Writes the chart of `row`.
pub(super) fn chart(row: &Row, colors: &Colors, out: &mut String) -> fmt::Result {
    let items = row.items.map(|items| format!(", {items} documents")).unwrap_or_default();
    writeln!(out, "<h3>{}: {}<span class=\"faint\">{items}</span></h3>", row.name(), escaped(&row.title))?;
    writeln!(out, "<div class=\"bars\">")?;
    let scale = Scale::of(row);
    for cell in &row.cells {
        let label = [cell.engine.as_str(), cell.variant.as_str()].join(" ");
        write!(out, "<span class=\"label\">{}</span>", escaped(&label))?;
        match (cell.median_ns(), &scale) {
            (Some(median), Some(scale)) => bar(row, cell, median, scale, colors, out)?,
            _ => {
                let class = if cell.outcome.reason().starts_with("WRONG") { "note wrong" } else { "note" };
                writeln!(out, "<span class=\"{class}\">{}</span>", escaped(&cell.outcome.reason()))?;
            }
        }
    }
    if let Some(scale) = scale {
        let (least, most) = (figure::time(scale.least), figure::time(scale.most));
        writeln!(out, "<span class=\"axis\"><span>{least}</span><span>{most}</span></span>")?;
    }
    writeln!(out, "</div>")
}

fn bar(row: &Row, cell: &Cell, median: f64, scale: &Scale, colors: &Colors, out: &mut String) -> fmt::Result {
    let Some(measured) = cell.measured() else { return Ok(()) };
    let (low, high) = statistics::range(&measured.samples_ns);
    let (low, high) = (scale.place(low), scale.place(high));
    write!(
        out,
        "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
        figure::time(median)
    )?;
    for decade in scale.decades() {
        write!(out, "<path class=\"grid\" d=\"M{decade:.2} 0V10\" vector-effect=\"non-scaling-stroke\"/>")?;
    }
    let (width, color) = (scale.place(median), colors.color(&cell.engine));
    write!(out, "<rect y=\"1\" height=\"8\" width=\"{width:.2}\" fill=\"{color}\"/>")?;
    write!(
        out,
        "<path class=\"whisker\" d=\"M{low:.2} 5H{high:.2}\" vector-effect=\"non-scaling-stroke\"/></svg>"
    )?;
    let ratio = row.ratio(median).map(|ratio| format!("<b>{}</b> ", figure::ratio(ratio)));
    let rate = row.items.map(|items| format!(", {}", figure::rate(items, median)));
    let cold = if measured.is_cold { ", once" } else { "" };
    writeln!(
        out,
        "<span class=\"value\">{}{}{}{cold}</span>",
        ratio.unwrap_or_default(),
        figure::time(median),
        rate.unwrap_or_default()
    )?;
    measured.notes.iter().try_for_each(|note| writeln!(out, "<span class=\"note\">{}</span>", escaped(note)))
}

/// A logarithmic scale from a decade below the least time to one above the most.
struct Scale {
    least: f64,
    most: f64,
}

impl Scale {
    fn of(row: &Row) -> Option<Self> {
        let samples = row.cells.iter().filter_map(Cell::measured).flat_map(|measured| &measured.samples_ns);
        let (least, most) = samples
            .fold((f64::INFINITY, 0.0_f64), |(least, most), &sample| (least.min(sample), most.max(sample)));
        // A bar begins below the shortest time, so that it has a length.
        (most > 0.0 && least > 0.0).then(|| Self {
            least: 10_f64.powf((least / 2.0).log10().floor()),
            most: 10_f64.powf(most.log10().ceil()),
        })
    }

    /// Returns where `ns` stands, from 0 to 100.
    fn place(&self, ns: f64) -> f64 {
        ((ns / self.least).log10() / (self.most / self.least).log10() * 100.0).clamp(0.0, 100.0)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        let count = (self.most / self.least).log10().round() as usize;
        (1..count).map(move |decade| decade as f64 / count as f64 * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_logarithmic() {
        let scale = Scale { least: 1e3, most: 1e6 };
        assert!((scale.place(1e4) - 100.0 / 3.0).abs() < 1e-9);
        assert_eq!((scale.place(1.0), scale.place(1e9)), (0.0, 100.0));
        assert_eq!(scale.decades().count(), 2);
    }
}
