//! A directory of our own for a database that lives as long as its engine.

use std::fs::DirBuilder;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io, process};

/// A private directory, removed with all that is in it on drop.
pub(super) struct TempDir(PathBuf);

impl TempDir {
    /// Makes one in memory where the system has such a place, else where it keeps temporary files.
    pub(super) fn new() -> io::Result<Self> {
        let memory = Path::new("/dev/shm");
        if memory.is_dir()
            && let Ok(dir) = Self::new_in(memory)
        {
            return Ok(dir);
        }
        Self::new_in(&std::env::temp_dir())
    }

    fn new_in(parent: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
            let path = parent.join(format!("vellum-{}-{number}-{now:x}", process::id()));
            match private(&mut DirBuilder::new()).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(path = %self.0.display(), %error, "a temporary database stays behind");
        }
    }
}

#[cfg(unix)]
fn private(builder: &mut DirBuilder) -> &mut DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    builder.mode(0o700)
}

#[cfg(not(unix))]
fn private(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder
}
