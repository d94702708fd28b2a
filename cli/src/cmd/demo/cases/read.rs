//! Whole documents: EV6, EV7, EV8, EV14; and EV13, what it costs to compile.

use vellum_fixtures::control::{Access, Index};
use vellum_fixtures::events::Event;
use vellum_fixtures::inputs::{
    DEEP_OFFSET, ONE_SYSTEM, PAGE_LEN, TWO_SYSTEMS, looked_up_ids, offsets_in_sequence, random_offsets,
};
use vellum_fixtures::oracle::{self, Tally};

use super::super::bench::Bench;
use super::super::case::{Answer, Case};
use super::super::rows::Column;
use crate::error::Result;

pub(super) fn first_page(bench: &Bench) -> Result<Case<'_>> {
    pages(bench, ONE_SYSTEM, |_matches| vec![0])
}

pub(super) fn deep_page(bench: &Bench) -> Result<Case<'_>> {
    pages(bench, ONE_SYSTEM, |_matches| vec![DEEP_OFFSET])
}

pub(super) fn ten_pages(bench: &Bench) -> Result<Case<'_>> {
    pages(bench, ONE_SYSTEM, |_matches| offsets_in_sequence())
}

pub(super) fn random_pages(bench: &Bench) -> Result<Case<'_>> {
    pages(bench, ONE_SYSTEM, random_offsets)
}

pub(super) fn first_page_of_two(bench: &Bench) -> Result<Case<'_>> {
    pages(bench, TWO_SYSTEMS, |_matches| vec![0])
}

pub(super) fn deep_page_of_two(bench: &Bench) -> Result<Case<'_>> {
    pages(bench, TWO_SYSTEMS, |_matches| vec![DEEP_OFFSET])
}

pub(super) fn ten_pages_of_two(bench: &Bench) -> Result<Case<'_>> {
    pages(bench, TWO_SYSTEMS, |_matches| offsets_in_sequence())
}

pub(super) fn random_pages_of_two(bench: &Bench) -> Result<Case<'_>> {
    pages(bench, TWO_SYSTEMS, random_offsets)
}

/// A case of the pages at `offsets`, which are chosen by the number of matches.
fn pages<'b>(bench: &'b Bench, prefix: &'static str, offsets: fn(usize) -> Vec<usize>) -> Result<Case<'b>> {
    bench.control.set_indexes(&Index::SIX)?;
    let latest = oracle::latest_by_system(&bench.events, prefix);
    let offsets = offsets(latest.len());
    let expected = offsets.iter().flat_map(|&offset| oracle::page(&latest, offset, PAGE_LEN)).collect();
    let mut case = Case::new(Answer::Events(expected));
    for (column, access) in [(Column::Control, Access::Named), (Column::Planner, Access::Planner)] {
        let (mut page, offsets) = (bench.control.page(access)?, offsets.clone());
        case = case.side(column, move || {
            let mut events = Vec::with_capacity(offsets.len() * PAGE_LEN);
            for &offset in &offsets {
                events.append(&mut page.run(prefix, offset, PAGE_LEN)?);
            }
            Ok(Answer::Events(events))
        });
    }
    Ok(case)
}

pub(super) fn cursor(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&Index::SIX)?;
    let latest = oracle::latest_by_system(&bench.events, ONE_SYSTEM);
    let case = Case::new(Answer::Events(latest.into_iter().cloned().collect()));
    let mut cursor = bench.control.cursor()?;
    Ok(case.side(Column::Control, move || {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let mut page = cursor.run(ONE_SYSTEM, events.last(), PAGE_LEN)?;
            if page.is_empty() {
                return Ok(Answer::Events(events));
            }
            events.append(&mut page);
        }
    }))
}

pub(super) fn lookups(bench: &Bench) -> Result<Case<'_>> {
    let (ids, case) = looked_up(bench);
    let mut lookup = bench.control.lookup()?;
    Ok(case.side(Column::Control, move || Ok(Answer::Events(lookup.single(&ids)?))))
}

pub(super) fn lookups_in_snapshot(bench: &Bench) -> Result<Case<'_>> {
    let (ids, case) = looked_up(bench);
    let mut lookup = bench.control.lookup()?;
    Ok(case.side(Column::Control, move || Ok(Answer::Events(lookup.in_snapshot(&ids)?))))
}

fn looked_up<'b>(bench: &Bench) -> (Vec<i64>, Case<'b>) {
    let ids = looked_up_ids(bench.events.len());
    let expected = ids.iter().filter_map(|&id| oracle::get(&bench.events, id).cloned()).collect();
    (ids, Case::new(Answer::Events(expected)))
}

pub(super) fn compile(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&Index::SIX)?;
    let prepare = || Ok(Answer::Count(bench.control.prepare_shapes()? as i64));
    Ok(Case::new(Answer::Count(7)).side(Column::Control, prepare))
}

pub(super) fn stream(bench: &Bench) -> Result<Case<'_>> {
    let case = Case::new(Answer::Read(Tally::of(&bench.events))).with_heap();
    let mut stream = bench.control.stream()?;
    let mut is_warm = false;
    Ok(case.side(Column::Control, move || {
        let mut tally = Tally::default();
        if is_warm {
            stream.for_each(|event| tally.add(&event))?;
        } else {
            // The run that is not timed looks at every byte: what differs from the oracle does not count.
            let mut expected = bench.events.iter();
            stream.for_each(|event| {
                if expected.next() == Some(&event) {
                    tally.add(&event);
                }
            })?;
            is_warm = true;
        }
        Ok(Answer::Read(tally))
    }))
}
