//! What a run found: everything as JSON, and what is made of it.

mod diff;
mod figure;
mod html;
mod markdown;
mod table;

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::measure::statistics;

pub use diff::{Change, changes, diff};
pub use html::html;
pub use markdown::markdown;
pub use table::terminal;

/// A run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The command.
    pub command: String,
    /// When it began, in seconds since 1970.
    pub started_unix_s: u64,
    /// How long it took.
    pub seconds: f64,
    /// The machine.
    pub machine: Machine,
    /// What a commit survives: `full` or `off`.
    pub durability: String,
    /// Where the databases were.
    pub place: String,
    /// Whether it was ended by the user, so that rows are missing.
    pub is_partial: bool,
    /// The engines, those that could not run too.
    pub engines: Vec<EngineReport>,
    /// The measured operations.
    pub rows: Vec<Row>,
    /// The workloads that were asked for and cannot be run yet, with the reason.
    pub missing: Vec<(String, String)>,
    /// The correctness matrix.
    pub matrix: Vec<MatrixRow>,
}

/// An engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EngineReport {
    /// Its name.
    pub name: String,
    /// A few words about it.
    pub about: String,
    /// Why it did not run.
    pub not_run: Option<String>,
    /// How to install what it needs.
    pub install: String,
    /// How it was built and started.
    pub way: String,
    /// The version of the database.
    pub version: String,
    /// What runs it.
    pub runtime: String,
    /// The workloads that were asked for and that it has not.
    pub lacks: Vec<String>,
    /// Its databases.
    pub databases: Vec<DatabaseReport>,
}

/// A database at the end of a workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DatabaseReport {
    /// The workload.
    pub workload: String,
    /// How many documents it was filled with.
    pub count: usize,
    /// How it was opened.
    pub settings: Map<String, Value>,
    /// What else is worth saying.
    pub notes: Vec<String>,
    /// The most memory of its process during the operations, 0 where it is not known.
    pub peak_bytes: u64,
    /// The size of its files at the end.
    pub file_bytes: u64,
    /// `ok`, or what was wrong when it was opened again and read as a whole.
    pub validated: Option<String>,
}

impl DatabaseReport {
    /// Returns how it was opened and what else is worth saying, in one line.
    fn said(&self) -> String {
        let settings = self.settings.iter().map(|(name, value)| {
            format!("{name}: {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        });
        settings.chain(self.notes.iter().cloned()).collect::<Vec<_>>().join("; ")
    }
}

/// An operation, on all engines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// `EV`.
    pub workload: String,
    /// `EV5`.
    pub id: String,
    /// Which of several under this id.
    pub case: String,
    /// A few words.
    pub title: String,
    /// How many documents the database holds.
    pub count: usize,
    /// How many documents are worked on.
    pub items: Option<u64>,
    /// The engine that ratios are to.
    pub of: String,
    /// The engines.
    pub cells: Vec<Cell>,
}

/// An operation on one variant of one engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The engine.
    pub engine: String,
    /// The variant.
    pub variant: String,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It was right each time.
    Measured(Measured),
    /// It was wrong, so that no time of it counts.
    Wrong {
        /// The right answer.
        expected: String,
        /// The engine's.
        found: String,
    },
    /// The engine's API cannot express it.
    Unsupported {
        /// Why.
        why: String,
    },
    /// The engine failed.
    Failed {
        /// Why.
        why: String,
    },
}

/// The samples of an operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Each is the mean of `calls` calls.
    pub samples_ns: Vec<f64>,
    /// Calls in a sample.
    pub calls: usize,
    /// Whether a call that is not counted was made before each sample.
    pub is_rewarmed: bool,
    /// Whether the one sample is that of the first call, because it took so long.
    pub is_cold: bool,
    /// The least processor time of a call.
    pub cpu_ns: Option<f64>,
    /// Where the engine had to emulate.
    pub notes: Vec<String>,
    /// The engine's own text of its plan.
    pub plan: Option<String>,
}

/// A case of the correctness matrix, on all engines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatrixRow {
    /// Its name.
    pub case: String,
    /// What is asked.
    pub title: String,
    /// The right answer.
    pub expected: String,
    /// The engines.
    pub cells: Vec<MatrixCell>,
}

/// A case of the matrix on one engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatrixCell {
    /// The engine.
    pub engine: String,
    /// What it said.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What an engine said to a case of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// The right answer.
    Right,
    /// Another one, or an error where there is a right answer.
    Wrong {
        /// What it said.
        said: String,
    },
    /// The engine's API cannot express it.
    NotExpressible {
        /// Why.
        why: String,
    },
}

impl Report {
    /// Reads the report at `path`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(Error::file(path))?;
        serde_json::from_str(&text).map_err(|source| Error::Report { path: path.to_owned(), source })
    }

    /// Writes report.json to `dir`.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join("report.json");
        let text = serde_json::to_string_pretty(self)
            .map_err(|source| Error::Report { path: path.clone(), source })?;
        fs::write(&path, text).map_err(Error::file(&path))
    }

    /// Writes what is made of it to `dir`.
    pub fn render(&self, dir: &Path) -> Result<()> {
        for (name, text) in [("report.md", markdown(self)), ("report.html", html(self))] {
            let path = dir.join(name);
            fs::write(&path, text).map_err(Error::file(&path))?;
        }
        Ok(())
    }

    /// Returns the cells with a wrong answer, each with its row.
    pub fn wrong(&self) -> impl Iterator<Item = (&Row, &Cell)> {
        self.cells().filter(|(_, cell)| matches!(cell.outcome, Outcome::Wrong { .. }))
    }

    /// Returns how much went wrong: wrong answers, failures, and files that are not what they should be.
    pub fn failures(&self) -> usize {
        let is_failure = |cell: &Cell| matches!(cell.outcome, Outcome::Wrong { .. } | Outcome::Failed { .. });
        let databases = self.engines.iter().flat_map(|engine| &engine.databases);
        let unsound =
            databases.filter(|database| database.validated.as_deref().is_some_and(|said| said != "ok"));
        self.cells().filter(|(_, cell)| is_failure(cell)).count() + unsound.count()
    }

    fn cells(&self) -> impl Iterator<Item = (&Row, &Cell)> {
        self.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
    }
}

impl Row {
    /// Returns `EV5 wide`.
    pub fn name(&self) -> String {
        [self.id.as_str(), self.case.as_str()].join(" ").trim().to_owned()
    }

    /// Returns the median of the fastest variant of `engine`.
    pub fn best_ns(&self, engine: &str) -> Option<f64> {
        let medians = self.cells.iter().filter(|cell| cell.engine == engine).filter_map(Cell::median_ns);
        medians.min_by(f64::total_cmp)
    }

    /// Returns `ns` as a ratio to the best of the control, when that has a time.
    pub fn ratio(&self, ns: f64) -> Option<f64> {
        self.best_ns(&self.of).map(|control| ns / control)
    }

    /// Returns the engines that have a time, each with the median of its fastest variant, the fastest first.
    pub fn ranking(&self) -> Vec<(&str, f64)> {
        let mut ranking: Vec<(&str, f64)> = Vec::new();
        for cell in &self.cells {
            let is_new = !ranking.iter().any(|(engine, _)| *engine == cell.engine);
            if let Some(best) = self.best_ns(&cell.engine).filter(|_| is_new) {
                ranking.push((&cell.engine, best));
            }
        }
        ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
        ranking
    }
}

impl Cell {
    /// Returns the samples.
    pub fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            _ => None,
        }
    }

    /// Returns the median of the samples.
    pub fn median_ns(&self) -> Option<f64> {
        self.measured().map(|measured| statistics::median(&measured.samples_ns))
    }
}

impl Outcome {
    /// Says in a line why there is no time; empty when there is one.
    pub fn reason(&self) -> String {
        match self {
            Self::Measured(_) => String::new(),
            Self::Wrong { expected, found } => format!("WRONG: expected {expected}, found {found}"),
            Self::Unsupported { why } => format!("cannot: {why}"),
            Self::Failed { why } => format!("failed: {why}"),
        }
    }
}
