//! Counts and groups: EV3, EV4, EV5, EV9, EV11, EV12.

use vellum_fixtures::control::{Access, Index, Pair};
use vellum_fixtures::inputs::{CALLERS, NARROW, ONE_SYSTEM, RARE_TAG, WIDE, fresh_prefixes};
use vellum_fixtures::oracle;

use super::super::bench::Bench;
use super::super::case::{Answer, Case};
use super::super::rows::Column;
use crate::error::Result;

pub(super) fn all(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&Index::SIX)?;
    let mut count = bench.control.count_all()?;
    let case = Case::new(Answer::Count(oracle::count(&bench.events)));
    Ok(case.side(Column::Control, move || Ok(Answer::Count(count.run()?))))
}

pub(super) fn by_prefix(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&Index::SIX)?;
    let mut case = Case::new(Answer::Count(oracle::count_by_system(&bench.events, ONE_SYSTEM)));
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
        Pair::SingleField => bench.control.set_indexes(&Index::SIX)?,
        Pair::Compound => bench.control.set_indexes(&[&Index::SIX[..], &[Index::Compound]].concat())?,
    }
    let (machine, aggregate) = prefixes;
    let expected = oracle::count_by_machine_and_aggregate(&bench.events, machine, aggregate);
    let mut case = Case::new(Answer::Count(expected));
    for (column, access) in [(Column::Control, Access::Named), (Column::Planner, Access::Planner)] {
        let mut count = bench.control.two_prefix_count(pair, access)?;
        case = case.side(column, move || Ok(Answer::Count(count.run(machine, aggregate)?)));
    }
    Ok(case)
}

pub(super) fn groups(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&Index::SIX)?;
    let mut case = Case::new(Answer::Groups(oracle::groups_by_initial(&bench.events)));
    for (column, access) in [(Column::Control, Access::Named), (Column::Planner, Access::Planner)] {
        let mut groups = bench.control.groups(access)?;
        case = case.side(column, move || Ok(Answer::Groups(groups.run()?)));
    }
    Ok(case)
}

pub(super) fn callers(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&Index::SIX)?;
    let prefixes = (0..CALLERS).flat_map(fresh_prefixes);
    let expected = prefixes.map(|prefix| oracle::count_by_system(&bench.events, &prefix)).collect();
    let mut callers = bench.control.callers()?;
    let case = Case::new(Answer::Counts(expected));
    Ok(case.side(Column::Control, move || Ok(Answer::Counts(callers.run()?))))
}

pub(super) fn tag_by_scan(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&Index::SIX)?;
    by_tag(bench, None)
}

pub(super) fn tag_by_index(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&[&Index::SIX[..], &[Index::Tags]].concat())?;
    by_tag(bench, Some(Index::Tags))
}

fn by_tag(bench: &Bench, index: Option<Index>) -> Result<Case<'_>> {
    let mut case = Case::new(Answer::Count(oracle::count_by_tag(&bench.events, RARE_TAG)));
    for (column, access) in [(Column::Control, Access::Named), (Column::Planner, Access::Planner)] {
        let mut count = bench.control.tag_count(index, access)?;
        case = case.side(column, move || Ok(Answer::Count(count.run(RARE_TAG)?)));
    }
    Ok(case)
}
