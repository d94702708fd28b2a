//! Counts and groups: EV3, EV4, EV5, EV9, EV11, EV12.

use std::thread;

use vellum_fixtures::control::{Access, Index, Pair};
use vellum_fixtures::inputs::{CALLERS, NARROW, ONE_SYSTEM, RARE_TAG, WIDE, fresh_prefixes};
use vellum_fixtures::oracle;

use super::super::bench::Bench;
use super::super::case::{Answer, Case};
use super::super::queries;
use super::super::rows::Column;
use crate::error::{Error, Result};

pub(super) fn all(bench: &Bench) -> Result<Case<'_>> {
    bench.set_indexes(&[])?;
    let vellum = &bench.vellum;
    let compiled = queries::count_all(&vellum.db)?;
    let mut control = bench.control.count_all()?;
    Ok(Case::new(Answer::Count(oracle::count(&bench.events)))
        .side(Column::Compiled, move || Ok(Answer::counted(compiled.call(())?)))
        .side(Column::Ordinary, || Ok(Answer::counted(vellum.events.count()?)))
        .side(Column::Control, move || Ok(Answer::Count(control.run()?))))
}

pub(super) fn by_prefix(bench: &Bench) -> Result<Case<'_>> {
    bench.set_indexes(&[])?;
    let vellum = &bench.vellum;
    let compiled = queries::count_by_prefix(&vellum.db)?;
    let ordinary = || vellum.events.filter(|e| e.system.starts_with(ONE_SYSTEM)).count();
    let mut case = Case::new(Answer::Count(oracle::count_by_system(&bench.events, ONE_SYSTEM)))
        .side(Column::Compiled, move || Ok(Answer::counted(compiled.call(ONE_SYSTEM)?)))
        .side(Column::Ordinary, move || Ok(Answer::counted(ordinary()?)));
    for (column, access) in [(Column::Control, Access::Named), (Column::Planner, Access::Planner)] {
        let mut count = bench.control.prefix_count(access)?;
        case = case.side(column, move || Ok(Answer::Count(count.run(ONE_SYSTEM)?)));
    }
    Ok(case)
}

pub(super) fn wide(bench: &Bench) -> Result<Case<'_>> {
    by_two_prefixes(bench, WIDE, Pair::SingleField)
}

pub(super) fn narrow(bench: &Bench) -> Result<Case<'_>> {
    by_two_prefixes(bench, NARROW, Pair::SingleField)
}

pub(super) fn compound_wide(bench: &Bench) -> Result<Case<'_>> {
    by_two_prefixes(bench, WIDE, Pair::Compound)
}

pub(super) fn compound_narrow(bench: &Bench) -> Result<Case<'_>> {
    by_two_prefixes(bench, NARROW, Pair::Compound)
}

fn by_two_prefixes<'b>(
    bench: &'b Bench,
    prefixes: (&'static str, &'static str),
    pair: Pair,
) -> Result<Case<'b>> {
    match pair {
        Pair::SingleField => bench.set_indexes(&[])?,
        Pair::Compound => bench.set_indexes(&[Index::Compound])?,
    }
    let (machine, aggregate) = prefixes;
    let vellum = &bench.vellum;
    let compiled = queries::count_by_two_prefixes(&vellum.db)?;
    let ordinary = move || {
        let both =
            vellum.events.filter(|e| e.machine_name.starts_with(machine) & e.agg_id.starts_with(aggregate));
        both.count()
    };
    let expected = oracle::count_by_machine_and_aggregate(&bench.events, machine, aggregate);
    let mut case = Case::new(Answer::Count(expected))
        .side(Column::Compiled, move || Ok(Answer::counted(compiled.call(prefixes)?)))
        .side(Column::Ordinary, move || Ok(Answer::counted(ordinary()?)));
    for (column, access) in [(Column::Control, Access::Named), (Column::Planner, Access::Planner)] {
        let mut count = bench.control.two_prefix_count(pair, access)?;
        case = case.side(column, move || Ok(Answer::Count(count.run(machine, aggregate)?)));
    }
    Ok(case)
}

pub(super) fn groups(bench: &Bench) -> Result<Case<'_>> {
    bench.set_indexes(&[])?;
    let vellum = &bench.vellum;
    let compiled = queries::groups(&vellum.db)?;
    let ordinary = || {
        let groups = vellum.events.query().group_by(|e| e.username.substr(0, 1));
        groups.select(|g| (g.key, g.count())).to_vec()
    };
    let mut case = Case::new(Answer::Groups(oracle::groups_by_initial(&bench.events)))
        .side(Column::Compiled, move || Ok(Answer::grouped(compiled.call(())?)))
        .side(Column::Ordinary, move || Ok(Answer::grouped(ordinary()?)));
    for (column, access) in [(Column::Control, Access::Named), (Column::Planner, Access::Planner)] {
        let mut groups = bench.control.groups(access)?;
        case = case.side(column, move || Ok(Answer::Groups(groups.run()?)));
    }
    Ok(case)
}

pub(super) fn callers(bench: &Bench) -> Result<Case<'_>> {
    bench.set_indexes(&[])?;
    let vellum = &bench.vellum;
    let prefixes: Vec<Vec<String>> = (0..CALLERS).map(fresh_prefixes).collect();
    let counted = prefixes.iter().flatten();
    let expected = counted.map(|prefix| oracle::count_by_system(&bench.events, prefix)).collect();
    let compiled = queries::count_by_prefix(&vellum.db)?;
    let ordinary = |prefix: &str| vellum.events.filter(|e| e.system.starts_with(prefix)).count();
    let mut callers = bench.control.callers()?;
    let same = prefixes.clone();
    Ok(Case::new(Answer::Counts(expected))
        .side(Column::Compiled, move || on_threads(&prefixes, |prefix| compiled.call(prefix)))
        .side(Column::Ordinary, move || on_threads(&same, ordinary))
        .side(Column::Control, move || Ok(Answer::Counts(callers.run()?))))
}

/// Counts the prefixes of each caller on its thread, all with one `count`, and returns the counts caller by caller.
fn on_threads(
    prefixes: &[Vec<String>],
    count: impl Fn(&str) -> vellum::Result<u64> + Sync,
) -> Result<Answer> {
    let count = |prefix: &String| Ok(count(prefix)?.cast_signed());
    let counts: Result<Vec<Vec<i64>>> = thread::scope(|scope| {
        let threads: Vec<_> =
            prefixes.iter().map(|own| scope.spawn(|| own.iter().map(count).collect())).collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_panic| Error::Caller)?).collect()
    });
    Ok(Answer::Counts(counts?.concat()))
}

pub(super) fn tag_by_scan(bench: &Bench) -> Result<Case<'_>> {
    bench.set_indexes(&[])?;
    by_tag(bench, None)
}

pub(super) fn tag_by_index(bench: &Bench) -> Result<Case<'_>> {
    bench.set_indexes(&[Index::Tags])?;
    by_tag(bench, Some(Index::Tags))
}

fn by_tag(bench: &Bench, index: Option<Index>) -> Result<Case<'_>> {
    let vellum = &bench.vellum;
    let compiled = queries::count_by_tag(&vellum.db)?;
    let ordinary = || vellum.events.filter(|e| e.tags.eq(RARE_TAG)).count();
    let mut case = Case::new(Answer::Count(oracle::count_by_tag(&bench.events, RARE_TAG)))
        .side(Column::Compiled, move || Ok(Answer::counted(compiled.call(RARE_TAG)?)))
        .side(Column::Ordinary, move || Ok(Answer::counted(ordinary()?)));
    for (column, access) in [(Column::Control, Access::Named), (Column::Planner, Access::Planner)] {
        let mut count = bench.control.tag_count(index, access)?;
        case = case.side(column, move || Ok(Answer::Count(count.run(RARE_TAG)?)));
    }
    Ok(case)
}
