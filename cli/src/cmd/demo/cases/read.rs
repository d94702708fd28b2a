//! Whole documents: EV6, EV7, EV8, EV14.

use vellum_fixtures::control::Access;
use vellum_fixtures::events::Event;
use vellum_fixtures::inputs::{
    DEEP_OFFSET, ONE_SYSTEM, PAGE_LEN, TWO_SYSTEMS, looked_up_ids, offsets_in_sequence, random_offsets,
};
use vellum_fixtures::oracle::{self, Tally};

use super::super::bench::Bench;
use super::super::case::{Answer, Case, Documents};
use super::super::event::Event as Document;
use super::super::queries;
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
    bench.set_indexes(&[])?;
    let latest = oracle::latest_by_system(&bench.events, prefix);
    let offsets = offsets(latest.len());
    let expected = offsets.iter().flat_map(|&offset| oracle::page(&latest, offset, PAGE_LEN)).collect();
    let vellum = &bench.vellum;
    let compiled = queries::page(&vellum.db)?;
    let compiled = move |offset: usize| compiled.call((prefix, offset as u64));
    let ordinary = move |offset: usize| {
        let found = vellum.events.filter(|e| e.system.starts_with(prefix));
        found.order_by_desc(|e| e.unix_timestamp).skip(offset).take(PAGE_LEN).to_vec()
    };
    let mut case = Case::new(Answer::Events(expected))
        .side(Column::Compiled, at_offsets(offsets.clone(), compiled))
        .side(Column::Ordinary, at_offsets(offsets.clone(), ordinary));
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

/// Vellum's pages at `offsets`, one after another.
fn at_offsets(
    offsets: Vec<usize>,
    page: impl Fn(usize) -> vellum::Result<Vec<Document>>,
) -> Documents<impl FnMut() -> Result<Vec<Document>>> {
    Documents::new(move || {
        let mut events = Vec::with_capacity(offsets.len() * PAGE_LEN);
        for &offset in &offsets {
            events.append(&mut page(offset)?);
        }
        Ok(events)
    })
}

pub(super) fn cursor(bench: &Bench) -> Result<Case<'_>> {
    bench.set_indexes(&[])?;
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
    let vellum = &bench.vellum;
    let compiled = queries::point(&vellum.db)?;
    let mut lookup = bench.control.lookup()?;
    let [ours, same] = [ids.clone(), ids.clone()];
    Ok(case
        .side(Column::Compiled, Documents::new(move || each(&ours, |id| compiled.call(id))))
        .side(Column::Ordinary, Documents::new(move || each(&same, |id| vellum.events.get(id))))
        .side(Column::Control, move || Ok(Answer::Events(lookup.single(&ids)?))))
}

pub(super) fn lookups_in_snapshot(bench: &Bench) -> Result<Case<'_>> {
    let (ids, case) = looked_up(bench);
    let vellum = &bench.vellum;
    let compiled = queries::point(&vellum.db)?;
    let mut lookup = bench.control.lookup()?;
    let [ours, same] = [ids.clone(), ids.clone()];
    let compiled = move || {
        let snapshot = vellum.db.snapshot()?;
        let point = compiled.on(&snapshot);
        each(&ours, |id| point.call(id))
    };
    let ordinary = move || {
        let snapshot = vellum.db.snapshot()?;
        let events = snapshot.collection::<Document>()?;
        each(&same, |id| events.get(id))
    };
    Ok(case
        .side(Column::Compiled, Documents::new(compiled))
        .side(Column::Ordinary, Documents::new(ordinary))
        .side(Column::Control, move || Ok(Answer::Events(lookup.in_snapshot(&ids)?))))
}

fn looked_up<'b>(bench: &Bench) -> (Vec<i64>, Case<'b>) {
    let ids = looked_up_ids(bench.events.len());
    let expected = ids.iter().filter_map(|&id| oracle::get(&bench.events, id).cloned()).collect();
    (ids, Case::new(Answer::Events(expected)))
}

/// Returns the documents of `ids` that there are, each by a look-up of its own.
fn each(ids: &[i64], get: impl Fn(i64) -> vellum::Result<Option<Document>>) -> Result<Vec<Document>> {
    Ok(ids.iter().filter_map(|&id| get(id).transpose()).collect::<vellum::Result<_>>()?)
}

pub(super) fn stream(bench: &Bench) -> Result<Case<'_>> {
    let vellum = &bench.vellum;
    let compiled = queries::all(&vellum.db)?;
    let mut stream = bench.control.stream()?;
    Ok(Case::new(Answer::Read(Tally::of(&bench.events)))
        .with_heap()
        .side(
            Column::Compiled,
            tallied(bench, move |see| {
                let see = |event| {
                    see(Event::from(event));
                    Ok(())
                };
                Ok(compiled.for_each((), see)?)
            }),
        )
        .side(
            Column::Ordinary,
            tallied(bench, |see| {
                let see = |event| {
                    see(Event::from(event));
                    Ok(())
                };
                Ok(vellum.events.query().for_each(see)?)
            }),
        )
        .side(Column::Control, tallied(bench, move |see| Ok(stream.for_each(see)?))))
}

/// A work that tallies what `stream` reads.
fn tallied<'b>(
    bench: &'b Bench,
    mut stream: impl FnMut(&mut dyn FnMut(Event)) -> Result<()> + 'b,
) -> impl FnMut() -> Result<Answer> + 'b {
    let mut is_warm = false;
    move || {
        let mut tally = Tally::default();
        if is_warm {
            stream(&mut |event| tally.add(&event))?;
        } else {
            // The run that is not timed looks at every byte: what differs from the oracle does not count.
            let mut expected = bench.events.iter();
            stream(&mut |event| {
                if expected.next() == Some(&event) {
                    tally.add(&event);
                }
            })?;
            is_warm = true;
        }
        Ok(Answer::Read(tally))
    }
}
