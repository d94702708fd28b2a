//! An update of some documents in one transaction: EV10.

use vellum_fixtures::control::Access;
use vellum_fixtures::inputs::new_body;
use vellum_fixtures::oracle;

use crate::Outcome;
use crate::queries;
use crate::scene::Scene;
use crate::suite::{Engine, Suite};

pub(crate) fn operations(suite: &mut Suite, scene: &Scene) -> Outcome {
    scene.set_indexes(&[])?;
    let Scene { db, documents, control, .. } = scene;
    let update = queries::update(db)?;
    let mut by_hand = control.update(Access::Named)?;
    let ids = |body: &str| documents.filter(|e| e.body.eq(body)).select(|e| e.id).to_vec();
    let expected = oracle::updated_ids(&scene.events);
    let mut operation = suite.operation("EV10", scene, (expected.len() as u64, expected));
    // Each run has a body of its own, so that it always changes what it looks at.
    operation.side_with(
        Engine::Compiled,
        bodies(1 << 20),
        |body| Ok((update.call(&body)?, body)),
        |(count, body)| Ok((count, ids(&body)?)),
    )?;
    operation.side_with(
        Engine::Ordinary,
        bodies(2 << 20),
        |body| Ok((documents.filter(queries::is_updated).update(|e| e.body.set(body.as_str()))?, body)),
        |(count, body)| Ok((count, ids(&body)?)),
    )?;
    operation.side_with(
        Engine::Control,
        bodies(0),
        |body| Ok((by_hand.run(&body)?.cast_unsigned(), body)),
        |(count, body)| Ok((count, control.ids_by_body(&body)?)),
    )?;
    Ok(())
}

/// Returns another body each time.
fn bodies(first: u64) -> impl FnMut() -> Outcome<String> {
    let mut rounds = first..;
    move || Ok(new_body(rounds.next().ok_or("no round is left")?))
}
