//! A running engine: requests to it, replies from it, its end.

use std::collections::VecDeque;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde::de::DeserializeOwned;
use serde_json::Value;
use vellum_compare_protocol::{Hello, Reply, Request, VERSION};

use super::{Program, memory};
use crate::interrupt;

/// How often a wait looks whether the user wants to end.
const GLANCE: Duration = Duration::from_millis(50);
/// How long an engine whose input has ended has to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// Lines of standard error that are kept.
const KEPT_LINES: usize = 5;

/// Why a request was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The engine's API cannot express it.
    Unsupported(String),
    /// The engine said what is wrong and goes on.
    Failed(String),
    /// The engine is gone, or was given up.
    Gone(String),
    /// The user wants to end.
    Interrupted,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(why) | Self::Failed(why) | Self::Gone(why) => f.write_str(why),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// A running engine. Dropping it ends it, with all that it started.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    replies: Receiver<String>,
    said: Arc<Mutex<VecDeque<String>>>,
    timeout: Duration,
    /// Who it is.
    pub hello: Hello,
}

impl Process {
    /// Starts `program`; a reply may take as long as `timeout`.
    pub fn start(program: &Program, timeout: Duration) -> Result<Self, Trouble> {
        let (name, arguments) = program.command.split_first().unwrap_or((&program.label, &[]));
        let child = Command::new(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: Ctrl-C reaches the runner alone, and the whole group can be ended.
            .process_group(0)
            .spawn();
        let mut child = child.map_err(|error| Trouble::Gone(format!("cannot start {name}: {error}")))?;
        let said = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(errors) = child.stderr.take() {
            let said = Arc::clone(&said);
            thread::spawn(move || keep_last(BufReader::new(errors), &said));
        }
        let (sender, replies) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                lines.map(|line| sender.send(line)).all(|sent| sent.is_ok())
            });
        }
        let input = child.stdin.take();
        let mut process = Self { child, input, replies, said, timeout, hello: Hello::default() };
        process.hello = process.ask(&Request::Hello)?;
        if process.hello.protocol != VERSION {
            let spoken = process.hello.protocol;
            return Err(Trouble::Gone(format!("it speaks protocol {spoken}, the runner {VERSION}")));
        }
        Ok(process)
    }

    /// Asks for something and waits for the reply.
    pub fn ask<T: DeserializeOwned>(&mut self, request: &Request) -> Result<T, Trouble> {
        self.send(request)?;
        self.receive()
    }

    /// Sends a request without waiting for the reply.
    pub fn send(&mut self, request: &Request) -> Result<(), Trouble> {
        let mut line = serde_json::to_string(request).map_err(|error| Trouble::Failed(error.to_string()))?;
        line.push('\n');
        let sent = self.input.as_mut().map(|input| input.write_all(line.as_bytes()));
        if matches!(sent, Some(Ok(()))) { Ok(()) } else { Err(self.death()) }
    }

    /// Waits for the reply to the request that was sent last.
    pub fn receive<T: DeserializeOwned>(&mut self) -> Result<T, Trouble> {
        let line = self.line()?;
        let value = match serde_json::from_str(&line) {
            Ok(Reply::Ok(value)) => value,
            Ok(Reply::Unsupported(why)) => return Err(Trouble::Unsupported(why)),
            Ok(Reply::Error(why)) => return Err(Trouble::Failed(why)),
            Err(error) => return Err(Trouble::Gone(format!("not a reply ({error}): {}", short(&line)))),
        };
        T::deserialize::<Value>(value)
            .map_err(|error| Trouble::Gone(format!("not a reply ({error}): {}", short(&line))))
    }

    /// Forgets how much memory it has had until now, its servers too.
    pub fn forget_peak(&self) {
        self.pids().for_each(memory::forget_peak);
    }

    /// Returns the most memory that it has had since, its servers' added.
    pub fn peak_bytes(&self) -> u64 {
        self.pids().map(memory::peak_bytes).sum()
    }

    fn pids(&self) -> impl Iterator<Item = u32> {
        let own = self.child.id();
        [own].into_iter().chain(memory::children(own)).chain(self.hello.servers.iter().copied())
    }

    fn line(&mut self) -> Result<String, Trouble> {
        let start = Instant::now();
        loop {
            match self.replies.recv_timeout(GLANCE) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.death()),
                Err(RecvTimeoutError::Timeout) if interrupt::is_wanted() => return Err(Trouble::Interrupted),
                Err(RecvTimeoutError::Timeout) if start.elapsed() > self.timeout => {
                    self.kill();
                    let seconds = self.timeout.as_secs_f64();
                    return Err(Trouble::Gone(format!("no answer for {seconds} s, given up")));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Says how it ended, and what it said.
    fn death(&mut self) -> Trouble {
        self.kill();
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        // Its last words may still be on their way.
        thread::sleep(GLANCE);
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let words = if said.is_empty() { String::new() } else { format!(": {}", said.join(" | ")) };
        Trouble::Gone(format!("the engine ended ({status}){words}"))
    }

    /// Waits a moment for it to end by itself, then ends its whole group.
    fn kill(&mut self) {
        self.input = None;
        let start = Instant::now();
        while start.elapsed() < GRACE && !interrupt::is_wanted() && matches!(self.child.try_wait(), Ok(None))
        {
            thread::sleep(Duration::from_millis(5));
        }
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // The group is gone when all has ended by itself.
            kill_process_group(group, Signal::KILL).ok();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        // It was killed; there is nobody to tell that it cannot be waited for.
        self.child.wait().ok();
    }
}

fn keep_last(lines: impl BufRead, said: &Mutex<VecDeque<String>>) {
    for line in lines.lines().map_while(Result::ok) {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() == KEPT_LINES {
            said.pop_front();
        }
        said.push_back(short(&line));
    }
}

fn short(line: &str) -> String {
    line.chars().take(200).collect()
}
