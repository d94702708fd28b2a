//! Printing for people: tables with aligned columns, bars, sizes, progress.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
        1_048_576..1_073_741_824 => format!("{:.1} MiB", count as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", count as f64 / 1_073_741_824.0),
    }
}

/// Returns a text as one line that does nothing to a terminal.
pub(crate) fn line(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, c| {
        if c.is_control() {
            line.extend(c.escape_default())
        } else {
            line.push(c)
        }
        line
    })
}

/// Returns a time as RFC 3339 has it, in UTC: `2026-12-01T02:41:30.000000000Z`.
pub(crate) fn time(time: SystemTime) -> String {
    const DAY: i64 = 86_400;
    let (seconds, nanoseconds) = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => (since.as_secs().cast_signed(), since.subsec_nanos()),
        Err(before) => {
            let before = before.duration();
            let part = i64::from(before.subsec_nanos() > 0);
            let left = (1_000_000_000 - before.subsec_nanos()) % 1_000_000_000;
            (-before.as_secs().cast_signed() - part, left)
        }
    };
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let second = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanoseconds:09}Z")
}

/// Returns the date of a day since 1970, in the Gregorian calendar: years begin in March, so that the odd day of a leap
/// year is its last.
fn date(days: i64) -> (i64, i64, i64) {
    const FOUR_CENTURIES: i64 = 146_097;
    let since_march = days + 719_468;
    let (era, day) = (since_march.div_euclid(FOUR_CENTURIES), since_march.rem_euclid(FOUR_CENTURIES));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// Returns a bar of progress on standard error, which shows nothing when that is not a terminal.
pub(crate) fn progress(steps: u64) -> ProgressBar {
    progress_bar(steps, "{bar:30} {percent:>3}%  {elapsed}  {msg}")
}

/// As [`progress`], of bytes; how many there are is told later.
pub(crate) fn byte_progress() -> ProgressBar {
    progress_bar(0, "{bar:30} {percent:>3}%  {bytes}  {bytes_per_sec}  {eta}  {msg}")
}

fn progress_bar(steps: u64, template: &str) -> ProgressBar {
    let target =
        if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let progress = ProgressBar::with_draw_target(Some(steps), target).with_finish(ProgressFinish::AndClear);
    // The template is ours; should it not parse, the default style does.
    if let Ok(style) = ProgressStyle::with_template(template) {
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
        assert_eq!(bytes(3 << 40), "3072.0 GiB");
    }

    #[test]
    fn a_name_does_nothing_to_a_terminal() {
        assert_eq!(line("a\nb\x1b[2Jc \u{e9}\u{9b}"), "a\\nb\\u{1b}[2Jc \u{e9}\\u{9b}");
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        let at = |seconds: i64, nanoseconds| {
            let whole = Duration::from_secs(seconds.unsigned_abs());
            let time = if seconds < 0 { UNIX_EPOCH - whole } else { UNIX_EPOCH + whole };
            super::time(time + Duration::from_nanos(nanoseconds))
        };
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(at(951_827_696, 789), "2000-02-29T12:34:56.000000789Z");
        assert_eq!(at(1_709_251_199, 0), "2024-02-29T23:59:59.000000000Z");
        assert_eq!(at(4_107_542_400, 0), "2100-03-01T00:00:00.000000000Z");
        assert_eq!(at(-14_182_940, 0), "1969-07-20T20:17:40.000000000Z");
        assert_eq!(at(-1, 999_999_999), "1969-12-31T23:59:59.999999999Z");
        assert_eq!(at(-9_223_372_037, 145_224_192), "1677-09-21T00:12:43.145224192Z");
    }
}
