//! Counts and groups: EV3, EV4, EV5, EV9, EV11, EV12.

use std::thread;

use vellum_fixtures::control::{Access, Index, Pair};
use vellum_fixtures::inputs::{CALLERS, NARROW, ONE_SYSTEM, RARE_TAG, WIDE, fresh_prefixes};
use vellum_fixtures::oracle;

use crate::Outcome;
use crate::queries;
use crate::scene::Scene;
use crate::suite::{Engine, Suite};

pub(crate) fn operations(suite: &mut Suite, scene: &Scene) -> Outcome {
    scene.set_indexes(&[])?;
    all(suite, scene)?;
    by_prefix(suite, scene)?;
    by_two_prefixes(suite, scene, "EV5 wide", WIDE, Pair::SingleField)?;
    by_two_prefixes(suite, scene, "EV5 narrow", NARROW, Pair::SingleField)?;
    by_first_character(suite, scene)?;
    by_callers(suite, scene)?;
    by_tag(suite, scene, "EV12 scan", None)?;
    scene.set_indexes(&[Index::Compound])?;
    by_two_prefixes(suite, scene, "EV5 compound wide", WIDE, Pair::Compound)?;
    by_two_prefixes(suite, scene, "EV5 compound narrow", NARROW, Pair::Compound)?;
    scene.set_indexes(&[Index::Tags])?;
    by_tag(suite, scene, "EV12 index", Some(Index::Tags))
}

pub(crate) fn counted(count: u64) -> Outcome<i64> {
    Ok(count.cast_signed())
}

pub(crate) fn grouped(groups: Vec<(String, u64)>) -> Outcome<Vec<(String, i64)>> {
    Ok(groups.into_iter().map(|(key, count)| (key, count.cast_signed())).collect())
}

fn all(suite: &mut Suite, scene: &Scene) -> Outcome {
    let compiled = queries::count_all(&scene.db)?;
    let mut control = scene.control.count_all()?;
    let mut operation = suite.operation("EV3", scene, oracle::count(&scene.events));
    operation.side(Engine::Compiled, || Ok(compiled.call(())?), counted)?;
    operation.side(Engine::Ordinary, || Ok(scene.documents.count()?), counted)?;
    operation.side(Engine::Control, || Ok(control.run()?), Ok)?;
    Ok(())
}

fn by_prefix(suite: &mut Suite, scene: &Scene) -> Outcome {
    let compiled = queries::count_by_prefix(&scene.db)?;
    let ordinary = || Ok(scene.documents.filter(|e| e.system.starts_with(ONE_SYSTEM)).count()?);
    let mut control = scene.control.prefix_count(Access::Named)?;
    let mut operation = suite.operation("EV4", scene, oracle::count_by_system(&scene.events, ONE_SYSTEM));
    operation.side(Engine::Compiled, || Ok(compiled.call(ONE_SYSTEM)?), counted)?;
    operation.side(Engine::Ordinary, ordinary, counted)?;
    operation.side(Engine::Control, || Ok(control.run(ONE_SYSTEM)?), Ok)?;
    Ok(())
}

fn by_two_prefixes(
    suite: &mut Suite,
    scene: &Scene,
    name: &str,
    prefixes: (&str, &str),
    pair: Pair,
) -> Outcome {
    let (machine, aggregate) = prefixes;
    let compiled = queries::count_by_two_prefixes(&scene.db)?;
    let ordinary = || {
        let both =
            scene.documents.filter(|e| e.machine_name.starts_with(machine) & e.agg_id.starts_with(aggregate));
        Ok(both.count()?)
    };
    let mut control = scene.control.two_prefix_count(pair, Access::Named)?;
    let expected = oracle::count_by_machine_and_aggregate(&scene.events, machine, aggregate);
    let mut operation = suite.operation(name, scene, expected);
    operation.side(Engine::Compiled, || Ok(compiled.call(prefixes)?), counted)?;
    operation.side(Engine::Ordinary, ordinary, counted)?;
    operation.side(Engine::Control, || Ok(control.run(machine, aggregate)?), Ok)?;
    Ok(())
}

fn by_first_character(suite: &mut Suite, scene: &Scene) -> Outcome {
    let compiled = queries::groups(&scene.db)?;
    let ordinary = || {
        let groups = scene.documents.query().group_by(|e| e.username.substr(0, 1));
        Ok(groups.select(|g| (g.key, g.count())).to_vec()?)
    };
    let mut control = scene.control.groups(Access::Named)?;
    let mut operation = suite.operation("EV9", scene, oracle::groups_by_initial(&scene.events));
    operation.side(Engine::Compiled, || Ok(compiled.call(())?), grouped)?;
    operation.side(Engine::Ordinary, ordinary, grouped)?;
    operation.side(Engine::Control, || Ok(control.run()?), Ok)?;
    Ok(())
}

fn by_callers(suite: &mut Suite, scene: &Scene) -> Outcome {
    let Scene { db, documents, control, events, .. } = scene;
    let prefixes: Vec<Vec<String>> = (0..CALLERS).map(fresh_prefixes).collect();
    let expected: Vec<i64> =
        prefixes.iter().flatten().map(|prefix| oracle::count_by_system(events, prefix)).collect();
    let compiled = queries::count_by_prefix(db)?;
    let ordinary = |prefix: &str| documents.filter(|e| e.system.starts_with(prefix)).count();
    let mut callers = control.callers()?;
    let signed = |counts: Vec<u64>| Ok(counts.into_iter().map(u64::cast_signed).collect());
    let mut operation = suite.operation("EV11", scene, expected);
    operation.side(Engine::Compiled, || on_threads(&prefixes, |prefix| compiled.call(prefix)), signed)?;
    operation.side(Engine::Ordinary, || on_threads(&prefixes, ordinary), signed)?;
    operation.side(Engine::Control, || Ok(callers.run()?), Ok)?;
    Ok(())
}

/// Counts the prefixes of each caller on its thread, and returns the counts caller by caller.
fn on_threads(
    prefixes: &[Vec<String>],
    count: impl Fn(&str) -> vellum::Result<u64> + Sync,
) -> Outcome<Vec<u64>> {
    let count = |prefix: &String| count(prefix);
    let counts = thread::scope(|scope| {
        let threads: Vec<_> =
            prefixes.iter().map(|own| scope.spawn(|| own.iter().map(count).collect())).collect();
        let counts = threads.into_iter().map(|thread| thread.join().expect("a thread that returns"));
        counts.collect::<vellum::Result<Vec<Vec<u64>>>>()
    })?;
    Ok(counts.concat())
}

fn by_tag(suite: &mut Suite, scene: &Scene, name: &str, index: Option<Index>) -> Outcome {
    let compiled = queries::count_by_tag(&scene.db)?;
    let ordinary = || Ok(scene.documents.filter(|e| e.tags.eq(RARE_TAG)).count()?);
    let mut control = scene.control.tag_count(index, Access::Named)?;
    let mut operation = suite.operation(name, scene, oracle::count_by_tag(&scene.events, RARE_TAG));
    operation.side(Engine::Compiled, || Ok(compiled.call(RARE_TAG)?), counted)?;
    operation.side(Engine::Ordinary, ordinary, counted)?;
    operation.side(Engine::Control, || Ok(control.run(RARE_TAG)?), Ok)?;
    Ok(())
}
