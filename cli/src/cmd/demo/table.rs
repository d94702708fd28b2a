//! The rows as a table for people.

use super::rows::{Column, Row};
use crate::output::{Align, Table, bar, bytes};

/// Returns the table of `rows`, all measured at the same `synchronous`, without the columns that none of them fills.
pub(super) fn table(rows: &[Row], synchronous: &str) -> Table {
    let columns = Column::ALL.into_iter().filter(|&column| {
        // The two that the demo is about are always there.
        matches!(column, Column::Compiled | Column::Control)
            || rows.iter().any(|row| row.ms(column).is_some())
    });
    let columns: Vec<Column> = columns.collect();
    let mut table = Table::new();
    table.column("id", Align::Left, rows.iter().map(|row| row.name.id.to_owned()));
    table.column("case", Align::Left, rows.iter().map(|row| row.name.case.to_owned()));
    table.column("operation", Align::Left, rows.iter().map(|row| row.name.title.to_owned()));
    table.column("sync", Align::Left, rows.iter().map(|_row| synchronous.to_owned()));
    for column in columns {
        table.column(
            column.name(),
            Align::Right,
            rows.iter().map(|row| row.ms(column).map_or_else(dash, milliseconds)),
        );
    }
    table.column("spread", Align::Right, rows.iter().map(|row| format!("{:.0}%", row.spread * 100.0)));
    table.column(
        "ratio",
        Align::Right,
        rows.iter().map(|row| row.ratio().map_or_else(dash, |ratio| format!("{ratio:.2}"))),
    );
    table.column("", Align::Left, rows.iter().map(note));
    table
}

fn note(row: &Row) -> String {
    if let Some(failure) = &row.failure {
        return format!("failed: {failure}");
    }
    let notes = [
        row.ratio().map(bar),
        row.bytes.map(|added| format!("adds {}", bytes(added))),
        row.heap_bytes.map(|peak| format!("heap peak {}", bytes(peak))),
    ];
    notes.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

/// Three significant figures.
fn milliseconds(ms: f64) -> String {
    match ms {
        ..1.0 => format!("{ms:.4}"),
        ..10.0 => format!("{ms:.2}"),
        ..100.0 => format!("{ms:.1}"),
        _ => format!("{ms:.0}"),
    }
}

fn dash() -> String {
    "-".to_owned()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::super::case::Name;
    use super::*;

    #[test]
    fn a_row_shows_its_ratio_or_why_it_failed() -> io::Result<()> {
        let mut measured = Row::new(Name { id: "EV4", case: "", title: "count" });
        measured.set_ms(Column::Compiled, 0.5);
        measured.set_ms(Column::Control, 1.0);
        let failed = Row::failed(Name { id: "EV5", case: "wide", title: "count" }, "disk full".to_owned());
        let mut out = Vec::new();
        table(&[measured, failed], "FULL").write(&mut out)?;
        let expected = "\
id   case  operation  sync  compiled  control  spread  ratio
EV4        count      FULL    0.5000     1.00      0%   0.50  #####
EV5  wide  count      FULL         -        -      0%      -  failed: disk full
";
        assert_eq!(String::from_utf8_lossy(&out), expected);
        Ok(())
    }
}
