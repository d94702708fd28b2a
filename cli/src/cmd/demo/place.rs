//! Where the databases of the demo live, and that nothing stays behind.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use vellum_fixtures::control::Durability;

use crate::args::DemoArgs;
use crate::error::{Error, Result};

/// How often the removal of a directory that is in use is tried.
const ATTEMPTS: u32 = 100;
/// What a shell reports for a command that Ctrl-C ended.
const STATUS_OF_SIGNAL: i32 = 130;

/// How a file is looked at: its path stands between a program and its arguments.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) program: &'static str,
    pub(super) arguments: &'static str,
}

/// The files of a run. Unless they were asked for by `--path`, they go when this is dropped.
pub(super) struct Place {
    temporary: Option<PathBuf>,
    documents: PathBuf,
    durability: Durability,
}

impl Place {
    /// Finds the place that `args` ask for.
    pub(super) fn new(args: &DemoArgs) -> Result<Self> {
        let durability = if args.memory { Durability::Off } else { Durability::Full };
        if let Some(path) = &args.path {
            let place = Self { temporary: None, documents: path.clone(), durability };
            return match [place.documents.clone(), place.control()].into_iter().find(|path| path.exists()) {
                Some(path) => Err(Error::Exists { path }),
                None => Ok(place),
            };
        }
        let dir = temporary_root().join(format!("vellum-demo-{}", process::id()));
        fs::create_dir_all(&dir).map_err(|source| Error::File { path: dir.clone(), source })?;
        remove_on_signal(dir.clone())?;
        Ok(Self { documents: dir.join("demo.db"), temporary: Some(dir), durability })
    }

    /// Returns Vellum's file.
    pub(super) fn documents(&self) -> &Path {
        &self.documents
    }

    /// Returns the control's file.
    pub(super) fn control(&self) -> PathBuf {
        self.beside("control")
    }

    /// Returns a file for one sample, which the caller removes.
    pub(super) fn fresh(&self, name: &str) -> PathBuf {
        self.beside(name)
    }

    /// Returns what commits survive.
    pub(super) fn durability(&self) -> Durability {
        self.durability
    }

    /// Says, for each file that stays, how to look at it: by these commands, of Vellum's file and of the control's.
    pub(super) fn kept(&self, looks: [Look; 2]) -> Vec<String> {
        let files = [self.documents.clone(), self.control()].into_iter().zip(looks);
        let stays = |(path, _): &(PathBuf, Look)| self.temporary.is_none() && path.exists();
        let say = |(path, look): (PathBuf, Look)| {
            let path = path.display();
            format!("kept {path}; look at it with: {} {path} {}", look.program, look.arguments)
        };
        files.filter(stays).map(say).collect()
    }

    /// Returns SQLite's word for the durability.
    pub(super) fn synchronous(&self) -> &'static str {
        match self.durability {
            Durability::Full => "FULL",
            Durability::Off => "OFF",
        }
    }

    /// Says in a few words where the files are and what survives.
    pub(super) fn description(&self) -> String {
        let dir = self.documents.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let dir = if self.temporary.is_some() { temporary_root() } else { dir.to_owned() };
        format!("WAL, synchronous {}, in {}", self.synchronous(), dir.display())
    }

    fn beside(&self, name: &str) -> PathBuf {
        with_suffix(&self.documents, &format!("-{name}"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(dir) = &self.temporary {
            // Nobody can be told any more.
            fs::remove_dir_all(dir).ok();
        }
    }
}

/// Removes a database with the files that SQLite keeps beside it.
pub(super) fn remove_database(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        // What is not there need not be removed.
        fs::remove_file(with_suffix(path, suffix)).ok();
    }
}

/// Removes `dir` when the process is told to end, which would otherwise run no destructor.
fn remove_on_signal(dir: PathBuf) -> Result<()> {
    let hook = move || {
        // The other threads are at work and may make one more file meanwhile.
        for _ in 0..ATTEMPTS {
            if fs::remove_dir_all(&dir).is_ok() || !dir.exists() {
                break;
            }
        }
        process::exit(STATUS_OF_SIGNAL);
    };
    ctrlc::set_handler(hook).map_err(|source| Error::Signal { source })
}

fn temporary_root() -> PathBuf {
    let in_memory = Path::new("/dev/shm");
    if in_memory.is_dir() { in_memory.to_owned() } else { env::temp_dir() }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
