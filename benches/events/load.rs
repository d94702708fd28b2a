//! Insertions: EV1 into a new file and into one that holds documents.

use vellum::Database;
use vellum_fixtures::control::{Control, Durability};
use vellum_fixtures::events;
use vellum_fixtures::oracle::Tally;

use crate::Outcome;
use crate::event::Event;
use crate::scene::{Files, Scene};
use crate::suite::{Engine, Suite};

/// How many documents a file in use holds.
const IN_USE: usize = 1_000;

pub(crate) fn operations(suite: &mut Suite, scene: &Scene) -> Outcome {
    insert(suite, scene, "EV1 fresh", &[])?;
    // Ids below those of the batch, so that it is appended, as it is to a new file.
    let first = scene.events.iter().take(IN_USE);
    let before = first.map(|event| events::Event { id: event.id - IN_USE as i64 - 1, ..event.clone() });
    insert(suite, scene, "EV1 batch", &before.collect::<Vec<_>>())
}

fn insert(suite: &mut Suite, scene: &Scene, name: &str, present: &[events::Event]) -> Outcome {
    let documents: Vec<Event> = scene.events.iter().map(Event::from).collect();
    let tally = Tally::of(present.iter().chain(&scene.events));
    let mut operation = suite.operation(name, scene, tally);
    operation.side_with(
        Engine::Compiled,
        || {
            let files = Files::new()?;
            let events = Database::open(files.vellum())?.collection::<Event>()?;
            events.insert_batch(present.iter().map(Event::from))?;
            Ok((events, documents.clone(), files))
        },
        |(events, documents, files)| {
            events.insert_batch(documents)?;
            Ok((events, files))
        },
        |(events, _files)| {
            let mut tally = Tally::default();
            for event in events.query().iter()? {
                tally.add(&event?.into());
            }
            Ok(tally)
        },
    )?;
    operation.side_with(
        Engine::Control,
        || {
            let files = Files::new()?;
            let control = Control::open(&files.control(), Durability::Full)?;
            control.insert_batch(present)?;
            Ok((control, files))
        },
        |(control, files)| {
            control.insert_batch(&scene.events)?;
            Ok((control, files))
        },
        |(control, _files)| {
            let mut tally = Tally::default();
            control.stream()?.for_each(|event| tally.add(&event))?;
            Ok(tally)
        },
    )?;
    Ok(())
}
