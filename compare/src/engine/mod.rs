//! Engines: programs under `compare/engines`, found, built and started by what their `engine.toml` says.

mod build;
mod description;
mod memory;
mod process;

use std::fs;
use std::path::{Path, PathBuf};

use vellum_compare_protocol::Hello;

use crate::args::EngineArguments;
use crate::error::{Error, Result};

pub use build::Program;
pub use description::Description;
pub use process::{Process, Trouble};

/// An engine, which may be able to run here or not.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The name of its folder.
    pub name: String,
    /// Its folder.
    pub source: PathBuf,
    /// What its `engine.toml` says.
    pub description: Description,
}

impl Engine {
    /// Returns the engines under `dir`, the controls and Vellum first.
    pub fn all(dir: &Path) -> Result<Vec<Self>> {
        let mut engines = Vec::new();
        for entry in fs::read_dir(dir).map_err(Error::file(dir))? {
            let source = entry.map_err(Error::file(dir))?.path();
            let description = source.join("engine.toml");
            if description.is_file() {
                let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
                engines.push(Self { name, description: Description::read(&description)?, source });
            }
        }
        engines.sort_by_key(|engine| (rank(&engine.name), engine.name.clone()));
        Ok(engines)
    }

    /// Returns those of `engines` that are `wanted`, or all when none is named.
    pub fn wanted(engines: Vec<Self>, wanted: &[String]) -> Result<Vec<Self>> {
        let known: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
        if let Some(name) = wanted.iter().find(|name| !known.contains(name)) {
            return Err(Error::UnknownEngine { name: name.clone(), known });
        }
        let is_wanted = |engine: &Self| wanted.is_empty() || wanted.contains(&engine.name);
        Ok(engines.into_iter().filter(is_wanted).collect())
    }

    /// Builds the engine; an error is the reason why it cannot run here.
    pub fn build(&self, arguments: &EngineArguments) -> std::result::Result<Program, String> {
        build::build(self, arguments)
    }
}

/// An engine that was built and has said who it is.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Its name.
    pub name: String,
    /// How it is started.
    pub program: Program,
    /// Whether several processes may open one database.
    pub lets_share_a_file: bool,
    /// Who it is.
    pub hello: Hello,
}

impl Ready {
    /// Returns whether it can be asked for a workload.
    pub fn has(&self, workload: &str) -> bool {
        self.hello.workloads.iter().any(|known| known == workload)
    }
}

/// The name of the engine that ratios are to, but for files.
pub const CONTROL: &str = "rusqlite";

fn rank(name: &str) -> u8 {
    match name {
        CONTROL => 0,
        "files" => 1,
        "vellum" => 2,
        _ => 3,
    }
}
