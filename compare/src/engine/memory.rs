//! The memory of processes, as Linux tells it.

use std::fs;

/// Forgets the peak of the process `pid`, so that [`peak_bytes`] tells what comes after.
pub(super) fn forget_peak(pid: u32) {
    // Where the system has no such file, the peak is that of the whole process.
    fs::write(format!("/proc/{pid}/clear_refs"), "5").ok();
}

/// Returns the most memory that the process `pid` has had at once; 0 where the system does not tell.
pub(super) fn peak_bytes(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or_default() * 1_024
}

/// Returns the processes that the process `pid` has started, such as the server of an engine.
pub(super) fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let texts = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    texts.collect::<Vec<String>>().join(" ").split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}
