//! The loop of an engine.

use std::io::{self, BufRead, Write};

use serde::Serialize;
use serde_json::{Value, json};

use crate::{Created, Failure, Hello, Open, Opened, Ran, Reply, Request, Result, Run};

/// A database under comparison.
pub trait Engine {
    /// Returns who it is.
    fn hello(&self) -> Hello;

    /// Opens and fills a database.
    fn open(&self, open: &Open) -> Result<(Opened, Box<dyn Workload>)>;
}

/// An open database, filled for a workload. Dropping it closes it.
pub trait Workload {
    /// Does an operation.
    fn run(&mut self, run: &Run) -> Result<Ran>;

    /// Closes the database and opens it again.
    fn reopen(&mut self) -> Result<()>;

    /// Makes `fields` the secondary indexes, and no others.
    fn indexes(&mut self, _fields: &[Vec<String>]) -> Result<Created> {
        Err(Failure::unsupported("the workload has no indexes"))
    }

    /// Returns the digest of the whole collection.
    fn digest(&mut self) -> Result<Value> {
        Err(Failure::unsupported("the workload has no collection"))
    }
}

/// Answers standard input on standard output until its end.
pub fn serve(engine: &dyn Engine) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut open = None;
    for line in io::stdin().lock().lines() {
        let reply = match serde_json::from_str(&line?) {
            Ok(request) => reply(answer(engine, &mut open, &request)),
            Err(error) => Reply::Error(format!("not a request: {error}")),
        };
        serde_json::to_writer(&mut out, &reply)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(engine: &dyn Engine, open: &mut Option<Box<dyn Workload>>, request: &Request) -> Result<Value> {
    match request {
        Request::Hello => value(engine.hello()),
        Request::Open(wanted) => {
            // Closed before, so that its memory and its locks are gone.
            *open = None;
            let (opened, workload) = engine.open(wanted)?;
            *open = Some(workload);
            value(opened)
        }
        Request::Indexes { fields } => value(opened(open)?.indexes(fields)?),
        Request::Run(run) => value(opened(open)?.run(run)?),
        Request::Digest => Ok(json!({ "answer": opened(open)?.digest()? })),
        Request::Reopen => opened(open)?.reopen().map(|()| json!({})),
        Request::Close => {
            *open = None;
            Ok(json!({}))
        }
    }
}

fn opened(open: &mut Option<Box<dyn Workload>>) -> Result<&mut Box<dyn Workload>> {
    open.as_mut().ok_or_else(|| Failure::Error("no database is open".to_owned()))
}

fn reply(result: Result<Value>) -> Reply {
    match result {
        Ok(value) => Reply::Ok(value),
        Err(Failure::Unsupported(why)) => Reply::Unsupported(why),
        Err(Failure::Error(why)) => Reply::Error(why),
    }
}

fn value(reply: impl Serialize) -> Result<Value> {
    Ok(serde_json::to_value(reply)?)
}
