//! Whole documents: EV8 by id, EV14 all of them.

use std::hint::black_box;

use vellum_fixtures::events;
use vellum_fixtures::inputs::looked_up_ids;
use vellum_fixtures::oracle;

use crate::Outcome;
use crate::event::Event;
use crate::queries;
use crate::scene::{Scene, originals};
use crate::suite::{Engine, Suite};

pub(crate) fn operations(suite: &mut Suite, scene: &Scene) -> Outcome {
    one_by_one(suite, scene)?;
    in_one_snapshot(suite, scene)?;
    all(suite, scene)
}

/// A thousand ids and the events that have them.
fn looked_up(scene: &Scene) -> (Vec<i64>, Vec<events::Event>) {
    let ids = looked_up_ids(scene.count());
    let events = ids.iter().filter_map(|&id| oracle::get(&scene.events, id).cloned()).collect();
    (ids, events)
}

/// Returns the documents of `ids` that there are, each by a look-up of its own.
fn each(ids: &[i64], get: impl Fn(i64) -> vellum::Result<Option<Event>>) -> Outcome<Vec<Event>> {
    Ok(ids.iter().filter_map(|&id| get(id).transpose()).collect::<vellum::Result<_>>()?)
}

fn one_by_one(suite: &mut Suite, scene: &Scene) -> Outcome {
    let (ids, expected) = looked_up(scene);
    let compiled = queries::point(&scene.db)?;
    let mut lookup = scene.control.lookup()?;
    let mut operation = suite.operation("EV8 single", scene, expected);
    operation.side(Engine::Compiled, || each(&ids, |id| compiled.call(id)), originals)?;
    operation.side(Engine::Ordinary, || each(&ids, |id| scene.documents.get(id)), originals)?;
    operation.side(Engine::Control, || Ok(lookup.single(&ids)?), Ok)?;
    Ok(())
}

fn in_one_snapshot(suite: &mut Suite, scene: &Scene) -> Outcome {
    let (ids, expected) = looked_up(scene);
    let point = queries::point(&scene.db)?;
    let compiled = || {
        let snapshot = scene.db.snapshot()?;
        let point = point.on(&snapshot);
        each(&ids, |id| point.call(id))
    };
    let ordinary = || {
        let snapshot = scene.db.snapshot()?;
        let events = snapshot.collection::<Event>()?;
        each(&ids, |id| events.get(id))
    };
    let mut lookup = scene.control.lookup()?;
    let mut operation = suite.operation("EV8 snapshot", scene, expected);
    operation.side(Engine::Compiled, compiled, originals)?;
    operation.side(Engine::Ordinary, ordinary, originals)?;
    operation.side(Engine::Control, || Ok(lookup.in_snapshot(&ids)?), Ok)?;
    Ok(())
}

/// All documents, one at a time; nobody keeps them.
fn all(suite: &mut Suite, scene: &Scene) -> Outcome {
    let all = queries::all(&scene.db)?;
    let compiled = |see: &mut dyn FnMut(Event)| {
        Ok(all.for_each((), |event| {
            see(event);
            Ok(())
        })?)
    };
    let ordinary = |see: &mut dyn FnMut(Event)| {
        Ok(scene.documents.query().for_each(|event| {
            see(event);
            Ok(())
        })?)
    };
    let mut stream = scene.control.stream()?;
    let mut operation = suite.operation("EV14", scene, scene.events.clone());
    operation.side(
        Engine::Compiled,
        || compiled(&mut |event| drop(black_box(event))),
        |()| kept(compiled),
    )?;
    operation.side(
        Engine::Ordinary,
        || ordinary(&mut |event| drop(black_box(event))),
        |()| kept(ordinary),
    )?;
    operation.side(
        Engine::Control,
        || Ok(stream.for_each(|event| drop(black_box(event)))?),
        |()| {
            let mut events = Vec::new();
            scene.control.stream()?.for_each(|event| events.push(event))?;
            Ok(events)
        },
    )?;
    Ok(())
}

/// Returns the events of which documents stream by.
fn kept(stream: impl FnOnce(&mut dyn FnMut(Event)) -> Outcome) -> Outcome<Vec<events::Event>> {
    let mut events = Vec::new();
    stream(&mut |event| events.push(event.into()))?;
    Ok(events)
}
