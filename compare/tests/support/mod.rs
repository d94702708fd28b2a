//! Running the program, and looking at what it leaves behind.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "no test program uses all of it, and none is a library"
)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, process};

use vellum_compare::report::{Cell, Outcome, Report};

pub type TestResult = Result<(), Box<dyn Error>>;

/// A folder that goes with the test.
pub struct Dir(PathBuf);

impl Dir {
    pub fn new() -> std::io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("compare-test-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let dir = env::temp_dir().join(name);
        fs::create_dir_all(dir.join("databases"))?;
        Ok(Self(dir))
    }

    pub fn report(&self) -> Result<Report, Box<dyn Error>> {
        Ok(Report::read(&self.0.join("report.json"))?)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether databases or their folders are left.
    pub fn has_leftovers(&self) -> std::io::Result<bool> {
        Ok(fs::read_dir(self.0.join("databases"))?.next().is_some())
    }

    /// Starts `compare run` with `arguments`; reports and databases go here.
    pub fn start(&self, arguments: &[&str]) -> std::io::Result<Child> {
        Command::new(env!("CARGO_BIN_EXE_compare"))
            .arg("run")
            .args(arguments)
            .arg("--out")
            .arg(&self.0)
            .arg("--path")
            .arg(self.0.join("databases"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }

    pub fn run(&self, arguments: &[&str]) -> std::io::Result<Output> {
        self.start(arguments)?.wait_with_output()
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// The folder of the engines that misbehave.
pub const PLANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines");

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The cells of a row, by its name.
pub fn cells<'r>(report: &'r Report, name: &str) -> Vec<&'r Cell> {
    report.rows.iter().filter(|row| row.name() == name).flat_map(|row| &row.cells).collect()
}

pub fn is_measured(cell: &Cell) -> bool {
    matches!(&cell.outcome, Outcome::Measured(measured) if !measured.samples_ns.is_empty())
}
