//! From the faithful tree to a plan: no I/O, testable without a database.
//!
//! `check -> lower -> passes -> emit`, in that order and only here. Everything that a plan needs to know of the
//! database is in the [`Catalog`] that it is given.

mod advice;
mod cache;
mod check;
pub(crate) mod emit;
mod error;
mod lower;
mod passes;
mod plan;

pub use advice::{NarrowGap, Obstacle, Reading};
pub(crate) use cache::PlanCache;
pub(crate) use check::{NESTING_LIMIT, closure as check_closure, too_deep};
pub use error::{CompileError, OperandError};
pub(crate) use passes::Disabled;
#[cfg(test)]
pub(crate) use passes::PASSES;
pub(crate) use plan::{Course, Deep, Output, Plan, Text, Trace};

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::ir::catalog::Catalog;
use crate::ir::doc;
use crate::ir::sql::{self, BindSource};
use crate::ir::value::{FieldDefault, Value};
use emit::column;
use lower::Lowered;
pub(crate) use passes::Depth;

/// The binds that one statement may have: SQLite's own limit.
const BIND_LIMIT: usize = 32_766;

/// The stack that an expression of the greatest depth finds enough, in a debug build too.
const DEEP_STACK: usize = 16 << 20;

/// Plans a statement.
///
/// # Errors
/// What the checks refuse, in the user's words.
pub(crate) fn compile(
    statement: &doc::Statement,
    catalog: &Catalog,
    disabled: Disabled,
) -> Result<Plan, CompileError> {
    plan(statement, catalog, disabled, &mut |_, _, _| {}).map(|(plan, _)| plan)
}

/// Returns the statement with the constants in it that partial indexes name, of which these are the texts: only a query
/// that says the same can be known to ask for what such an index holds.
pub(crate) fn with_literals<'s>(
    statement: &'s doc::Statement,
    constants: &[Value],
    named: &BTreeSet<String>,
) -> Cow<'s, doc::Statement> {
    if named.is_empty() || constants.is_empty() {
        return Cow::Borrowed(statement);
    }
    let mut written = statement.clone();
    let literal =
        |index: u32| literal(constants, index).filter(|value| named.contains(&column::compared(value)));
    written.query.write_constants(&literal);
    Cow::Owned(written)
}

/// Returns a constant as it can stand in a text, if it is a scalar.
fn literal(constants: &[Value], index: u32) -> Option<FieldDefault> {
    let value = constants.get(index as usize)?;
    let is_scalar = matches!(value, Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Text(_));
    if is_scalar { FieldDefault::of(value) } else { None }
}

/// What the documents of a partial index are.
pub(crate) struct IndexConditions {
    /// The conditions, as they stand in it.
    pub(crate) conditions: Vec<String>,
    /// The texts of the constants that they name.
    pub(crate) literals: BTreeSet<String>,
}

/// Returns the conditions of a query's filters as they stand in a partial index.
///
/// # Errors
/// What the checks refuse, and `Unsupported` for a condition that an index cannot have.
pub(crate) fn index_conditions(
    statement: &doc::Statement,
    constants: &[Value],
    catalog: &Catalog,
) -> Result<IndexConditions, CompileError> {
    check::check(statement)?;
    let mut statement = statement.clone();
    let literals = RefCell::new(BTreeSet::new());
    statement.query.write_constants(&|index| {
        let value = literal(constants, index)?;
        literals.borrow_mut().insert(column::compared(&value));
        Some(value)
    });
    let Lowered { statement: mut lowered, .. } = lower::lower(&statement, catalog)?;
    let mut context =
        passes::Context { catalog, depth: Depth::Shallow, forbids_scan: false, readings: Vec::new() };
    // What a query's conditions have gone through when an index is chosen.
    let disabled = Disabled::default().and("loose_scan").and("index").and("documents_last");
    passes::run(&mut lowered, &mut context, disabled, &mut |_, _| {});
    let refused = || CompileError::Unsupported {
        what: "a partial index on this condition".to_owned(),
        instead:
            "state it by fields compared with literals (`eq`, `gt` and their like), `is_some`, `is_none` and \
                  bool fields, joined by `&`, `|` and `!`"
                .to_owned(),
    };
    let sql::Body::Select(select) = &lowered.body else { return Err(refused()) };
    let [source] = select.from.as_slice() else { return Err(refused()) };
    let conditions: Option<Vec<String>> =
        select.filter.iter().map(|condition| emit::condition_of_columns(condition, source.alias)).collect();
    let conditions = conditions.filter(|conditions| !conditions.is_empty()).ok_or_else(refused)?;
    Ok(IndexConditions { conditions, literals: literals.into_inner() })
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
    let (mut course, mut deep) = (Course::default(), Course::default());
    let (plan, readings) = plan(statement, catalog, disabled, &mut |depth, name, sql| {
        let course = if depth == Depth::Shallow { &mut course } else { &mut deep };
        course.stages.push((name, emit::emit(sql)));
    })?;
    [course.readings, deep.readings] = readings;
    let deep = plan.deep.is_some().then_some(deep);
    Ok((plan, Trace { query: statement.to_string(), course, deep }))
}

/// Plans a statement, shows each stage to `stage`, and returns how tables are read by the text and by the deep one.
fn plan(
    statement: &doc::Statement,
    catalog: &Catalog,
    disabled: Disabled,
    stage: &mut dyn FnMut(Depth, &'static str, &sql::Statement),
) -> Result<(Plan, [Vec<Reading>; 2]), CompileError> {
    check::check(statement)?;
    if is_large(statement) {
        // A thread may have less stack than an expression of 200 levels takes on its way through every stage.
        return stacker::maybe_grow(DEEP_STACK, DEEP_STACK, || {
            rewritten(statement, catalog, disabled, stage)
        });
    }
    rewritten(statement, catalog, disabled, stage)
}

/// Returns whether an expression of a statement may be deep.
fn is_large(statement: &doc::Statement) -> bool {
    const SMALL: usize = 64;
    let mut lambdas = statement.query.lambdas().chain(statement.terminal.lambdas());
    lambdas.any(|lambda| lambda.size() > SMALL)
}

/// Takes a checked statement through the stages.
fn rewritten(
    statement: &doc::Statement,
    catalog: &Catalog,
    disabled: Disabled,
    stage: &mut dyn FnMut(Depth, &'static str, &sql::Statement),
) -> Result<(Plan, [Vec<Reading>; 2]), CompileError> {
    let Lowered { statement: lowered, output, is_unique } = lower::lower(statement, catalog)?;
    let forbids_scan = statement.forbids_scan();
    let mut rewrite = |depth: Depth| {
        let mut sql = lowered.clone();
        stage(depth, "lower", &sql);
        let mut context = passes::Context { catalog, depth, forbids_scan, readings: Vec::new() };
        passes::run(&mut sql, &mut context, disabled, &mut |name, sql| stage(depth, name, sql));
        if sql.forget_unused_binds() {
            stage(depth, "binds", &sql);
        }
        (Text { sql: emit::emit(&sql), binds: sql.binds.into_list() }, context.readings)
    };
    let (text, readings) = rewrite(Depth::Shallow);
    let counts = counts(&statement.query);
    let deep = if counts.is_empty() { None } else { Some(rewrite(Depth::Deep)) };
    let (deep, deep_readings) = match deep {
        Some((deep, readings)) if deep.sql != text.sql => (Some(Deep { text: deep, counts }), readings),
        _ => (None, Vec::new()),
    };
    if forbids_scan {
        refuse_scan(statement, readings.iter().chain(&deep_readings))?;
    }
    if text.binds.len() > BIND_LIMIT {
        return Err(CompileError::Unsupported {
            what: format!("a query of more than {BIND_LIMIT} literals and parameters"),
            instead: "give the values as one list to `is_in`".to_owned(),
        });
    }
    let is_write = statement.terminal.is_write();
    let plan = Plan { text, deep, output, epoch: catalog.epoch, is_write, is_unique };
    Ok((plan, [readings, deep_readings]))
}

/// Refuses a plan that visits every document.
fn refuse_scan<'r>(
    statement: &doc::Statement,
    mut readings: impl Iterator<Item = &'r Reading>,
) -> Result<(), CompileError> {
    if let Some(scan) = readings.find(|reading| reading.is_scan) {
        let obstacles = scan.obstacles.iter().map(|obstacle| format!("; {obstacle}")).collect::<String>();
        let why = format!("{}{obstacles}", scan.choice);
        return Err(CompileError::Scan { collection: scan.collection.clone(), why });
    }
    // A write to all documents asks for none of them.
    let picks = |stage: &doc::Stage| {
        use doc::Stage::{Filter, FilterSome, Skip, Take};
        matches!(stage, Filter(_) | FilterSome(..) | Skip(_) | Take(_))
    };
    if statement.terminal.is_write() && !statement.query.stages.iter().any(picks) {
        let doc::Source::Collection { name, .. } = &statement.query.source;
        let why = "it writes to all of them".to_owned();
        return Err(CompileError::Scan { collection: name.to_string(), why });
    }
    Ok(())
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
