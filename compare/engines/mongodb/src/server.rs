//! A server that is started in a folder and ends with its handle.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Where the process that started the server leaves its address for the other ones.
const ADDRESS: &str = "address";
/// How long a server may take to end.
const ENDING: Duration = Duration::from_secs(5);

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    uri: String,
}

impl Server {
    /// Starts `program` on the folder `dir`.
    pub(crate) fn start(program: &Path, dir: &Path, durability: &str) -> io::Result<Self> {
        let mut child = Command::new(program)
            .arg(dir)
            .arg(durability)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| io::Error::other(format!("{}: {error}", program.display())))?;
        let mut uri = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut uri)?;
        }
        let server = Self { child, uri: uri.trim().to_owned() };
        if server.uri.is_empty() {
            return Err(io::Error::other(format!("{} did not start", program.display())));
        }
        fs::write(dir.join(ADDRESS), &server.uri)?;
        Ok(server)
    }

    /// Returns the address of the server that another process started on `dir`.
    pub(crate) fn address(dir: &Path) -> io::Result<String> {
        fs::read_to_string(dir.join(ADDRESS))
    }

    /// Returns its address.
    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends when its standard input does.
        drop(self.child.stdin.take());
        let start = Instant::now();
        while start.elapsed() < ENDING {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
