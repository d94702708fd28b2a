//! Pages of a hundred whole documents, the latest first, at an offset: EV6.

use vellum_fixtures::control::Access;
use vellum_fixtures::inputs::{
    DEEP_OFFSET, ONE_SYSTEM, PAGE_LEN, TWO_SYSTEMS, offsets_in_sequence, random_offsets,
};
use vellum_fixtures::oracle;

use crate::Outcome;
use crate::queries;
use crate::scene::{Scene, originals};
use crate::suite::{Engine, Suite};

pub(crate) fn operations(suite: &mut Suite, scene: &Scene) -> Outcome {
    scene.set_indexes(&[])?;
    pages(suite, scene, "EV6 0", ONE_SYSTEM, |_| vec![0])?;
    pages(suite, scene, "EV6 5000", ONE_SYSTEM, |_| vec![DEEP_OFFSET])?;
    pages(suite, scene, "EV6 ten", ONE_SYSTEM, |_| offsets_in_sequence())?;
    pages(suite, scene, "EV6 random", ONE_SYSTEM, random_offsets)?;
    pages(suite, scene, "EV6 ui 0", TWO_SYSTEMS, |_| vec![0])?;
    pages(suite, scene, "EV6 ui 5000", TWO_SYSTEMS, |_| vec![DEEP_OFFSET])?;
    pages(suite, scene, "EV6 ui ten", TWO_SYSTEMS, |_| offsets_in_sequence())?;
    pages(suite, scene, "EV6 ui random", TWO_SYSTEMS, random_offsets)
}

/// The pages at `offsets`, which are chosen by the number of matches, one after another.
fn pages(
    suite: &mut Suite,
    scene: &Scene,
    name: &str,
    prefix: &str,
    offsets: fn(usize) -> Vec<usize>,
) -> Outcome {
    let latest = oracle::latest_by_system(&scene.events, prefix);
    let offsets = offsets(latest.len());
    let expected: Vec<_> =
        offsets.iter().flat_map(|&offset| oracle::page(&latest, offset, PAGE_LEN)).collect();
    let page = queries::page(&scene.db)?;
    let compiled = |offset: usize| Ok(page.call((prefix, offset as u64))?);
    let ordinary = |offset: usize| {
        let found = scene.documents.filter(|e| e.system.starts_with(prefix));
        Ok(found.order_by_desc(|e| e.unix_timestamp).skip(offset).take(PAGE_LEN).to_vec()?)
    };
    let mut control = scene.control.page(Access::Named)?;
    let mut by_hand = |offset| Ok(control.run(prefix, offset, PAGE_LEN)?);
    let mut operation = suite.operation(name, scene, expected);
    operation.side(Engine::Compiled, || at(&offsets, compiled), originals)?;
    operation.side(Engine::Ordinary, || at(&offsets, ordinary), originals)?;
    operation.side(Engine::Control, || at(&offsets, &mut by_hand), Ok)?;
    Ok(())
}

fn at<T>(offsets: &[usize], mut page: impl FnMut(usize) -> Outcome<Vec<T>>) -> Outcome<Vec<T>> {
    let mut found = Vec::with_capacity(offsets.len() * PAGE_LEN);
    for &offset in offsets {
        found.append(&mut page(offset)?);
    }
    Ok(found)
}
