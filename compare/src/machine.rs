//! The machine that a run was made on, as far as a reader has to know it.

use std::path::Path;
use std::{env, fs, thread};

use serde::{Deserialize, Serialize};

/// A machine. What the system does not tell is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The model of the processor.
    pub processor: String,
    /// How many threads run at once.
    pub cores: usize,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// The system and its kernel.
    pub system: String,
    /// The file system of the databases.
    pub file_system: String,
    /// How many processes were running when it began, as the system's load tells.
    pub load: String,
}

impl Machine {
    /// Looks at this machine; the databases are made in `dir`.
    pub fn this(dir: &Path) -> Self {
        Self {
            processor: line_of("/proc/cpuinfo", "model name"),
            cores: thread::available_parallelism().map_or(0, usize::from),
            memory_mib: memory_mib(),
            system: [env::consts::OS, env::consts::ARCH, text_of("/proc/sys/kernel/osrelease").trim()]
                .join(" "),
            file_system: file_system(dir),
            load: text_of("/proc/loadavg").split(' ').next().unwrap_or_default().to_owned(),
        }
    }
}

fn text_of(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn line_of(path: &str, key: &str) -> String {
    let text = text_of(path);
    let line = text.lines().find(|line| line.starts_with(key));
    line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

fn memory_mib() -> u64 {
    let kib = line_of("/proc/meminfo", "MemTotal");
    kib.trim_end_matches(" kB").parse().map_or(0, |kib: u64| kib / 1_024)
}

/// Returns the type of the file system that is mounted nearest above `dir`.
fn file_system(dir: &Path) -> String {
    let mounts = text_of("/proc/self/mounts");
    let mounts = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (point, kind) = (words.nth(1)?, words.next()?);
        dir.starts_with(point).then(|| (point.len(), kind.to_owned()))
    });
    mounts.max_by_key(|mount| mount.0).map(|mount| mount.1).unwrap_or_default()
}
