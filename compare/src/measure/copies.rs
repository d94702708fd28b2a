//! Copies of an engine that work on one file at the same time: workload TM.
//!
//! A sample is all phases on a fresh database. A phase lasts from the moment at which the first copy starts until the
//! last one is done, by the wall clock, which all of them share.

use std::path::Path;
use std::time::Duration;

use indicatif::ProgressBar;
use serde_json::{Value, json};
use vellum_compare_protocol::{Open, Opened, Ran, Request, Run, unix_now};

use super::{ROUNDS, answer, orders};
use crate::engine::{Process, Ready, Trouble};
use crate::interrupt;
use crate::place::Place;
use crate::report::{Cell, DatabaseReport, Measured, Outcome, Row};
use crate::workload::Workload;
use crate::workload::processes::{COUNT, PHASES, PROCESSES, Phase, left, parameters};

/// How long copies have to get ready before a phase.
const READY_NS: u64 = 20_000_000;

/// Measures all phases with each number of processes, and returns the rows and what became of the databases.
pub fn rows(
    ready: &[Ready],
    place: &Place,
    timeout: Duration,
    durability: &str,
    progress: &ProgressBar,
) -> (Vec<Row>, Vec<(String, DatabaseReport)>) {
    progress.inc_length((PROCESSES.len() * (1 + ROUNDS)) as u64);
    let (mut rows, mut databases) = (Vec::new(), Vec::new());
    for processes in PROCESSES {
        progress.set_message(format!("TM: {processes} processes"));
        let crew = |ready| Crew::each(ready, place, timeout, durability, processes);
        let mut crews: Vec<Crew<'_>> = ready.iter().flat_map(crew).collect();
        // The first round is warm and not counted.
        let first = [(0..crews.len()).collect()];
        for (round, order) in first.into_iter().chain(orders(crews.len())).enumerate() {
            for at in order {
                if let Some(crew) = crews.get_mut(at).filter(|_| !interrupt::is_wanted()) {
                    crew.sample(round > 0);
                }
            }
            progress.inc(1);
        }
        rows.extend(PHASES.iter().enumerate().map(|(at, phase)| row(*phase, at, processes, &crews)));
        databases.extend(crews.into_iter().filter_map(Crew::into_database));
    }
    (rows, databases)
}

fn row(phase: Phase, at: usize, processes: usize, crews: &[Crew<'_>]) -> Row {
    Row {
        workload: Workload::Processes.name().to_owned(),
        id: phase.op.to_owned(),
        case: format!("x{processes}"),
        title: phase.title.to_owned(),
        count: COUNT,
        items: Some(phase.items(processes) as u64),
        of: Workload::Processes.control().to_owned(),
        cells: crews.iter().map(|crew| crew.cell(at)).collect(),
    }
}

/// The copies of a variant of an engine.
struct Crew<'a> {
    ready: &'a Ready,
    variant: String,
    place: &'a Place,
    timeout: Duration,
    open: Open,
    copies: Vec<Process>,
    phases: [Vec<f64>; PHASES.len()],
    spoiled: Option<Outcome>,
    database: DatabaseReport,
}

impl<'a> Crew<'a> {
    fn each(
        ready: &'a Ready,
        place: &'a Place,
        timeout: Duration,
        durability: &str,
        processes: usize,
    ) -> Vec<Self> {
        let workload = Workload::Processes.name();
        let why = "one process at a time may open its file".to_owned();
        let crew = |variant: &String| Self {
            ready,
            variant: variant.clone(),
            place,
            timeout,
            open: Open {
                workload: workload.to_owned(),
                dir: Path::new("").to_owned(),
                durability: durability.to_owned(),
                count: COUNT,
                process: 0,
                processes,
                documents: Vec::new(),
            },
            copies: Vec::new(),
            phases: Default::default(),
            spoiled: (processes > 1 && !ready.lets_share_a_file)
                .then_some(Outcome::Unsupported { why: why.clone() }),
            database: DatabaseReport {
                workload: workload.to_owned(),
                count: COUNT,
                ..DatabaseReport::default()
            },
        };
        let variants = if ready.has(workload) { ready.hello.variants.as_slice() } else { &[] };
        variants.iter().map(crew).collect()
    }

    fn sample(&mut self, is_counted: bool) {
        if self.spoiled.is_some() {
            return;
        }
        match self.cycle(is_counted) {
            Ok(()) => {}
            Err(Spoil::Wrong { expected, found }) => self.spoiled = Some(Outcome::Wrong { expected, found }),
            Err(Spoil::Trouble(Trouble::Unsupported(why))) => {
                self.spoiled = Some(Outcome::Unsupported { why })
            }
            Err(Spoil::Trouble(trouble)) => self.spoiled = Some(Outcome::Failed { why: trouble.to_string() }),
        }
        if self.spoiled.is_some() {
            self.copies.clear();
        }
    }

    /// Does all phases on a fresh database, and looks at what they leave behind.
    fn cycle(&mut self, is_counted: bool) -> Result<(), Spoil> {
        self.start()?;
        let mut times = [0.0; PHASES.len()];
        for (phase, time) in PHASES.iter().zip(&mut times) {
            *time = self.phase(*phase)?;
        }
        self.check()?;
        if is_counted {
            self.phases.iter_mut().zip(times).for_each(|(samples, time)| samples.push(time));
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), Trouble> {
        while self.copies.len() < self.open.processes {
            self.copies.push(Process::start(&self.ready.program, self.timeout)?);
        }
        for copy in &mut self.copies {
            copy.ask::<Value>(&Request::Close)?;
        }
        let dir = self.place.fresh(&self.ready.name).map_err(|error| Trouble::Failed(error.to_string()))?;
        self.open.dir = dir;
        for (process, copy) in self.copies.iter_mut().enumerate() {
            let opened: Opened = copy.ask(&Request::Open(Open { process, ..self.open.clone() }))?;
            (self.database.settings, self.database.notes) = (opened.settings, opened.notes);
        }
        Ok(())
    }

    /// Lets all copies do a phase at once and returns how long it took.
    fn phase(&mut self, phase: Phase) -> Result<f64, Spoil> {
        let run = Run {
            op: phase.op.to_owned(),
            variant: self.variant.clone(),
            repeat: 1,
            parameters: parameters(unix_now() + READY_NS),
        };
        for copy in &mut self.copies {
            copy.send(&Request::Run(run.clone()))?;
        }
        let (mut start, mut end, mut found) = (u64::MAX, 0, 0);
        for copy in &mut self.copies {
            let ran: Ran = copy.receive()?;
            start = start.min(ran.start_unix_ns.unwrap_or_default());
            end = end.max(ran.end_unix_ns.unwrap_or_default());
            found += ran.answer.as_i64().unwrap_or_default();
        }
        hold(&json!(phase.expected(self.copies.len())), &json!(found))?;
        match end.checked_sub(start) {
            Some(ns) if start > 0 && ns > 0 => Ok(ns as f64),
            _ => Err(Trouble::Failed("it gave no times".to_owned()).into()),
        }
    }

    fn check(&mut self) -> Result<(), Spoil> {
        for copy in self.copies.iter_mut().skip(1) {
            copy.ask::<Value>(&Request::Close)?;
        }
        let Some(first) = self.copies.first_mut() else { return Ok(()) };
        first.ask::<Value>(&Request::Reopen)?;
        let reply: Value = first.ask(&Request::Digest)?;
        let found = reply.get("answer").cloned().unwrap_or_default();
        first.ask::<Value>(&Request::Close)?;
        self.database.file_bytes = Place::bytes(&self.open.dir);
        self.database.peak_bytes = self.copies.iter().map(Process::peak_bytes).sum();
        let held = hold(&left(), &found);
        self.database.validated = Some(if held.is_ok() { "ok" } else { "not what was written" }.to_owned());
        held
    }

    fn cell(&self, phase: usize) -> Cell {
        let samples = self.phases.get(phase).cloned().unwrap_or_default();
        let outcome = match &self.spoiled {
            Some(outcome) => outcome.clone(),
            None if samples.is_empty() => Outcome::Failed { why: "interrupted".to_owned() },
            None => Outcome::Measured(Measured { samples_ns: samples, calls: 1, ..Measured::default() }),
        };
        Cell { engine: self.ready.name.clone(), variant: self.variant.clone(), outcome }
    }

    fn into_database(mut self) -> Option<(String, DatabaseReport)> {
        self.copies.clear();
        self.place.fresh(&self.ready.name).ok();
        self.database.workload =
            format!("{} x{} {}", self.database.workload, self.open.processes, self.variant);
        self.database.validated.is_some().then(|| (self.ready.name.clone(), self.database))
    }
}

/// Why a sample does not count.
enum Spoil {
    Trouble(Trouble),
    Wrong { expected: String, found: String },
}

impl From<Trouble> for Spoil {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

fn hold(expected: &Value, found: &Value) -> Result<(), Spoil> {
    if answer::is_right(found, expected) {
        return Ok(());
    }
    Err(Spoil::Wrong { expected: answer::shown(expected), found: answer::shown(found) })
}
