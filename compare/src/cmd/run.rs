//! `compare run`.

use std::io::Write;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs};

use indicatif::ProgressBar;

use super::Ending;
use crate::args::{RunArguments, Size};
use crate::engine::{Engine, Process, Ready};
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::measure::seat::Seat;
use crate::measure::{self, Budget, copies, matrix};
use crate::place::Place;
use crate::report::{self, DatabaseReport, EngineReport, Report};
use crate::workload::{Scene, Workload};
use crate::{interrupt, progress};

/// Runs the workloads, writes the reports and prints the table to `out`.
pub(super) fn run(arguments: &RunArguments, out: &mut impl Write) -> Result<Ending> {
    let engines = Engine::wanted(Engine::all(&arguments.engines.engines)?, &arguments.engine)?;
    fs::create_dir_all(&arguments.out).map_err(Error::file(&arguments.out))?;
    interrupt::catch()?;
    let place = Place::new(arguments.path.as_deref())?;
    let started = Instant::now();
    let mut session = Session::new(arguments, &place);
    session.build(&engines);
    for &workload in &arguments.workload {
        // Those that have one size run once.
        let sizes = if workload.has_sizes() { arguments.size.as_slice() } else { &[Size::Full] };
        sizes.iter().for_each(|&size| session.workload(workload, size));
    }
    session.progress.finish_and_clear();
    let mut report = session.report;
    report.seconds = started.elapsed().as_secs_f64();
    report.is_partial = interrupt::is_wanted();
    report.write(&arguments.out)?;
    report.render(&arguments.out)?;
    let written = report::terminal(&report, out)
        .and_then(|()| writeln!(out, "\nreports are in {}", arguments.out.display()));
    written.map_err(|source| Error::Output { source })?;
    Ok(match report.failures() {
        _ if report.is_partial => Ending::Interrupted,
        0 => Ending::Well,
        _ => Ending::Failures,
    })
}

/// A run on its way.
struct Session<'a> {
    arguments: &'a RunArguments,
    place: &'a Place,
    /// The engines that can run.
    ready: Vec<Ready>,
    progress: ProgressBar,
    report: Report,
}

impl<'a> Session<'a> {
    fn new(arguments: &'a RunArguments, place: &'a Place) -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let words: Vec<String> = env::args().skip(1).collect();
        let report = Report {
            command: format!("compare {}", words.join(" ")),
            started_unix_s: started.as_secs(),
            machine: Machine::this(place.parent()),
            durability: arguments.durability.name().to_owned(),
            place: place.parent().display().to_string(),
            ..Report::default()
        };
        Self { arguments, place, ready: Vec::new(), progress: progress::bar(0), report }
    }

    /// Builds all engines and asks each who it is.
    fn build(&mut self, engines: &[Engine]) {
        self.progress.set_length(engines.len() as u64);
        for engine in engines {
            if interrupt::is_wanted() {
                return;
            }
            self.progress.set_message(format!("building {}", engine.name));
            let mut said = EngineReport {
                name: engine.name.clone(),
                about: engine.description.about.clone(),
                install: engine.description.install.clone(),
                ..EngineReport::default()
            };
            match self.ready(engine) {
                Ok(ready) => {
                    said.way.clone_from(&ready.program.label);
                    said.version.clone_from(&ready.hello.version);
                    said.runtime.clone_from(&ready.hello.runtime);
                    let lacks =
                        |workload: &&Workload| workload.missing().is_none() && !ready.has(workload.name());
                    let lacking = self.arguments.workload.iter().filter(lacks);
                    said.lacks = lacking.map(|workload| workload.name().to_owned()).collect();
                    self.ready.push(ready);
                }
                Err(reason) => said.not_run = Some(reason),
            }
            self.report.engines.push(said);
            self.progress.inc(1);
        }
    }

    fn ready(&self, engine: &Engine) -> std::result::Result<Ready, String> {
        let program = engine.build(&self.arguments.engines)?;
        let process = Process::start(&program, self.timeout()).map_err(|trouble| trouble.to_string())?;
        let lets_share_a_file = engine.description.lets_share_a_file;
        Ok(Ready { name: engine.name.clone(), program, lets_share_a_file, hello: process.hello.clone() })
    }

    fn workload(&mut self, workload: Workload, size: Size) {
        if let Some(reason) = workload.missing() {
            self.report.missing.push((workload.name().to_owned(), reason.to_owned()));
            return;
        }
        let (timeout, durability) = (self.timeout(), self.arguments.durability.name());
        match workload {
            Workload::Processes => {
                let (rows, databases) =
                    copies::rows(&self.ready, self.place, timeout, durability, &self.progress);
                self.report.rows.extend(rows);
                databases.into_iter().for_each(|(engine, database)| self.keep(&engine, database));
            }
            Workload::Matrix => {
                let rows = matrix::rows(&self.ready, self.place, timeout, durability, &self.progress);
                self.report.matrix.extend(rows);
            }
            _ => {
                if let Some(scene) = workload.scene(size) {
                    self.scene(workload, &scene);
                }
            }
        }
    }

    fn scene(&mut self, workload: Workload, scene: &Scene) {
        let durability = self.arguments.durability.name();
        let able = self.ready.iter().filter(|ready| ready.has(workload.name()));
        let mut seats: Vec<Seat<'_>> = able
            .map(|ready| Seat::new(ready, self.place, self.timeout(), durability, workload, scene))
            .collect();
        let budget = Budget { ns: self.arguments.budget * 1e9 };
        let only = self.arguments.only.as_deref();
        let rows = measure::scene(workload, scene, &mut seats, budget, only, &self.progress);
        self.report.rows.extend(rows);
        let mut databases = Vec::new();
        for seat in seats {
            self.progress.set_message(format!("{}: opening the file again", seat.name));
            databases.push((seat.name.clone(), seat.finish()));
        }
        databases.into_iter().for_each(|(engine, database)| self.keep(&engine, database));
    }

    fn keep(&mut self, engine: &str, database: DatabaseReport) {
        if let Some(engine) = self.report.engines.iter_mut().find(|known| known.name == engine) {
            engine.databases.push(database);
        }
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.arguments.timeout)
    }
}
