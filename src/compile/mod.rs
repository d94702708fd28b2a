//! From the faithful tree to a plan: no I/O, testable without a database.
//!
//! `check -> lower -> passes -> emit`, in that order and only here. Everything that a plan needs to know of the
//! database is in the [`Catalog`] that it is given.

mod cache;
mod check;
pub(crate) mod emit;
mod error;
mod lower;
mod passes;
mod plan;

pub(crate) use cache::PlanCache;
pub use error::{CompileError, OperandError};
pub(crate) use passes::Disabled;
pub(crate) use passes::PASSES;
pub(crate) use plan::{Deep, Output, Plan, Text, Trace};

use crate::ir::catalog::Catalog;
use crate::ir::doc;
use crate::ir::sql::BindSource;
use lower::Lowered;
pub(crate) use passes::Depth;

/// Plans a statement.
///
/// # Errors
/// What the checks refuse, in the user's words.
pub(crate) fn compile(
    statement: &doc::Statement,
    catalog: &Catalog,
    disabled: Disabled,
) -> Result<Plan, CompileError> {
    plan(statement, catalog, disabled, &mut |_, _| {}).map(|(plan, _)| plan)
}

/// Plans a statement and keeps what every stage made of it.
///
/// # Errors
/// As [`compile`].
pub(crate) fn trace(
    statement: &doc::Statement,
    catalog: &Catalog,
    disabled: Disabled,
) -> Result<(Plan, Trace), CompileError> {
    let mut stages = Vec::new();
    let (plan, notes) = plan(statement, catalog, disabled, &mut |name, sql| stages.push((name, sql)))?;
    Ok((plan, Trace { query: statement.to_string(), stages, notes }))
}

fn plan(
    statement: &doc::Statement,
    catalog: &Catalog,
    disabled: Disabled,
    stage: &mut dyn FnMut(&'static str, String),
) -> Result<(Plan, Vec<String>), CompileError> {
    check::check(statement)?;
    let lowered = lower::lower(statement, catalog)?;
    stage("lower", emit::emit(&lowered.statement));
    let mut rewrite = |depth: Depth| {
        let mut sql = lowered.statement.clone();
        let mut context = passes::Context { catalog, depth, notes: Vec::new() };
        passes::run(&mut sql, &mut context, disabled, &mut |name, sql| stage(name, emit::emit(sql)));
        (Text { sql: emit::emit(&sql), binds: sql.binds }, context.notes)
    };
    let (text, mut notes) = rewrite(Depth::Shallow);
    let counts = counts(&statement.query);
    let deep = if counts.is_empty() { None } else { Some(rewrite(Depth::Deep)) };
    let deep = deep.filter(|(deep, _)| deep.sql != text.sql).map(|(deep, deep_notes)| {
        notes.extend(deep_notes.into_iter().map(|note| format!("from {} rows on, {note}", Depth::DEEP)));
        Deep { text: deep, counts }
    });
    let Lowered { output, .. } = lowered;
    let plan = Plan { text, deep, output, epoch: catalog.epoch, is_write: statement.terminal.is_write() };
    Ok((plan, notes))
}

/// Returns where the numbers of rows come from that a query skips and takes.
fn counts(query: &doc::Query) -> Vec<BindSource> {
    let counts = query.stages.iter().filter_map(|stage| match stage {
        doc::Stage::Skip(count) | doc::Stage::Take(count) => Some(*count),
        _ => None,
    });
    counts
        .map(|count| match count {
            doc::Count::Constant(index) => BindSource::Constant(index),
            doc::Count::Param(slot) => BindSource::Slot(slot),
        })
        .collect()
}
