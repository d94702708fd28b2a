//! A row of the result and its form in JSON.

use serde::Serialize;

use super::case::Name;
use crate::error::{Error, Result};
use crate::output;

/// The engine that a time belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Column {
    /// Vellum, the query compiled before.
    Compiled,
    /// Vellum, the query built and looked up at each call.
    Ordinary,
    /// The hand-written control, its index named.
    Control,
    /// The control's statement with no index named.
    Planner,
    /// A plain file.
    PlainFile,
}

impl Column {
    /// All, in the order of the table.
    pub(super) const ALL: [Self; 5] =
        [Self::Compiled, Self::Ordinary, Self::Control, Self::Planner, Self::PlainFile];

    /// Returns its heading.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Compiled => "compiled",
            Self::Ordinary => "ordinary",
            Self::Control => "control",
            Self::Planner => "planner",
            Self::PlainFile => "plain file",
        }
    }
}

/// One line of the result. Times are medians in milliseconds; what there is not is null.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    id: &'static str,
    case: &'static str,
    compiled_ms: Option<f64>,
    ordinary_ms: Option<f64>,
    control_ms: Option<f64>,
    planner_ms: Option<f64>,
    plain_file_ms: Option<f64>,
    /// Bytes that the operation added to the file.
    pub(super) bytes: Option<u64>,
    /// The peak of the heap.
    pub(super) heap_bytes: Option<u64>,
    ratio: Option<f64>,
    of: Column,
    /// What it is about.
    #[serde(skip)]
    pub(super) name: Name,
    /// The widest spread of a column, (p90 - p10) / median.
    #[serde(skip)]
    pub(super) spread: f64,
    /// Why there are no times.
    #[serde(skip)]
    pub(super) failure: Option<String>,
}

/// The whole result.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    /// In the order of ids.
    pub(super) rows: Vec<Row>,
}

impl Report {
    /// Returns the error of a run in which rows failed.
    pub(super) fn outcome(&self) -> Result<()> {
        match self.rows.iter().filter(|row| row.failure.is_some()).count() {
            0 => Ok(()),
            count => Err(Error::Failed { count }),
        }
    }

    /// Returns what the columns of the table are.
    pub(super) fn legend(&self) -> Vec<String> {
        let against_files = self.rows.iter().any(|row| row.of == Column::PlainFile);
        let (of, columns) = if against_files {
            ("plain file", "control: a file in one value of a table, by hand")
        } else {
            ("control", "control: SQL by hand, its index named; planner: the same with no index named")
        };
        let one = output::bar(1.0);
        let ratio = format!("\nratio: compiled / {of}, drawn so that {one} is 1; below it Vellum is faster");
        vec![ratio, columns.to_owned()]
    }
}

impl Row {
    /// Makes a row without times.
    pub(super) fn new(name: Name) -> Self {
        Self::against(Column::Control, name)
    }

    /// Makes a row without times whose ratio is to be that to `of`.
    pub(super) fn against(of: Column, name: Name) -> Self {
        Self {
            id: name.id,
            case: name.case,
            compiled_ms: None,
            ordinary_ms: None,
            control_ms: None,
            planner_ms: None,
            plain_file_ms: None,
            bytes: None,
            heap_bytes: None,
            ratio: None,
            of,
            name,
            spread: 0.0,
            failure: None,
        }
    }

    /// Makes the row of what could not be measured.
    pub(super) fn failed(name: Name, failure: String) -> Self {
        Self { failure: Some(failure), ..Self::new(name) }
    }

    /// Returns the time of `column`.
    pub(super) fn ms(&self, column: Column) -> Option<f64> {
        match column {
            Column::Compiled => self.compiled_ms,
            Column::Ordinary => self.ordinary_ms,
            Column::Control => self.control_ms,
            Column::Planner => self.planner_ms,
            Column::PlainFile => self.plain_file_ms,
        }
    }

    /// Sets the time of `column` and what follows from it.
    pub(super) fn set_ms(&mut self, column: Column, ms: f64) {
        *match column {
            Column::Compiled => &mut self.compiled_ms,
            Column::Ordinary => &mut self.ordinary_ms,
            Column::Control => &mut self.control_ms,
            Column::Planner => &mut self.planner_ms,
            Column::PlainFile => &mut self.plain_file_ms,
        } = Some(ms);
        self.ratio = self.compiled_ms.zip(self.ms(self.of)).map(|(ours, theirs)| ours / theirs);
    }

    /// Returns compiled / what it is held against, when there are both.
    pub(super) fn ratio(&self) -> Option<f64> {
        self.ratio
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_has_the_keys_of_the_workload_in_json() -> serde_json::Result<()> {
        let mut row = Row::new(Name { id: "EV5", case: "wide", title: "" });
        row.set_ms(Column::Control, 4.0);
        assert_eq!(row.ratio(), None);
        row.set_ms(Column::Compiled, 2.0);
        let expected = json!({"id": "EV5", "case": "wide", "compiled_ms": 2.0, "ordinary_ms": null, "control_ms": 4.0,
            "planner_ms": null, "plain_file_ms": null, "bytes": null, "heap_bytes": null, "ratio": 0.5, "of": "control"});
        assert_eq!(serde_json::to_value(Report { rows: vec![row] })?, json!({"rows": [expected]}));
        Ok(())
    }

    #[test]
    fn columns_are_named_in_json_as_the_workload_names_them() -> serde_json::Result<()> {
        let expected = json!(["compiled", "ordinary", "control", "planner", "plain_file"]);
        assert_eq!(serde_json::to_value(Column::ALL)?, expected);
        Ok(())
    }
}
