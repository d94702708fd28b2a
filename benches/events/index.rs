//! Indexes built over all documents: EV2.

use vellum_fixtures::control::{Index, Stranger};

use crate::Outcome;
use crate::scene::Scene;
use crate::suite::{Engine, Suite};

pub(crate) fn operations(suite: &mut Suite, scene: &Scene) -> Outcome {
    one_each(suite, scene)?;
    build(suite, scene, "EV2 six", &Index::SIX, || scene.drop_indexes())?;
    build(suite, scene, "EV2 narrow index", &[Index::Narrow], || {
        // It goes with the six alone.
        scene.drop_indexes()?;
        Index::SIX.iter().try_for_each(|&index| scene.create_index(index).map(drop))
    })?;
    build(suite, scene, "EV2 compound", &[Index::Compound], || scene.set_indexes(&[]))
}

/// The six, none beside another. The drop of each, a matter of a millisecond or two, is in the time.
fn one_each(suite: &mut Suite, scene: &Scene) -> Outcome {
    let Scene { documents, control, .. } = scene;
    scene.drop_indexes()?;
    control.set_indexes(&[])?;
    let ours = || {
        for index in Index::SIX {
            let name = scene.create_index(index)?;
            documents.drop_index(&name)?;
        }
        Ok(())
    };
    let theirs = || {
        for index in Index::SIX {
            control.create_index(index)?;
            control.drop_index(index)?;
        }
        Ok(())
    };
    let mut operation = suite.operation("EV2 one each", scene, 0);
    operation.side(Engine::Compiled, ours, |()| Ok(documents.indexes()?.len() as i64))?;
    operation.side(Engine::Control, theirs, |()| Ok(control.index_count()?))?;
    Ok(())
}

/// Adds `indexes`, which `reset` takes away from Vellum. That they are whole is seen from outside.
fn build(
    suite: &mut Suite,
    scene: &Scene,
    name: &str,
    indexes: &[Index],
    reset: impl Fn() -> Outcome,
) -> Outcome {
    let mut operation = suite.operation(name, scene, indexes.len() as i64);
    let (ours, theirs) =
        (Stranger::open(scene.db.path(), "events")?, Stranger::open(&scene.control_path(), "t")?);
    reset()?;
    let before = ours.index_count()?;
    operation.side_with(
        Engine::Compiled,
        &reset,
        |()| indexes.iter().try_for_each(|&index| scene.create_index(index).map(drop)),
        |()| added(&ours, before),
    )?;
    let control = &scene.control;
    control.set_indexes(&Index::SIX)?;
    let reset = || Ok(indexes.iter().try_for_each(|&index| control.drop_index(index))?);
    reset()?;
    let before = theirs.index_count()?;
    operation.side_with(
        Engine::Control,
        reset,
        |()| Ok(indexes.iter().try_for_each(|&index| control.create_index(index))?),
        |()| added(&theirs, before),
    )?;
    Ok(())
}

/// Returns how many indexes more than before there are, if every one agrees with the documents.
fn added(file: &Stranger, before: i64) -> Outcome<i64> {
    if file.is_sound()? { Ok(file.index_count()? - before) } else { Err("an index is not whole".into()) }
}
