//! An engine's place in a run: its process, its database, and what that holds.

use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use vellum_compare_protocol::{Created, Open, Opened, Ran, Request, Run};

use super::answer;
use crate::engine::{Process, Program, Ready, Trouble};
use crate::place::Place;
use crate::report::DatabaseReport;
use crate::workload::{Round, Scene, Workload};

/// How often an engine that is gone is started again in a workload.
const MOST_STARTS: usize = 4;

/// What an engine that was asked for an operation gave.
#[derive(Debug)]
pub enum Given {
    /// The right answer.
    Right(Ran),
    /// Another one.
    Wrong {
        /// The right answer.
        expected: String,
        /// The engine's.
        found: String,
    },
}

impl Given {
    /// Adds what a reader has to know about a right answer.
    pub fn noting(mut self, note: String) -> Self {
        if let Self::Right(ran) = &mut self {
            ran.notes.push(note);
        }
        self
    }
}

/// An engine at work on the database of a scene.
#[derive(Debug)]
pub struct Seat<'a> {
    /// The engine's name.
    pub name: String,
    /// Its variants.
    pub variants: Vec<String>,
    program: &'a Program,
    place: &'a Place,
    timeout: Duration,
    open: Open,
    filled: Option<Value>,
    process: Option<Process>,
    starts: usize,
    /// Why it is not started again.
    given_up: Option<Trouble>,
    indexes: Option<Vec<Vec<String>>>,
    /// The digest of the whole collection as it should be.
    collection: Option<Value>,
    updates: usize,
    report: DatabaseReport,
}

impl<'a> Seat<'a> {
    /// Makes the seat of an engine; nothing is started yet.
    pub fn new(
        ready: &'a Ready,
        place: &'a Place,
        timeout: Duration,
        durability: &str,
        workload: Workload,
        scene: &Scene,
    ) -> Self {
        let open = Open {
            workload: workload.name().to_owned(),
            dir: PathBuf::new(),
            durability: durability.to_owned(),
            count: scene.count,
            process: 0,
            processes: 1,
            documents: Vec::new(),
        };
        let report = DatabaseReport {
            workload: open.workload.clone(),
            count: scene.count,
            ..DatabaseReport::default()
        };
        Self {
            name: ready.name.clone(),
            variants: ready.hello.variants.clone(),
            program: &ready.program,
            place,
            timeout,
            open,
            filled: scene.filled.clone(),
            process: None,
            starts: 0,
            given_up: None,
            indexes: None,
            collection: None,
            updates: 0,
            report,
        }
    }

    /// Starts the engine and fills its database, unless that is done.
    pub fn start(&mut self) -> Result<(), Trouble> {
        if self.process.is_some() {
            return Ok(());
        }
        if let Some(reason) = self.given_up.clone() {
            return Err(reason);
        }
        self.starts += 1;
        let started = self.open();
        if let Err(trouble) = &started {
            self.process = None;
            if self.starts == MOST_STARTS || matches!(trouble, Trouble::Unsupported(_)) {
                self.given_up = Some(trouble.clone());
            }
        }
        started
    }

    fn open(&mut self) -> Result<(), Trouble> {
        let mut process = Process::start(self.program, self.timeout)?;
        let dir = self.place.fresh(&self.name).map_err(|error| Trouble::Failed(error.to_string()))?;
        self.open.dir = dir;
        let opened: Opened = process.ask(&Request::Open(self.open.clone()))?;
        (self.report.settings, self.report.notes) = (opened.settings, opened.notes);
        process.forget_peak();
        self.process = Some(process);
        self.indexes = Some(Vec::new());
        self.collection.clone_from(&self.filled);
        self.check_collection()
    }

    /// Makes `fields` the indexes, and returns the time of the creation.
    pub fn set_indexes(&mut self, fields: &[Vec<String>]) -> Result<Created, Trouble> {
        self.start()?;
        if self.indexes.as_deref() == Some(fields) {
            return Ok(Created { ns: vec![0], answer: fields.len() as u64 });
        }
        self.indexes = None;
        let created: Created = self.ask(&Request::Indexes { fields: fields.to_vec() })?;
        if created.answer != fields.len() as u64 {
            let (found, wanted) = (created.answer, fields.len());
            return Err(Trouble::Failed(format!("there are {found} indexes instead of {wanted}")));
        }
        self.indexes = Some(fields.to_vec());
        Ok(created)
    }

    /// Runs the next of `rounds` and holds what it returns, and what it leaves behind, against the oracle.
    pub fn run(&mut self, rounds: &[Round], variant: &str, repeat: usize) -> Result<Given, Trouble> {
        self.start()?;
        let Some(round) = rounds.get(self.updates % rounds.len().max(1)) else {
            return Err(Trouble::Failed("nothing to do".to_owned()));
        };
        if round.collection.is_some() {
            self.updates += 1;
            // Also what a failed update may have left behind.
            self.collection.clone_from(&round.collection);
        }
        let run = Run {
            op: round.op.clone(),
            variant: variant.to_owned(),
            repeat,
            parameters: round.parameters.clone(),
        };
        let ran: Ran = self.ask(&Request::Run(run))?;
        if ran.ns.len() != repeat.max(1) {
            let (found, wanted) = (ran.ns.len(), repeat);
            return Err(Trouble::Failed(format!("it gave {found} times instead of {wanted}")));
        }
        if !answer::is_right(&ran.answer, &round.expected) {
            return Ok(wrong(&round.expected, &ran.answer));
        }
        if let Some(expected) = &round.collection {
            let found = self.digest()?;
            if !answer::is_right(&found, expected) {
                return Ok(wrong(expected, &found));
            }
        }
        Ok(Given::Right(ran))
    }

    /// Opens the file again, holds the whole collection against the oracle, and returns what the report says.
    pub fn finish(mut self) -> DatabaseReport {
        if let Some(process) = &self.process {
            self.report.peak_bytes = process.peak_bytes();
            let reopened = self.ask::<Value>(&Request::Reopen).and_then(|_| self.check_collection());
            self.report.validated =
                Some(reopened.map_or_else(|trouble| trouble.to_string(), |()| "ok".to_owned()));
            // Closed, so that a log that is only kept while it is open is not counted.
            self.ask::<Value>(&Request::Close).ok();
            self.report.file_bytes = Place::bytes(&self.open.dir);
        }
        self.process = None;
        // What is left goes with the place at the latest.
        self.place.fresh(&self.name).ok();
        self.report
    }

    fn check_collection(&mut self) -> Result<(), Trouble> {
        let Some(expected) = self.collection.clone() else { return Ok(()) };
        let found = self.digest()?;
        if answer::is_right(&found, &expected) {
            return Ok(());
        }
        let (expected, found) = (answer::shown(&expected), answer::shown(&found));
        Err(Trouble::Failed(format!(
            "the collection is not the oracle's: expected {expected}, found {found}"
        )))
    }

    fn digest(&mut self) -> Result<Value, Trouble> {
        let reply: Value = self.ask(&Request::Digest)?;
        Ok(reply.get("answer").cloned().unwrap_or(json!(null)))
    }

    fn ask<T: DeserializeOwned>(&mut self, request: &Request) -> Result<T, Trouble> {
        let Some(process) = &mut self.process else {
            return Err(Trouble::Gone("the engine is gone".to_owned()));
        };
        let result = process.ask(request);
        if matches!(result, Err(Trouble::Gone(_) | Trouble::Interrupted)) {
            self.process = None;
        }
        result
    }
}

fn wrong(expected: &Value, found: &Value) -> Given {
    Given::Wrong { expected: answer::shown(expected), found: answer::shown(found) }
}
