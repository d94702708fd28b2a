//! Printing for people: tables with aligned columns, bars, sizes, progress.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// Characters of the bar of 1, and of the longest one.
const BAR_OF_ONE: f64 = 10.0;
const LONGEST_BAR: usize = 20;

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table, made column by column.
#[derive(Debug, Default)]
pub(crate) struct Table {
    lines: Vec<String>,
}

impl Table {
    /// Makes a table without columns.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a column to the right.
    pub(crate) fn column(&mut self, heading: &str, align: Align, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = [heading.to_owned()].into_iter().chain(cells).collect();
        let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or_default();
        self.lines.resize(self.lines.len().max(cells.len()), String::new());
        let gap = if self.lines.iter().all(String::is_empty) { "" } else { "  " };
        for (line, cell) in self.lines.iter_mut().zip(cells) {
            line.push_str(gap);
            match align {
                Align::Left => line.push_str(&format!("{cell:<width$}")),
                Align::Right => line.push_str(&format!("{cell:>width$}")),
            }
        }
    }

    /// Writes one line for the headings and one for each row.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.lines.iter().try_for_each(|line| writeln!(out, "{}", line.trim_end()))
    }
}

/// Returns a bar as long as `ratio`, with a `>` at the end when it is cut off.
pub(crate) fn bar(ratio: f64) -> String {
    let len = (ratio * BAR_OF_ONE).round().max(1.0);
    if len > LONGEST_BAR as f64 { format!("{}>", "#".repeat(LONGEST_BAR)) } else { "#".repeat(len as usize) }
}

/// Returns a number of bytes in the unit that suits it.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1_024 => format!("{count} B"),
        1_024..1_048_576 => format!("{:.1} KiB", count as f64 / 1_024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}

/// Returns a bar of progress on standard error, which shows nothing when that is not a terminal.
pub(crate) fn progress(steps: u64) -> ProgressBar {
    let target =
        if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let progress = ProgressBar::with_draw_target(Some(steps), target).with_finish(ProgressFinish::AndClear);
    // The template is ours; should it not parse, the default style does.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3}%  {elapsed}  {msg}") {
        progress.set_style(style);
    }
    progress.enable_steady_tick(Duration::from_millis(200));
    progress
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() -> io::Result<()> {
        let mut table = Table::new();
        table.column("id", Align::Left, ["EV1".to_owned(), "E".to_owned()]);
        table.column("ms", Align::Right, ["1.5".to_owned(), "10.25".to_owned()]);
        table.column("", Align::Left, [String::new(), "x".to_owned()]);
        let mut out = Vec::new();
        table.write(&mut out)?;
        assert_eq!(String::from_utf8_lossy(&out), "id      ms\nEV1    1.5\nE    10.25  x\n");
        Ok(())
    }

    #[test]
    fn a_bar_is_as_long_as_the_ratio_and_never_empty() {
        assert_eq!(bar(0.5), "#####");
        assert_eq!(bar(0.001), "#");
        assert_eq!(bar(7.0), "####################>");
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!([bytes(12), bytes(2_048), bytes(5 << 20)], ["12 B", "2.0 KiB", "5.0 MiB"]);
    }
}
