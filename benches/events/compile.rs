//! What it costs to compile, beside what SQLite takes to prepare the control's statement; and what a call costs: EV13.

use vellum_fixtures::control::Shape;
use vellum_fixtures::inputs::{ONE_SYSTEM, PAGE_LEN, RARE_TAG, WIDE};
use vellum_fixtures::oracle;

use crate::Outcome;
use crate::count::{counted, grouped};
use crate::queries;
use crate::scene::{Scene, originals};
use crate::suite::{Engine, Suite};

pub(crate) fn operations(suite: &mut Suite, scene: &Scene) -> Outcome {
    let Scene { db, events, .. } = scene;
    let all = oracle::count(events);
    shape(
        suite,
        scene,
        ("EV13 count", Shape::CountAll, all),
        || queries::count_all(db),
        |c| counted(c.call(())?),
    )?;
    let by_prefix = oracle::count_by_system(events, ONE_SYSTEM);
    shape(
        suite,
        scene,
        ("EV13 prefix", Shape::CountByPrefix, by_prefix),
        || queries::count_by_prefix(db),
        |compiled| counted(compiled.call(ONE_SYSTEM)?),
    )?;
    let by_two = oracle::count_by_machine_and_aggregate(events, WIDE.0, WIDE.1);
    shape(
        suite,
        scene,
        ("EV13 two prefixes", Shape::CountByTwoPrefixes, by_two),
        || queries::count_by_two_prefixes(db),
        |compiled| counted(compiled.call(WIDE)?),
    )?;
    let by_tag = oracle::count_by_tag(events, RARE_TAG);
    shape(
        suite,
        scene,
        ("EV13 tag", Shape::CountByTag, by_tag),
        || queries::count_by_tag(db),
        |compiled| counted(compiled.call(RARE_TAG)?),
    )?;
    let page = oracle::page(&oracle::latest_by_system(events, ONE_SYSTEM), 0, PAGE_LEN);
    shape(
        suite,
        scene,
        ("EV13 page", Shape::Page, page),
        || queries::page(db),
        |compiled| originals(compiled.call((ONE_SYSTEM, 0))?),
    )?;
    let point: Vec<_> = oracle::get(events, 1).cloned().into_iter().collect();
    shape(
        suite,
        scene,
        ("EV13 point", Shape::Point, point),
        || queries::point(db),
        |compiled| originals(compiled.call(1)?.into_iter().collect()),
    )?;
    let groups = oracle::groups_by_initial(events);
    shape(
        suite,
        scene,
        ("EV13 group", Shape::Groups, groups),
        || queries::groups(db),
        |compiled| grouped(compiled.call(())?),
    )?;
    call(suite, scene)
}

/// Compiles a query; `call` says what it then returns. A statement of the control that is only prepared returns nothing.
fn shape<C, A: PartialEq + Clone>(
    suite: &mut Suite,
    scene: &Scene,
    (name, shape, expected): (&str, Shape, A),
    compile: impl Fn() -> vellum::Result<C>,
    call: impl FnOnce(C) -> Outcome<A>,
) -> Outcome {
    let mut operation = suite.operation(name, scene, expected.clone());
    operation.side(Engine::Compiled, || Ok(compile()?), call)?;
    operation.side(Engine::Control, || Ok(scene.control.prepare_shape(shape)?), |()| Ok(expected))?;
    Ok(())
}

/// A call that finds one row by its key: hardly more than the call itself.
fn call(suite: &mut Suite, scene: &Scene) -> Outcome {
    let compiled = queries::count_by_id(&scene.db)?;
    let mut control = scene.control.id_count()?;
    let mut operation = suite.operation("EV13 call", scene, 1);
    operation.side(Engine::Compiled, || Ok(compiled.call(1)?), counted)?;
    operation.side(Engine::Ordinary, || Ok(scene.documents.filter(|e| e.id.eq(1)).count()?), counted)?;
    operation.side(Engine::Control, || Ok(control.run(1)?), Ok)?;
    Ok(())
}
