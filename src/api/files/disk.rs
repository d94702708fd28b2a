//! The disk's side of an import or export: what a name leads to, holes, and files that appear whole.

use std::fs::{self, File, FileTimes, Metadata, OpenOptions, Permissions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Zeros are looked for in blocks of so many bytes: those of usual file systems.
pub(super) const BLOCK_LEN: usize = 4_096;

/// Opens a file for reading; never what a link leads to, and without waiting for the other end of a pipe.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file any more"));
    }
    Ok(file)
}

/// Returns the paths of a database's file and of those that SQLite keeps beside it.
pub(super) fn database_files(path: &Path) -> Vec<PathBuf> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let beside = |suffix| {
        let mut name = path.clone().into_os_string();
        name.push(suffix);
        PathBuf::from(name)
    };
    ["", "-wal", "-shm", "-journal"].map(beside).to_vec()
}

/// Returns the first bytes of a range that may be something else than a hole; an empty range at its end when all is
/// one. Where the system does not tell, everything may be.
pub(super) fn data(file: &File, range: Range<u64>) -> io::Result<Range<u64>> {
    #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
    {
        use rustix::fs::{SeekFrom, seek};
        use rustix::io::Errno;
        match seek(file, SeekFrom::Data(range.start)) {
            Ok(start) => {
                let end = seek(file, SeekFrom::Hole(start))?;
                return Ok(start.min(range.end)..end.min(range.end));
            }
            Err(Errno::NXIO) => return Ok(range.end..range.end),
            // The file system knows no holes.
            Err(Errno::INVAL | Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let _ = file;
    Ok(range)
}

/// Returns the parts of `bytes` whose blocks are not all zeros.
pub(super) fn runs(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut blocks = bytes.chunks(BLOCK_LEN).map(|block| block.iter().any(|byte| *byte != 0)).enumerate();
    std::iter::from_fn(move || {
        let (first, _) = blocks.by_ref().find(|(_, is_data)| *is_data)?;
        let more = blocks.by_ref().take_while(|(_, is_data)| *is_data).count();
        Some(first * BLOCK_LEN..((first + 1 + more) * BLOCK_LEN).min(bytes.len()))
    })
}

/// Returns whether a name is one of a file on this system: of a single file inside its directory.
pub(super) fn can_be_named(name: &str) -> bool {
    let mut components = Path::new(name).components();
    let is_one = matches!(components.next(), Some(Component::Normal(found)) if found == name);
    // On Windows a colon names a stream of another file.
    is_one && components.next().is_none() && !(cfg!(windows) && name.contains(':'))
}

/// Sets when a file was changed last.
pub(super) fn set_modified(file: &File, modified: SystemTime) -> io::Result<()> {
    file.set_times(FileTimes::new().set_modified(modified))
}

/// Sets when a directory was changed last, where it is ours to change.
pub(super) fn set_directory_modified(path: &Path, modified: SystemTime) -> io::Result<()> {
    // Other systems open no directory.
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(path).and_then(|directory| set_modified(&directory, modified)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

/// A file on its way: written under a name of its own beside its place, removed unless it gets there.
pub(super) struct Part {
    path: PathBuf,
    file: File,
    is_placed: bool,
}

/// Returns who may read and write the file that has a path, none where it has none.
fn permissions(path: &Path) -> Option<Permissions> {
    fs::symlink_metadata(path).ok().filter(Metadata::is_file).map(|metadata| metadata.permissions())
}

impl Part {
    /// Makes a file of zeros beside its place. In that of a file which it is to replace, its owner alone may open it
    /// until it gets there.
    pub(super) fn create(place: &Path, len: u64, replaces: bool) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory = place.parent().unwrap_or(Path::new("."));
        let path = directory.join(format!(".vellum-{}-{number}.part", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if replaces && permissions(place).is_some() {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let file = options.open(&path)?;
        let part = Part { path, file, is_placed: false };
        part.file.set_len(len)?;
        Ok(part)
    }

    /// Writes bytes at an offset inside the length; blocks of zeros stay holes.
    pub(super) fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        for run in runs(bytes) {
            self.file.seek(SeekFrom::Start(offset + run.start as u64))?;
            self.file.write_all(bytes.get(run).unwrap_or_default())?;
        }
        Ok(())
    }

    /// Gives the file its name. What has it already is replaced only when that is asked; a link is not followed.
    pub(super) fn place(mut self, path: &Path, modified: SystemTime, replaces: bool) -> io::Result<()> {
        set_modified(&self.file, modified)?;
        if replaces {
            // Who may read a file does not change with what is in it.
            if let Some(old) = permissions(path) {
                self.file.set_permissions(old)?;
            }
            fs::rename(&self.path, path)?;
            self.is_placed = true;
            return Ok(());
        }
        match fs::hard_link(&self.path, path) {
            // The other name goes with this.
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // A file system without hard links.
            Err(_) if fs::symlink_metadata(path).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => {
                fs::rename(&self.path, path)?;
                self.is_placed = true;
                Ok(())
            }
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.is_placed
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "a file that was not exported whole stays");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_blocks_that_hold_something() {
        let of = |bytes: &[u8]| runs(bytes).collect::<Vec<_>>();
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[0; 10_000]), []);
        assert_eq!(of(&[1; 10_000]), vec![Range { start: 0, end: 10_000 }]);
        let mut bytes = vec![0; 5 * BLOCK_LEN + 7];
        bytes[BLOCK_LEN + 5] = 1;
        bytes[3 * BLOCK_LEN - 1] = 1;
        bytes[5 * BLOCK_LEN + 6] = 1;
        assert_eq!(of(&bytes), [BLOCK_LEN..3 * BLOCK_LEN, 5 * BLOCK_LEN..5 * BLOCK_LEN + 7]);
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_no_files() {
        for name in ["a", "...", ".a", "a b", "\u{e9}", "a\nb", "-"] {
            assert!(can_be_named(name), "{name}");
        }
        for name in ["", ".", "..", "/", "/etc", "a/b", "../a", "a/"] {
            assert!(!can_be_named(name), "{name}");
        }
    }
}
