//! A child: this test program again, with one test, told by its environment what to write.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Write, stdout};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

const FILE: &str = "VELLUM_CRASH_FILE";
const SEED: &str = "VELLUM_CRASH_SEED";

/// Returns what this process is to write, if it is a child: the file, and the seed of the work.
pub(crate) fn task() -> Result<Option<(PathBuf, u64)>, Box<dyn Error>> {
    let Some(file) = std::env::var_os(FILE) else { return Ok(None) };
    // The test runner has perhaps begun a line.
    say("")?;
    Ok(Some((file.into(), std::env::var(SEED)?.parse()?)))
}

/// Prints a line of a child, at once.
pub(crate) fn say(line: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Killed when it is dropped.
pub(crate) struct Child {
    process: process::Child,
    said: Receiver<String>,
}

impl Child {
    pub(crate) fn start(test: &str, file: &Path, seed: u64) -> Result<Self, Box<dyn Error>> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["--exact", test, "--nocapture"])
            .env(FILE, file)
            .env(SEED, seed.to_string())
            .stdout(Stdio::piped())
            .spawn()?;
        let out = process.stdout.take().ok_or("the child has no output")?;
        let (speaker, said) = channel();
        // Read all the while, so that the child need not wait. It ends with the child's output.
        thread::spawn(move || hand_on(BufReader::new(out), &speaker));
        Ok(Self { process, said })
    }

    /// Waits until the child says this.
    pub(crate) fn wait_for(&self, words: &str) -> Result<(), Box<dyn Error>> {
        let found = self.said.iter().any(|line| line == words);
        found.then_some(()).ok_or_else(|| format!("the child ended before `{words}`").into())
    }

    /// Lets a child that works forever live for a while, and returns what it said until it was killed.
    pub(crate) fn kill_after(mut self, life: Duration) -> Result<Vec<String>, Box<dyn Error>> {
        thread::sleep(life);
        self.process.kill()?;
        let status = self.process.wait()?;
        let said = self.said.iter().collect();
        if status.code().is_some() {
            return Err(format!("the child ended by itself: {said:?}").into());
        }
        Ok(said)
    }

    /// Kills the child, and returns what it said since it was last waited for.
    pub(crate) fn kill(mut self) -> io::Result<Vec<String>> {
        self.process.kill()?;
        self.process.wait()?;
        Ok(self.said.iter().collect())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Hands on every line that was said to its end.
fn hand_on(mut out: impl BufRead, speaker: &Sender<String>) {
    let mut line = String::new();
    while out.read_line(&mut line).is_ok() {
        let Some(whole) = line.strip_suffix('\n') else { return };
        if speaker.send(whole.to_owned()).is_err() {
            return;
        }
        line.clear();
    }
}
