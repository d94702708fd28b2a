//! The arguments, typed; nothing here reads a file or prints.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::workload::Workload;

/// Runs the same work on Vellum and on other databases, and holds every answer against an oracle.
#[derive(Clone, Debug, Parser)]
#[command(name = "compare", version)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Measure, and write report.json, report.md and report.html
    Run(RunArguments),
    /// Write report.md and report.html anew from a report.json
    Render {
        /// The report.json
        report: PathBuf,
        /// The folder to write to; the report's own by default
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print what changed between two runs
    Diff {
        /// The earlier report.json
        before: PathBuf,
        /// The later one
        after: PathBuf,
    },
    /// List the engines, and which of them can run here
    Engines(EngineArguments),
}

/// Where engines are and what they need.
#[derive(Args, Clone, Debug, Default)]
pub struct EngineArguments {
    /// The folder of LiteDB's assemblies, for Mono
    #[arg(long, value_name = "DIR")]
    pub litedb: Option<PathBuf>,

    /// A MongoDB server, which must be a replica set
    #[arg(long, value_name = "URI")]
    pub mongodb_uri: Option<String>,

    /// The folder of the engines
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/engines"))]
    pub engines: PathBuf,
}

/// The arguments of `compare run`.
#[derive(Args, Clone, Debug)]
pub struct RunArguments {
    /// The workloads, in this order
    #[arg(long, value_delimiter = ',', default_value = "EV,FS,TM,MX")]
    pub workload: Vec<Workload>,

    /// The engines; all that there are by default
    #[arg(long, value_delimiter = ',')]
    pub engine: Vec<String>,

    /// The sizes; with several the report shows how times grow
    #[arg(long, value_delimiter = ',', default_value = "small")]
    pub size: Vec<Size>,

    /// The folder that the reports are written to
    #[arg(long, value_name = "DIR", default_value = "comparison")]
    pub out: PathBuf,

    /// The folder that the databases are made in; one in memory by default, where the system has such a place
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,

    /// What a commit survives
    #[arg(long, default_value = "full")]
    pub durability: Durability,

    /// Rows whose operation contains this, such as `EV4`
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,

    /// Take fewer samples of an operation when six take longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 15.0)]
    pub budget: f64,

    /// Give an engine up that does not answer for so long
    #[arg(long, value_name = "SECONDS", default_value_t = 180.0)]
    pub timeout: f64,

    /// What the engines need.
    #[command(flatten)]
    pub engines: EngineArguments,
}

/// How much work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Size {
    /// 500 events: to test that all is there
    Tiny,
    /// 5,000 events
    Small,
    /// 50,000 events
    Medium,
    /// 200,000 events, as published figures have it
    Full,
}

impl Size {
    /// Returns the number of events of workload EV.
    pub fn events(self) -> usize {
        match self {
            Self::Tiny => 500,
            Self::Small => 5_000,
            Self::Medium => 50_000,
            Self::Full => vellum_fixtures::events::FULL_COUNT,
        }
    }
}

/// What a commit survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Durability {
    /// A loss of power
    Full,
    /// Nothing
    Off,
}

impl Durability {
    /// Returns its name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Off => "off",
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_unknown_workload_lists_the_choices() {
        let error =
            Arguments::try_parse_from(["compare", "run", "--workload", "EVE"]).unwrap_err().to_string();
        assert!(
            error.contains("invalid value 'EVE'") && error.contains("[possible values: EV, FS"),
            "{error}"
        );
    }
}
