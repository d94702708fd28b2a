//! `vellum fs mount`: the tree of a database as a directory of the system, by FUSE.

mod attributes;
mod filesystem;
mod handles;
mod mounted;
mod nodes;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fuser::{Config, MountOption, Session};
use rustix::io::Errno;
use rustix::mount::{UnmountFlags, unmount};

use crate::database;
use crate::error::{Error, Result};
use mounted::Mounted;

/// The arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The file of the database
    database: PathBuf,

    /// An empty directory, which shows the files until Ctrl-C or `umount` ends it
    directory: PathBuf,

    /// Let nothing be changed
    #[arg(long)]
    read_only: bool,
}

/// How long a mount may be busy before it is said to be in use, and how long is waited between two tries.
const BUSY_FOR: Duration = Duration::from_secs(1);
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// Runs the command.
pub(super) fn run(args: &Arguments) -> Result<()> {
    let failed = |source| Error::File { path: args.directory.clone(), source };
    let database = if args.read_only {
        database::open(&args.database)
    } else {
        database::open_writable(&args.database)
    }?;
    let directory = args.directory.canonicalize().map_err(failed)?;
    // What is there would be hidden.
    if directory.read_dir().map_err(failed)?.next().is_some() {
        return Err(failed(io::ErrorKind::DirectoryNotEmpty.into()));
    }
    let access = if args.read_only { MountOption::RO } else { MountOption::RW };
    let mut config = Config::default();
    config.mount_options = vec![
        access,
        MountOption::FSName(args.database.display().to_string()),
        MountOption::Subtype("vellum".to_owned()),
        MountOption::DefaultPermissions,
        MountOption::NoDev,
        MountOption::NoSuid,
        MountOption::NoAtime,
    ];
    let mut session = Session::new(Mounted::new(&database), &directory, &config).map_err(failed)?;
    let mut helper = session.unmount_callable();
    let mounted = directory.clone();
    let end = move || {
        let ended = match unmount_patiently(&mounted) {
            // Who is not root needs the system's own program.
            Err(Errno::PERM) => helper.unmount(),
            other => other.map_err(io::Error::from),
        };
        if let Err(error) = ended {
            // It stays mounted, and the next Ctrl-C tries again.
            writeln!(io::stderr(), "vellum: {} stays mounted: {error}", mounted.display()).ok();
        }
    };
    ctrlc::set_handler(end).map_err(|source| Error::Signal { source })?;
    say(&directory).map_err(|source| Error::Output { source })?;
    session.run().map_err(failed)
}

/// Ends a mount. What was closed a moment ago may keep it busy for another: it is tried again for a while.
fn unmount_patiently(directory: &Path) -> rustix::io::Result<()> {
    let begun = Instant::now();
    loop {
        match unmount(directory, UnmountFlags::empty()) {
            Err(Errno::BUSY) if begun.elapsed() < BUSY_FOR => thread::sleep(BUSY_PAUSE),
            other => return other,
        }
    }
}

fn say(directory: &Path) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "mounted on {}; Ctrl-C ends it", directory.display())?;
    out.flush()
}
