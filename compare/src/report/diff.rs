//! What changed between two runs.

use std::io::{self, Write};

use super::{Cell, Report, Row, figure};
use crate::measure::statistics;

/// How far a ratio has to move, beyond the spread of the samples, to be named.
const LEAST: f64 = 0.05;

/// A cell whose ratio to the control has changed by more than the samples spread.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The operation.
    pub name: String,
    /// How many documents.
    pub count: usize,
    /// The engine and the variant.
    pub engine: String,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
}

/// Returns what changed from `before` to `after`. Times are compared as ratios to the control of their own run, so that
/// a slower machine is no change; where there is no control, or for the control itself, as times.
pub fn changes(before: &Report, after: &Report) -> Vec<Change> {
    let mut changes = Vec::new();
    for row in &after.rows {
        let is_same = |old: &&Row| old.name() == row.name() && old.count == row.count;
        let Some(old_row) = before.rows.iter().find(is_same) else { continue };
        for cell in &row.cells {
            let is_same = |old: &&Cell| old.engine == cell.engine && old.variant == cell.variant;
            let Some(old) = old_row.cells.iter().find(is_same) else { continue };
            if let Some((before, after)) = moved(old_row, old, row, cell) {
                let engine = [cell.engine.as_str(), cell.variant.as_str()].join(" ");
                changes.push(Change { name: row.name(), count: row.count, engine, before, after });
            }
        }
    }
    changes
}

/// Writes the changes for people.
pub fn diff(before: &Report, after: &Report, out: &mut impl Write) -> io::Result<()> {
    let changes = changes(before, after);
    if changes.is_empty() {
        return writeln!(out, "nothing changed by more than its samples spread");
    }
    if before.machine.processor != after.machine.processor || before.durability != after.durability {
        writeln!(out, "the machine or the durability differs; ratios to the control are compared\n")?;
    }
    for Change { name, count, engine, before, after } in changes {
        writeln!(out, "{name} of {count}, {engine}: {before} -> {after}")?;
    }
    Ok(())
}

fn moved(old_row: &Row, old: &Cell, row: &Row, cell: &Cell) -> Option<(String, String)> {
    let (Some(old_ns), Some(ns)) = (old.median_ns(), cell.median_ns()) else {
        let said = |cell: &Cell| cell.median_ns().map_or_else(|| cell.outcome.reason(), figure::time);
        return (said(old) != said(cell) && (old.median_ns().is_some() || cell.median_ns().is_some()))
            .then(|| (said(old), said(cell)));
    };
    let noise = LEAST + spread(old).max(spread(cell));
    let ratios = (cell.engine != row.of).then(|| Some((old_row.ratio(old_ns)?, row.ratio(ns)?)));
    let ((old_figure, new_figure), shown): ((f64, f64), fn(f64) -> String) = match ratios.flatten() {
        Some(ratios) => (ratios, figure::ratio),
        None => ((old_ns, ns), figure::time),
    };
    let change = (new_figure / old_figure).max(old_figure / new_figure) - 1.0;
    (change > noise).then(|| (shown(old_figure), shown(new_figure)))
}

fn spread(cell: &Cell) -> f64 {
    cell.measured().map(|measured| statistics::spread(&measured.samples_ns)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{Measured, Outcome};
    use super::*;

    fn report(control: f64, ours: Outcome) -> Report {
        let measured = Outcome::Measured(Measured { samples_ns: vec![control], ..Measured::default() });
        let cell =
            |engine: &str, outcome| Cell { engine: engine.to_owned(), variant: "v".to_owned(), outcome };
        let row = Row {
            workload: "EV".to_owned(),
            id: "EV4".to_owned(),
            case: String::new(),
            title: String::new(),
            count: 9,
            items: None,
            of: "rusqlite".to_owned(),
            cells: vec![cell("rusqlite", measured), cell("vellum", ours)],
        };
        Report { rows: vec![row], ..Report::default() }
    }

    fn times(samples: &[f64]) -> Outcome {
        Outcome::Measured(Measured { samples_ns: samples.to_vec(), ..Measured::default() })
    }

    #[test]
    fn a_slower_machine_is_no_change_of_a_ratio() {
        let changes = changes(&report(100.0, times(&[50.0])), &report(200.0, times(&[101.0])));
        // The control itself has no ratio.
        assert_eq!(changes.iter().map(|change| change.engine.as_str()).collect::<Vec<_>>(), ["rusqlite v"]);
    }

    #[test]
    fn a_change_beyond_the_spread_is_named_and_one_within_it_is_not() {
        let steady = changes(&report(100.0, times(&[50.0])), &report(100.0, times(&[70.0])));
        assert_eq!(steady.len(), 1);
        assert_eq!((steady[0].before.as_str(), steady[0].after.as_str()), ("0.50", "0.70"));
        let noisy = changes(&report(100.0, times(&[30.0, 50.0, 70.0])), &report(100.0, times(&[70.0])));
        assert_eq!(noisy, []);
    }

    #[test]
    fn an_answer_that_became_wrong_is_a_change() {
        let wrong = Outcome::Wrong { expected: "1".to_owned(), found: "2".to_owned() };
        let changes = changes(&report(100.0, times(&[50.0])), &report(100.0, wrong));
        assert_eq!(changes[0].after, "WRONG: expected 1, found 2");
    }
}
