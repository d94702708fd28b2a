//! A process that ends in the midst of a scenario: the test program again, told by its environment where to stop.

use std::io::{Write, stdout};
use std::process::Command;

use super::Result;
use super::history::History;
use super::place::{OnPanic, Place};
use super::points;
use super::run::run;
use super::scenario::Scenario;
use crate::Options;
use crate::store::faults::{Disk, Fault, How};

const FILE: &str = "VELLUM_FAULTS_FILE";
const AT: &str = "VELLUM_FAULTS_AT";
const ACKNOWLEDGED: &str = "acknowledged";

fn fault(at: u64) -> Fault {
    Fault { how: How::Death, at, lasting: false }
}

/// Does the part of the process that ends, where this is it. Returns whether it is.
pub(super) fn is_child(scenario: &Scenario) -> Result<bool> {
    let Some(file) = std::env::var_os(FILE) else { return Ok(false) };
    let disk = Disk::new();
    disk.arm(fault(std::env::var(AT)?.parse()?));
    let db = Options::new().vfs(disk.name()).open(file)?;
    for step in scenario.steps {
        (step.run)(&db)?;
        writeln!(stdout(), "{ACKNOWLEDGED}")?;
        stdout().flush()?;
    }
    Ok(true)
}

/// Lets processes end at calls of a scenario, and looks at what they leave.
pub(super) fn survive(scenario: &Scenario, place: &Place<'_>) -> Result {
    let sound = run(place, fault(u64::MAX))?;
    for at in points(sound.calls) {
        let _told = OnPanic(format!("{}, a process that ends at call {at}", scenario.name));
        let file = place.file()?;
        let test = format!("{}::{}", module_path!(), scenario.name).replace("::death::", "::");
        let test = test.split_once("::").map_or("", |(_, test)| test);
        let child = Command::new(std::env::current_exe()?)
            .args(["--exact", test, "--nocapture"])
            .env(FILE, &file)
            .env(AT, at.to_string())
            .output()?;
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(said.contains("running 1 test"), "no test is called {test}");
        let is_dead = child.status.code().is_none();
        assert!(is_dead || said.contains("1 passed"), "it failed: {said}");
        after(place, said.matches(ACKNOWLEDGED).count()).check(&file)?;
    }
    Ok(())
}

/// Returns what the file can hold after so many steps were acknowledged, and the next one was perhaps done.
fn after(place: &Place<'_>, acknowledged: usize) -> History {
    let mut history = History::of(place.prepared.clone());
    let mut steps = place.scenario.steps.iter();
    steps.by_ref().take(acknowledged).for_each(|step| history.acknowledge(step.effect));
    steps.next().into_iter().for_each(|step| history.doubt(step.effect));
    history
}
