//! What a query becomes: every stage as text, the SQL, SQLite's own plan, and why nothing faster was chosen.

use std::collections::HashMap;
use std::fmt;

use crate::api::session::Session;
use crate::compile::{self, CompileError, Course, Plan, Reading, Text, Trace};
use crate::error::{Error, Result};
use crate::ir::doc::Statement;
use crate::ir::value::Value;
use crate::store;

/// What a query becomes, as [`Compiled::explain`](crate::Compiled::explain) and [`Query::explain`](crate::Query::explain)
/// tell it. `Display` shows all of it.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// let told = notes.filter(|n| n.stars.ge(2)).explain()?;
/// assert_eq!(told.query, "from `notes`\n  .filter((stars >= <i64>))\n  .to_vec()");
/// assert_eq!(told.plan.sqlite_plan, ["SCAN t0"]);
/// assert!(told.to_string().contains("not faster: `stars` has no index"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The query as it was written, a line a stage; literals are shown by their types.
    pub query: String,
    /// What runs.
    pub plan: ExplainedPlan,
    /// What runs in its place when `skip` and `take` together are 1,000 rows or more, where that is another plan.
    pub deep: Option<ExplainedPlan>,
    /// The same of a call without any of the options that [`filter_some`](crate::Query::filter_some) depends on, where
    /// there are some and `forbid_scan` lets it run: the plans above have them all. Each set of them has its own plan.
    pub without_options: Option<Box<Explanation>>,
}

/// One SQL text of a query, and how it came to be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplainedPlan {
    /// The SQL after lowering, and after each pass that changed it, by name.
    pub stages: Vec<(&'static str, String)>,
    /// The SQL that runs.
    pub sql: String,
    /// SQLite's own plan of it (`EXPLAIN QUERY PLAN`), a line a step, nested steps indented by two spaces. SQLite does
    /// not say COVERING of indexes over virtual columns, though they do cover.
    pub sqlite_plan: Vec<String>,
    /// How each collection is read: which indexes serve it, and why not a faster way.
    pub readings: Vec<Reading>,
}

/// Explains a statement as a session would run it, with every option and without any.
pub(crate) fn explain(session: &Session, statement: &Statement, constants: &[Value]) -> Result<Explanation> {
    let mut explanation = planned(session, statement, constants)?;
    let optional = statement.optional_slots();
    if !optional.is_empty() {
        explanation.without_options = match planned(session, &statement.without(&optional), constants) {
            Err(Error::Compile(CompileError::Scan { .. })) => None,
            without => Some(Box::new(without?)),
        };
    }
    Ok(explanation)
}

fn planned(session: &Session, statement: &Statement, constants: &[Value]) -> Result<Explanation> {
    let mut trace = || {
        let schema = session.schema()?;
        let written = compile::with_literals(statement, constants, &schema.literals);
        Ok(compile::trace(&written, &session.shared.catalog(&schema), session.shared.disabled)?)
    };
    session.planned(&mut trace, &mut |(plan, trace): &(Plan, Trace)| {
        let conn = session.read()?;
        let deep = plan.deep.as_ref().zip(trace.deep.as_ref());
        Ok(Explanation {
            query: trace.query.clone(),
            plan: ExplainedPlan::new(&conn, &plan.text, &trace.course)?,
            deep: deep.map(|(deep, course)| ExplainedPlan::new(&conn, &deep.text, course)).transpose()?,
            without_options: None,
        })
    })
}

impl ExplainedPlan {
    fn new(conn: &store::Conn, text: &Text, course: &Course) -> Result<Self> {
        Ok(ExplainedPlan {
            stages: course.stages.clone(),
            sql: text.sql.clone(),
            sqlite_plan: sqlite_plan(conn, &text.sql)?,
            readings: course.readings.clone(),
        })
    }
}

/// Asks SQLite how it runs a statement. No value is bound: a plan does not depend on them.
fn sqlite_plan(conn: &store::Conn, sql: &str) -> Result<Vec<String>> {
    let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let mut depths: HashMap<i64, usize> = HashMap::new();
    let mut lines = Vec::new();
    while let Some(row) = statement.step()? {
        let (step, parent) = (row.int(0)?, row.int(1)?);
        let depth = depths.get(&parent).map_or(0, |depth| depth + 1);
        depths.insert(step, depth);
        lines.push(format!("{:width$}{}", "", row.text(3)?, width = 2 * depth));
    }
    Ok(lines)
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("query\n")?;
        indented(f, self.query.lines())?;
        self.plan.fmt(f)?;
        if let Some(deep) = &self.deep {
            f.write_str("\nfrom 1,000 rows on\n")?;
            deep.fmt(f)?;
        }
        if let Some(without) = &self.without_options {
            f.write_str("\nwithout its options\n")?;
            without.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for ExplainedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stages\n")?;
        for (name, sql) in &self.stages {
            writeln!(f, "  {name}: {sql}")?;
        }
        writeln!(f, "sql\n  {}", self.sql)?;
        f.write_str("plan of SQLite\n")?;
        indented(f, self.sqlite_plan.iter().map(String::as_str))?;
        f.write_str("reading\n")?;
        for reading in &self.readings {
            writeln!(f, "  `{}`: {}", reading.collection, reading.choice)?;
            for obstacle in &reading.obstacles {
                writeln!(f, "    not faster: {obstacle}")?;
            }
        }
        Ok(())
    }
}

fn indented<'l>(f: &mut fmt::Formatter<'_>, lines: impl Iterator<Item = &'l str>) -> fmt::Result {
    for line in lines {
        writeln!(f, "  {line}")?;
    }
    Ok(())
}
