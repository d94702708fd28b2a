//! `engine.toml`: how an engine is found, built and started.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result};

/// What an `engine.toml` says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// A few words for the report.
    pub about: String,
    /// One line that installs what it needs.
    pub install: String,
    /// Whether several processes may open one database.
    #[serde(default = "yes")]
    pub lets_share_a_file: bool,
    /// How it can be built and started; the first whose needs are met.
    pub way: Vec<Way>,
}

/// A way to build and start an engine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// Its name in the report.
    pub label: String,
    /// Programs that must be there.
    #[serde(default)]
    pub programs: Vec<String>,
    /// Options that must be given.
    #[serde(default)]
    pub options: Vec<String>,
    /// The commands that build it.
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// The command that starts it.
    pub run: Vec<String>,
}

impl Description {
    /// Reads the file at `path`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(Error::file(path))?;
        toml::from_str(&text)
            .map_err(|source| Error::Description { path: path.to_owned(), source: Box::new(source) })
    }
}

fn yes() -> bool {
    true
}
