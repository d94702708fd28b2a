//! `vellum fs`: the files inside a database, by the commands that a shell has for files.
//!
//! One file for each command, one row each in [`COMMANDS`]. What only looks opens the database for reading, and never
//! makes one. A path that ends in `/` names the directory into which something is to go.

mod cat;
mod cp;
mod du;
mod edit;
mod get;
mod ls;
#[cfg(all(feature = "mount", target_os = "linux"))]
mod mount;
mod put;
mod rm;
mod row;
mod seal;
mod stat;
mod transfer;
mod tree;
mod truncate;

use clap::{ArgMatches, Args, FromArgMatches};
use vellum::FsError;

use crate::cmd::{self, Command};
use crate::error::Result;

/// The commands, in the order of the help.
pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "ls",
        about: "List a directory",
        args: ls::Arguments::augment_args,
        run: |matches| ls::run(&ls::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "tree",
        about: "Show a directory and all that is inside as a tree",
        args: tree::Arguments::augment_args,
        run: |matches| tree::run(&tree::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "stat",
        about: "Show what is known of a file or directory",
        args: stat::Arguments::augment_args,
        run: |matches| stat::run(&stat::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "du",
        about: "Show how much a directory and those inside hold",
        args: du::Arguments::augment_args,
        run: |matches| du::run(&du::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "cat",
        about: "Write the bytes of a file to standard output",
        args: cat::Arguments::augment_args,
        run: |matches| cat::run(&cat::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "put",
        about: "Copy a file or a tree from the disk into the database, which is made when it is missing",
        args: put::Arguments::augment_args,
        run: |matches| put::run(&put::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "get",
        about: "Copy a file or a tree from the database to the disk",
        args: get::Arguments::augment_args,
        run: |matches| get::run(&get::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "edit",
        about: "Write standard input into a file, in place, or open it in an editor",
        args: edit::Arguments::augment_args,
        run: |matches| edit::run(&edit::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "truncate",
        about: "Make a file shorter or longer; what is added reads as zeros",
        args: truncate::Arguments::augment_args,
        run: |matches| truncate::run(&truncate::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "mv",
        about: "Move or rename a file or a tree",
        args: cp::Arguments::augment_args,
        run: |matches| cp::run_move(&cp::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "cp",
        about: "Copy a file or a tree inside the database",
        args: cp::Arguments::augment_args,
        run: |matches| cp::run_copy(&cp::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "rm",
        about: "Delete files, empty directories or, with -r, trees",
        args: rm::Arguments::augment_args,
        run: |matches| rm::run(&rm::Arguments::from_arg_matches(matches)?),
    },
    Command {
        name: "seal",
        about: "Store a hash of a file's bytes, by which `vellum check` finds one that is damaged; until it changes",
        args: seal::Arguments::augment_args,
        run: |matches| seal::run(&seal::Arguments::from_arg_matches(matches)?),
    },
    #[cfg(all(feature = "mount", target_os = "linux"))]
    Command {
        name: "mount",
        about: "Show the files as a directory of the system, to be read and written by every program",
        args: mount::Arguments::augment_args,
        run: |matches| mount::run(&mount::Arguments::from_arg_matches(matches)?),
    },
];

/// Adds the commands to the command line.
pub(crate) fn args(fs: clap::Command) -> clap::Command {
    cmd::add(fs, COMMANDS)
}

/// Runs the command that `matches` names.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let given = matches.subcommand().and_then(|(_, matches)| matches.try_get_one("replace").ok().flatten());
    let way_out = match given {
        Some(false) => can_replace,
        Some(true) | None => way_out,
    };
    cmd::run_one_of(COMMANDS, matches).map_err(|error| error.with_way_out(way_out))
}

/// Says what a user can do who has not asked a command to replace what is there.
fn can_replace(error: &vellum::Error) -> &'static str {
    match error {
        vellum::Error::Fs(FsError::AlreadyExists { .. }) => ": --replace puts the new one in its place",
        other => way_out(other),
    }
}

/// Says what a user of the command line can do.
fn way_out(error: &vellum::Error) -> &'static str {
    match error {
        vellum::Error::Fs(FsError::NotFound { .. }) => ": `vellum fs ls` lists what is there",
        vellum::Error::Fs(FsError::AlreadyExists { .. }) => ": name another path, or remove it first",
        vellum::Error::Fs(FsError::IsADirectory { .. }) => {
            ": name a file, or end the path in `/` to put something inside"
        }
        vellum::Error::Fs(FsError::NotADirectory { .. }) => ": name a directory",
        _ => "",
    }
}

/// Returns where something goes: into the directory, under its own name, when the path ends in `/`.
fn target(path: &str, name: &str) -> String {
    if path.ends_with('/') { format!("{path}{name}") } else { path.to_owned() }
}

/// Returns the last name of a path.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
