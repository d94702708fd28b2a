//! `Transfer`: an import from the disk or an export to it, with its options, progress and report.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::api::files::{Files, export, import};
use crate::error::Result;
use crate::fs::FsError;

/// An import or export, built by [`Files::import`] or [`Files::export`], run by [`Transfer::run`].
///
/// Every file is copied whole or not at all, with the time of its last change; bytes that are all zeros take no space
/// where they arrive. An error, a stop or the end of the process leaves the files that were copied before.
///
/// What the two paths name is followed when it is a link. Inside a tree neither links nor special files are copied, nor
/// what cannot be named on the other side: [`TransferReport::skipped`] tells of each.
///
/// ```
/// # use vellum::Database;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = std::env::temp_dir().join(format!("vellum-transfer-{}", std::process::id()));
/// # std::fs::create_dir_all(dir.join("photos/2026"))?;
/// # std::fs::write(dir.join("photos/2026/cat.png"), "meow")?;
/// let files = Database::open_in_memory()?.files();
/// let report = files.import(dir.join("photos"), "/photos").run()?;
/// assert_eq!((report.files, report.directories, report.bytes), (1, 2, 4));
///
/// files.write_at("/photos/2026/cat.png", 0, "M")?;
/// files.export("/photos", dir.join("photos")).replace().run()?;
/// assert_eq!(std::fs::read(dir.join("photos/2026/cat.png"))?, b"Meow");
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "an import or export does nothing until it is run"]
pub struct Transfer<'s> {
    files: Files<'s>,
    way: Way,
    replaces: bool,
}

#[derive(Clone, Debug)]
enum Way {
    Import { from: PathBuf, to: String },
    Export { from: String, to: PathBuf },
}

impl<'s> Transfer<'s> {
    pub(super) fn import(files: Files<'s>, from: &Path, to: &str) -> Self {
        Transfer { files, way: Way::Import { from: from.into(), to: to.into() }, replaces: false }
    }

    pub(super) fn export(files: Files<'s>, from: &str, to: &Path) -> Self {
        Transfer { files, way: Way::Export { from: from.into(), to: to.into() }, replaces: false }
    }

    /// Lets files take the place of files that are there. Else nothing is copied when one of them is there.
    ///
    /// ```
    /// # use vellum::{Database, ErrorKind};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::env::temp_dir().join(format!("vellum-replace-{}.txt", std::process::id()));
    /// std::fs::write(&path, "new")?;
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "old")?;
    /// assert_eq!(files.import(&path, "/a").run().unwrap_err().kind(), ErrorKind::AlreadyExists);
    /// files.import(&path, "/a").replace().run()?;
    /// assert_eq!(files.read("/a")?, b"new");
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn replace(mut self) -> Self {
        self.replaces = true;
        self
    }

    /// Copies everything, and returns what that was.
    ///
    /// # Errors
    /// `NotFound`; `AlreadyExists` for a file that is there, unless it is to be replaced; `TypeMismatch` for a file where
    /// a directory is to be, or the other way round; `InvalidQuery` for what is no path; `Io` when the disk fails; those
    /// of a read or a write.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::env::temp_dir().join(format!("vellum-run-{}.txt", std::process::id()));
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "some bytes")?;
    /// assert_eq!(files.export("/a", &path).run()?.bytes, 10);
    /// assert_eq!(std::fs::read(&path)?, b"some bytes");
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn run(&self) -> Result<TransferReport> {
        self.run_with(|_| ControlFlow::Continue(()))
    }

    /// As [`Transfer::run`], and tells `progress` after each part of at most 2 MiB how far it is. [`ControlFlow::Break`]
    /// stops it.
    ///
    /// # Errors
    /// As [`Transfer::run`]; `Stopped`, which says how many files were copied.
    ///
    /// ```
    /// # use vellum::{Database, ErrorKind};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::env::temp_dir().join(format!("vellum-progress-{}.bin", std::process::id()));
    /// use std::ops::ControlFlow;
    ///
    /// std::fs::write(&path, [7; 5_000_000])?;
    /// let files = Database::open_in_memory()?.files();
    /// let stopped = files.import(&path, "/a").run_with(|progress| {
    ///     assert_eq!((progress.total_files, progress.total_bytes), (1, 5_000_000));
    ///     if progress.bytes > 3_000_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// });
    /// assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Stopped);
    /// assert!(!files.exists("/a")?);
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn run_with(
        &self,
        mut progress: impl FnMut(&TransferProgress) -> ControlFlow<()>,
    ) -> Result<TransferReport> {
        let mut tally = Tally::new(&mut progress);
        match &self.way {
            Way::Import { from, to } => import::run(&self.files, from, to, self.replaces, &mut tally)?,
            Way::Export { from, to } => export::run(&self.files, from, to, self.replaces, &mut tally)?,
        }
        Ok(tally.report)
    }
}

/// How far an import or export is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransferProgress {
    /// How many files were copied.
    pub files: u64,
    /// How many bytes were copied, those of holes and of a file that is not yet whole included.
    pub bytes: u64,
    /// How many files there were before the first was copied.
    pub total_files: u64,
    /// How many bytes they had.
    pub total_bytes: u64,
}

/// What an import or export has copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransferReport {
    /// How many files.
    pub files: u64,
    /// How many directories, whether they were there or not.
    pub directories: u64,
    /// How long the files are together.
    pub bytes: u64,
    /// What was not copied.
    pub skipped: Vec<Skipped>,
}

/// Something that was not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Its path, where it was to be copied from.
    pub path: PathBuf,
    /// Why.
    pub reason: SkipReason,
}

impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: {}", self.path.display(), self.reason)
    }
}

/// Why something was not copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It is a symbolic link.
    Link,
    /// It is neither a file nor a directory.
    Special,
    /// It is a file of the database into which it was to go.
    Database,
    /// Its name is not UTF-8.
    NotUtf8,
    /// Its path would be longer than 4,096 bytes, or a name of it longer than 255.
    LongPath,
    /// Its name cannot be that of a file on this system.
    OddName,
}

impl std::fmt::Display for SkipReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            SkipReason::Link => "it is a symbolic link: import what it leads to by its own path",
            SkipReason::Special => "it is neither a file nor a directory: only those can be kept",
            SkipReason::Database => "it is the database itself: put a backup of it into another one",
            SkipReason::NotUtf8 => "its name is not UTF-8: rename it",
            SkipReason::LongPath => {
                "its path would have more than 4,096 bytes, or a name more than 255: import it elsewhere"
            }
            SkipReason::OddName => "its name cannot be a file's on this system: rename it",
        })
    }
}

/// What has been done, and whom to tell.
pub(super) struct Tally<'c> {
    pub(super) report: TransferReport,
    pub(super) progress: TransferProgress,
    tell: &'c mut dyn FnMut(&TransferProgress) -> ControlFlow<()>,
}

impl<'c> Tally<'c> {
    fn new(tell: &'c mut dyn FnMut(&TransferProgress) -> ControlFlow<()>) -> Self {
        Tally { report: TransferReport::default(), progress: TransferProgress::default(), tell }
    }

    /// Notes a file that is to be copied.
    pub(super) fn expect(&mut self, len: u64) {
        self.progress.total_files += 1;
        self.progress.total_bytes += len;
    }

    /// Notes that `bytes` of the next file were copied.
    pub(super) fn reach(&mut self, bytes: u64) -> Result<()> {
        self.progress.bytes = self.report.bytes + bytes;
        self.tell()
    }

    /// Notes files that are copied.
    pub(super) fn finish(&mut self, files: u64, bytes: u64) -> Result<()> {
        self.report.files += files;
        self.report.bytes += bytes;
        self.progress.files = self.report.files;
        self.progress.bytes = self.report.bytes;
        self.tell()
    }

    pub(super) fn skip(&mut self, path: PathBuf, reason: SkipReason) {
        self.report.skipped.push(Skipped { path, reason });
    }

    fn tell(&mut self) -> Result<()> {
        match (self.tell)(&self.progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                let TransferReport { files, bytes, .. } = self.report;
                Err(FsError::Stopped { files, bytes }.into())
            }
        }
    }
}
