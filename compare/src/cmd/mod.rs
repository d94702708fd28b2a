//! The commands.

mod run;

use std::io;
use std::process::ExitCode;

use crate::args::{Arguments, Command, EngineArguments};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::report::{self, Report};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All is well; what could not run says so.
    Well,
    /// Something was wrong or failed.
    Failures,
    /// The user ended it.
    Interrupted,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Well => Self::SUCCESS,
            Ending::Failures => Self::FAILURE,
            // What a shell reports for a command that Ctrl-C ended.
            Ending::Interrupted => Self::from(130),
        }
    }
}

/// Does what `arguments` say.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    match &arguments.command {
        Command::Run(arguments) => run::run(arguments, &mut io::stdout().lock()),
        Command::Render { report, out } => {
            let dir = out.as_deref().or(report.parent()).unwrap_or(report);
            Report::read(report)?.render(dir)?;
            Ok(Ending::Well)
        }
        Command::Diff { before, after } => {
            let (before, after) = (Report::read(before)?, Report::read(after)?);
            report::diff(&before, &after, &mut io::stdout().lock())
                .map_err(|source| Error::Output { source })?;
            Ok(Ending::Well)
        }
        Command::Engines(arguments) => engines(arguments, &mut io::stdout().lock()),
    }
}

fn engines(arguments: &EngineArguments, out: &mut impl io::Write) -> Result<Ending> {
    for engine in Engine::all(&arguments.engines)? {
        let state = engine.build(arguments).map_or_else(
            |reason| format!("not run: {reason} ({})", engine.description.install),
            |program| format!("can run, by {}", program.label),
        );
        let (name, about) = (&engine.name, &engine.description.about);
        writeln!(out, "{name}: {about}; {state}").map_err(|source| Error::Output { source })?;
    }
    Ok(Ending::Well)
}
