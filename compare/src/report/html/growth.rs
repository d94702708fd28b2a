//! How times grow with the number of documents, where a run has several sizes.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use super::{Colors, escaped};
use crate::report::{Report, Row, figure};

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 52.0;
const BOTTOM: f64 = 22.0;
const TOP: f64 = 8.0;
const RIGHT: f64 = 26.0;

/// Writes a chart for each operation that was measured at several sizes.
pub(super) fn section(report: &Report, colors: &Colors, out: &mut String) -> fmt::Result {
    let sizes: BTreeSet<usize> = sized(report).map(|row| row.count).collect();
    if sizes.len() < 2 {
        return Ok(());
    }
    let mut names: Vec<String> = Vec::new();
    for name in sized(report).map(Row::name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    writeln!(out, "<h2>Growth with the number of documents</h2>")?;
    writeln!(out, "<p class=\"faint\">Both scales are logarithmic; the fastest variant of each engine.</p>")?;
    colors.legend(out)?;
    writeln!(out, "<div class=\"charts\">")?;
    for name in names {
        let rows: Vec<&Row> = sized(report).filter(|row| row.name() == name).collect();
        chart(&name, &rows, colors, out)?;
    }
    writeln!(out, "</div>")
}

/// The rows of workloads that have sizes.
fn sized(report: &Report) -> impl Iterator<Item = &Row> {
    report.rows.iter().filter(|row| row.workload == "EV")
}

fn chart(name: &str, rows: &[&Row], colors: &Colors, out: &mut String) -> fmt::Result {
    let points: Vec<(f64, f64)> =
        rows.iter().flat_map(|row| row.ranking().into_iter().map(|(_, ns)| (row.count as f64, ns))).collect();
    let Some((across, up)) =
        Axis::of(points.iter().map(|point| point.0)).zip(Axis::of(points.iter().map(|point| point.1)))
    else {
        return Ok(());
    };
    let x = |count: f64| LEFT + across.place(count) * (WIDTH - LEFT - RIGHT);
    let y = |ns: f64| HEIGHT - BOTTOM - up.place(ns) * (HEIGHT - BOTTOM - TOP);
    let title = rows.first().map(|row| row.title.as_str()).unwrap_or_default();
    writeln!(out, "<figure><figcaption><b>{name}</b> {}</figcaption>", escaped(title))?;
    write!(out, "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{name}\">")?;
    for ns in [up.least, up.most] {
        let y = y(ns);
        write!(out, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{}\"/>", WIDTH - RIGHT)?;
        write!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 4.0,
            y + 4.0,
            figure::time(ns)
        )?;
    }
    for row in rows {
        let count = row.count as f64;
        write!(
            out,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x(count),
            HEIGHT - 5.0,
            row.count
        )?;
    }
    for engine in &colors.0 {
        let measured = rows.iter().filter_map(|row| Some((row.count as f64, row.best_ns(engine)?)));
        let points: Vec<String> =
            measured.clone().map(|(count, ns)| format!("{:.1},{:.1}", x(count), y(ns))).collect();
        let color = colors.color(engine);
        write!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            points.join(" ")
        )?;
        for (count, ns) in measured {
            write!(out, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{color}\"/>", x(count), y(ns))?;
        }
    }
    writeln!(out, "</svg></figure>")
}

/// A logarithmic axis.
struct Axis {
    least: f64,
    most: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let (least, most) =
            values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
        (least > 0.0 && most > 0.0).then_some(Self { least, most })
    }

    /// Returns where `value` stands, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let span = (self.most / self.least).ln();
        if span > 0.0 { (value / self.least).ln() / span } else { 0.5 }
    }
}
