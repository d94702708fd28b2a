//! Other processes: this test program again, in which one test takes the other side.

use std::io;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const TOLD: &str = "VELLUM_TEST_CHILD";

/// Returns what the process that started this one tells it; `None` in a test that nobody started so.
pub(crate) fn told() -> Option<String> {
    std::env::var(TOLD).ok()
}

/// Starts the test of that name in a process of its own.
pub(crate) fn start(test: &str, told: &str) -> io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args([test, "--exact", "--nocapture"])
        .env(TOLD, told)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Waits for a process that must end well.
pub(crate) fn succeeds(child: Child) -> io::Result<()> {
    let Output { status, stdout, stderr } = child.wait_with_output()?;
    let said = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if status.success() { Ok(()) } else { Err(io::Error::other(said)) }
}

/// A moment that several processes wait for, as milliseconds.
pub(crate) fn moment_in(time: Duration) -> u128 {
    now() + time.as_millis()
}

/// Waits until then.
pub(crate) fn wait_for(moment: u128) {
    while now() < moment {
        thread::sleep(Duration::from_micros(200));
    }
}

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis())
}
