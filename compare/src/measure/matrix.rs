//! Asking every engine the cases of the correctness matrix.

use std::time::Duration;

use indicatif::ProgressBar;
use serde_json::{Value, json};
use vellum_compare_protocol::{Open, Opened, Ran, Request, Run};

use super::answer;
use crate::engine::{Process, Ready, Trouble};
use crate::interrupt;
use crate::place::Place;
use crate::report::{MatrixCell, MatrixRow, Verdict};
use crate::workload::Workload;
use crate::workload::matrix::{Case, cases, documents};

/// Returns a row for each case, with a cell for each engine that has the matrix.
pub fn rows(
    ready: &[Ready],
    place: &Place,
    timeout: Duration,
    durability: &str,
    progress: &ProgressBar,
) -> Vec<MatrixRow> {
    let cases = cases();
    let row = |case: &Case| MatrixRow {
        case: case.case.to_owned(),
        title: case.title.to_owned(),
        expected: case.expected.shown(),
        cells: Vec::new(),
    };
    let mut rows: Vec<MatrixRow> = cases.iter().map(row).collect();
    for ready in ready.iter().filter(|ready| ready.has(Workload::Matrix.name())) {
        progress.inc_length(cases.len() as u64);
        let mut witness = Witness { ready, place, timeout, durability, process: None };
        for (case, row) in cases.iter().zip(&mut rows) {
            if interrupt::is_wanted() {
                break;
            }
            progress.set_message(format!("MX {}: {}", ready.name, case.case));
            row.cells.push(MatrixCell { engine: ready.name.clone(), verdict: witness.verdict(case) });
            progress.inc(1);
        }
    }
    rows.retain(|row| !row.cells.is_empty());
    rows
}

/// An engine that is asked.
struct Witness<'a> {
    ready: &'a Ready,
    place: &'a Place,
    timeout: Duration,
    durability: &'a str,
    process: Option<Process>,
}

impl Witness<'_> {
    fn verdict(&mut self, case: &Case) -> Verdict {
        let expected = case.expected.of(&self.ready.hello.language);
        match self.ask(case) {
            Ok(found) if answer::is_right(&found, &expected) => Verdict::Right,
            Ok(found) => Verdict::Wrong { said: answer::shown(&found) },
            Err(Trouble::Unsupported(why)) => Verdict::NotExpressible { why },
            Err(trouble) => {
                // What it knows now is in doubt.
                self.process = None;
                Verdict::Wrong { said: trouble.to_string() }
            }
        }
    }

    /// Asks on a database of its own, since some cases write.
    fn ask(&mut self, case: &Case) -> Result<Value, Trouble> {
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start(&self.ready.program, self.timeout)?),
        };
        process.ask::<Value>(&Request::Close)?;
        let dir = self.place.fresh(&self.ready.name).map_err(|error| Trouble::Failed(error.to_string()))?;
        let documents = documents();
        let open = Open {
            workload: Workload::Matrix.name().to_owned(),
            dir,
            durability: self.durability.to_owned(),
            count: documents.len(),
            process: 0,
            processes: 1,
            documents,
        };
        process.ask::<Opened>(&Request::Open(open))?;
        let mut parameters = case.parameters.clone();
        parameters.insert("case".to_owned(), json!(case.case));
        let variant = process.hello.variants.first().cloned().unwrap_or_default();
        let run = Run { op: Workload::Matrix.name().to_owned(), variant, repeat: 1, parameters };
        process.ask::<Ran>(&Request::Run(run)).map(|ran| ran.answer)
    }
}

impl Drop for Witness<'_> {
    fn drop(&mut self) {
        self.process = None;
        // What is left goes with the place at the latest.
        self.place.fresh(&self.ready.name).ok();
    }
}
