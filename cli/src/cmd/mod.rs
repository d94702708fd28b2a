//! The commands: one file or folder each, one row each in [`COMMANDS`].

mod check;
mod demo;
mod fs;
mod vacuum;

use clap::{ArgMatches, Args, FromArgMatches};

use crate::args::DemoArgs;
use crate::error::Result;

/// A command as the command line knows it.
pub(crate) struct Command {
    /// What the user types.
    pub(crate) name: &'static str,
    /// One line of help.
    pub(crate) about: &'static str,
    /// Adds its arguments.
    pub(crate) args: fn(clap::Command) -> clap::Command,
    /// Runs it.
    pub(crate) run: fn(&ArgMatches) -> Result<()>,
}

/// All commands, in the order of the help.
pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "demo",
        about: "Measure Vellum on many events beside SQL written by hand, and check every answer",
        args: DemoArgs::augment_args,
        run: |matches| demo::run(&DemoArgs::from_arg_matches(matches)?),
    },
    Command {
        name: "check",
        about: "Tell what is wrong with a database and the files in it",
        args: check::Arguments::augment_args,
        run: |matches| alone(check::run(&check::Arguments::from_arg_matches(matches)?)),
    },
    Command {
        name: "vacuum",
        about: "Give space that is free inside a database back to the system",
        args: vacuum::Arguments::augment_args,
        run: |matches| alone(vacuum::run(&vacuum::Arguments::from_arg_matches(matches)?)),
    },
    Command { name: "fs", about: "Work on the files inside a database", args: fs::args, run: fs::run },
];

/// Runs the command that `matches` names.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    run_one_of(COMMANDS, matches)
}

/// Adds commands to the command line, one of which has to be named.
pub(crate) fn add(to: clap::Command, commands: &[Command]) -> clap::Command {
    let to = to.subcommand_required(true).arg_required_else_help(true);
    commands.iter().fold(to, |to, command| {
        to.subcommand((command.args)(clap::Command::new(command.name)).about(command.about))
    })
}

/// Runs the one of `commands` that `matches` names.
fn run_one_of(commands: &[Command], matches: &ArgMatches) -> Result<()> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    commands.iter().filter(|command| command.name == name).try_for_each(|command| (command.run)(matches))
}

/// Returns the error of a command that works with Vellum alone.
fn alone(result: Result<()>) -> Result<()> {
    result.map_err(|error| error.with_way_out(|_| ""))
}
