//! The arguments, typed; nothing here reads a file or prints.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand};

use crate::cmd::{self, COMMANDS};

/// The arguments of `vellum demo`.
#[derive(Args, Clone, Debug)]
pub(crate) struct DemoArgs {
    /// How many events to work on
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000_000))]
    pub(crate) events: usize,

    /// Work on this file, which must not exist yet, and keep it; else on a temporary file in memory where the system
    /// has such a place
    #[arg(long, value_name = "FILE", conflicts_with = "memory")]
    pub(crate) path: Option<PathBuf>,

    /// Work on databases that sync nothing and go with the process
    #[arg(long)]
    pub(crate) memory: bool,

    /// Print the rows as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// What to measure; the queries and writes of documents when nothing is named
    #[command(subcommand)]
    pub(crate) subject: Option<Subject>,
}

/// What `vellum demo` measures beside documents.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Subject {
    /// Measure files inside the database beside plain files
    Files(FilesArgs),
}

/// The arguments of `vellum demo files`.
#[derive(Args, Clone, Debug)]
pub(crate) struct FilesArgs {
    /// Work on this file, which must not exist yet, and keep it; else on a temporary file in memory where the system
    /// has such a place
    #[arg(long, value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,

    /// Print the rows as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl FilesArgs {
    /// Returns them as the arguments of the whole demo.
    pub(crate) fn into_demo(self) -> DemoArgs {
        DemoArgs { events: 0, path: self.path, memory: false, json: self.json, subject: None }
    }
}

/// Returns the whole command line, made of the rows of [`COMMANDS`].
pub(crate) fn command() -> clap::Command {
    let vellum = clap::Command::new("vellum")
        .about("An embedded document database")
        .version(env!("CARGO_PKG_VERSION"));
    cmd::add(vellum, COMMANDS)
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn the_help_says_what_a_command_does() {
        let vellum = command();
        for row in COMMANDS {
            let about = vellum.find_subcommand(row.name).and_then(clap::Command::get_about);
            assert_eq!(about.map(ToString::to_string).as_deref(), Some(row.about), "{}", row.name);
        }
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for (arguments, kind) in [
            (&["vellum", "demo", "--events", "0"][..], ErrorKind::ValueValidation),
            (&["vellum", "demo", "--events", "many"], ErrorKind::ValueValidation),
            (&["vellum", "demo", "--memory", "--path", "x"], ErrorKind::ArgumentConflict),
            (&["vellum", "nothing"], ErrorKind::InvalidSubcommand),
            (&["vellum", "fs", "nothing"], ErrorKind::InvalidSubcommand),
            (&["vellum", "fs", "ls", "a.db", "--sort", "name"], ErrorKind::InvalidValue),
            (&["vellum", "fs", "truncate", "a.db", "/a", "-1"], ErrorKind::UnknownArgument),
            (&["vellum", "fs", "rm", "a.db"], ErrorKind::MissingRequiredArgument),
        ] {
            assert_eq!(command().try_get_matches_from(arguments).unwrap_err().kind(), kind, "{arguments:?}");
        }
    }
}
