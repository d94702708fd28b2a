//! The folder that the databases of a run are made in; it goes when this is dropped.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use crate::error::{Error, Result};

/// The unit in which systems count what a file occupies.
const BLOCK: u64 = 512;

/// The folder of a run.
#[derive(Debug)]
pub struct Place {
    parent: PathBuf,
    dir: PathBuf,
}

impl Place {
    /// Makes the folder in `parent`, or in memory where the system has such a place.
    pub fn new(parent: Option<&Path>) -> Result<Self> {
        let parent = parent.map_or_else(default_parent, Path::to_owned);
        let dir = parent.join(format!("vellum-compare-{}", process::id()));
        fs::create_dir_all(&dir).map_err(Error::file(&dir))?;
        Ok(Self { parent, dir })
    }

    /// Returns the folder that it was made in.
    pub fn parent(&self) -> &Path {
        &self.parent
    }

    /// Returns the empty folder `name`; what was there is gone.
    pub fn fresh(&self, name: &str) -> Result<PathBuf> {
        let dir = self.dir.join(name);
        match fs::remove_dir_all(&dir) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(Error::File { path: dir, source });
            }
            _ => fs::create_dir_all(&dir).map_err(Error::file(&dir))?,
        }
        Ok(dir)
    }

    /// Returns the bytes of all files under `dir`, without the holes in them.
    pub fn bytes(dir: &Path) -> u64 {
        let Ok(entries) = fs::read_dir(dir) else { return 0 };
        let sizes = entries.flatten().map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => Self::bytes(&entry.path()),
            Ok(metadata) => metadata.len().min(metadata.blocks() * BLOCK),
            Err(_) => 0,
        });
        sizes.sum()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Nobody can be told any more.
        fs::remove_dir_all(&self.dir).ok();
    }
}

fn default_parent() -> PathBuf {
    let in_memory = Path::new("/dev/shm");
    if in_memory.is_dir() { in_memory.to_owned() } else { env::temp_dir() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_folder_is_empty_and_nothing_stays_behind() -> Result<()> {
        let place = Place::new(Some(&env::temp_dir()))?;
        let dir = place.fresh("one")?;
        fs::write(dir.join("file"), [0; 100]).map_err(Error::file(&dir))?;
        let sparse = fs::File::create(dir.join("sparse")).map_err(Error::file(&dir))?;
        sparse.set_len(1 << 30).map_err(Error::file(&dir))?;
        assert_eq!(Place::bytes(&dir), 100);
        assert_eq!(Place::bytes(&place.fresh("one")?), 0);
        drop(place);
        assert!(!dir.exists());
        Ok(())
    }
}
