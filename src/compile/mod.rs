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
pub(crate) use plan::{Output, Plan, Trace};

use crate::ir::catalog::Catalog;
use crate::ir::doc;

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
    let mut lowered = lower::lower(statement, catalog)?;
    stage("lower", emit::emit(&lowered.statement));
    let mut context = passes::Context { catalog, notes: Vec::new() };
    passes::run(&mut lowered.statement, &mut context, disabled, &mut |name, sql| {
        stage(name, emit::emit(sql))
    });
    let plan = Plan {
        sql: emit::emit(&lowered.statement),
        binds: lowered.statement.binds,
        output: lowered.output,
        epoch: catalog.epoch,
        is_write: statement.terminal.is_write(),
    };
    Ok((plan, context.notes))
}
