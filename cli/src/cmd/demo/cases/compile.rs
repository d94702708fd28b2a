//! What it costs to compile, beside what SQLite takes to prepare the control's statement; and what a call costs: EV13.

use vellum::{Compiled, Database};
use vellum_fixtures::control::Shape;
use vellum_fixtures::inputs::{ONE_SYSTEM, PAGE_LEN, RARE_TAG, WIDE};
use vellum_fixtures::oracle;

use super::super::bench::Bench;
use super::super::case::{Answer, Case, Work};
use super::super::queries;
use super::super::rows::Column;
use crate::error::Result;

pub(super) fn count_all(bench: &Bench) -> Result<Case<'_>> {
    let expected = Answer::Count(oracle::count(&bench.events));
    case(bench, Shape::CountAll, expected, queries::count_all, |count| Ok(Answer::counted(count.call(())?)))
}

pub(super) fn count_by_prefix(bench: &Bench) -> Result<Case<'_>> {
    let expected = Answer::Count(oracle::count_by_system(&bench.events, ONE_SYSTEM));
    case(bench, Shape::CountByPrefix, expected, queries::count_by_prefix, |count| {
        Ok(Answer::counted(count.call(ONE_SYSTEM)?))
    })
}

pub(super) fn count_by_two_prefixes(bench: &Bench) -> Result<Case<'_>> {
    let expected = oracle::count_by_machine_and_aggregate(&bench.events, WIDE.0, WIDE.1);
    let shape = Shape::CountByTwoPrefixes;
    case(bench, shape, Answer::Count(expected), queries::count_by_two_prefixes, |count| {
        Ok(Answer::counted(count.call(WIDE)?))
    })
}

pub(super) fn count_by_tag(bench: &Bench) -> Result<Case<'_>> {
    let expected = Answer::Count(oracle::count_by_tag(&bench.events, RARE_TAG));
    case(bench, Shape::CountByTag, expected, queries::count_by_tag, |count| {
        Ok(Answer::counted(count.call(RARE_TAG)?))
    })
}

pub(super) fn page(bench: &Bench) -> Result<Case<'_>> {
    let latest = oracle::latest_by_system(&bench.events, ONE_SYSTEM);
    let expected = Answer::Events(oracle::page(&latest, 0, PAGE_LEN));
    case(bench, Shape::Page, expected, queries::page, |page| {
        Ok(Answer::Events(page.call((ONE_SYSTEM, 0))?.into_iter().map(Into::into).collect()))
    })
}

pub(super) fn point(bench: &Bench) -> Result<Case<'_>> {
    let expected = Answer::Events(oracle::get(&bench.events, 1).cloned().into_iter().collect());
    case(bench, Shape::Point, expected, queries::point, |point| {
        Ok(Answer::Events(point.call(1)?.into_iter().map(Into::into).collect()))
    })
}

pub(super) fn groups(bench: &Bench) -> Result<Case<'_>> {
    let expected = Answer::Groups(oracle::groups_by_initial(&bench.events));
    case(bench, Shape::Groups, expected, queries::groups, |groups| Ok(Answer::grouped(groups.call(())?)))
}

/// A case whose answer is that of the compiled query; a statement that is only prepared has none of its own.
fn case<'b, P: 'b, O: 'b>(
    bench: &'b Bench,
    shape: Shape,
    expected: Answer,
    compile: fn(&Database) -> vellum::Result<Compiled<P, O>>,
    call: fn(&Compiled<P, O>) -> Result<Answer>,
) -> Result<Case<'b>> {
    bench.set_indexes(&[])?;
    let prepare = Prepare { bench, shape, expected: expected.clone() };
    let compile = Compile { db: &bench.vellum.db, compile, call, compiled: None, checked: None };
    Ok(Case::new(expected).side(Column::Compiled, compile).side(Column::Control, prepare))
}

/// Compiles a query.
struct Compile<'b, P, O> {
    db: &'b Database,
    compile: fn(&Database) -> vellum::Result<Compiled<P, O>>,
    call: fn(&Compiled<P, O>) -> Result<Answer>,
    compiled: Option<Compiled<P, O>>,
    /// What the first one was, and what it returned.
    checked: Option<(String, Answer)>,
}

impl<P, O> Work for Compile<'_, P, O> {
    fn run(&mut self) -> Result<Answer> {
        self.compiled = Some((self.compile)(self.db)?);
        Ok(Answer::Count(1))
    }

    fn confirm(&mut self, compiled_one: Answer) -> Result<Answer> {
        let Some(compiled) = self.compiled.take() else { return Ok(compiled_one) };
        let sql = compiled.to_sql();
        // Calling takes longer than compiling, so that it is done once as long as the statement is the same.
        if let Some((_, answer)) = self.checked.as_ref().filter(|(checked, _)| *checked == sql) {
            return Ok(answer.clone());
        }
        let answer = (self.call)(&compiled)?;
        self.checked = Some((sql, answer.clone()));
        Ok(answer)
    }
}

/// Prepares the control's statement.
struct Prepare<'b> {
    bench: &'b Bench,
    shape: Shape,
    expected: Answer,
}

impl Work for Prepare<'_> {
    fn run(&mut self) -> Result<Answer> {
        self.bench.control.prepare_shape(self.shape)?;
        Ok(Answer::Count(1))
    }

    fn confirm(&mut self, _prepared_one: Answer) -> Result<Answer> {
        Ok(self.expected.clone())
    }
}

/// A call that finds one row by its key: hardly more than the call itself.
pub(super) fn call(bench: &Bench) -> Result<Case<'_>> {
    let vellum = &bench.vellum;
    let compiled = queries::count_by_id(&vellum.db)?;
    let ordinary = || vellum.events.filter(|e| e.id.eq(1)).count();
    let mut control = bench.control.id_count()?;
    Ok(Case::new(Answer::Count(1))
        .side(Column::Compiled, move || Ok(Answer::counted(compiled.call(1)?)))
        .side(Column::Ordinary, move || Ok(Answer::counted(ordinary()?)))
        .side(Column::Control, move || Ok(Answer::Count(control.run(1)?))))
}
