//! Random operations on files, beside a map from paths to bytes: after each of them the answer or the kind of the error,
//! every name and every byte are the same on both sides, and `check` finds nothing.
//!
//! `VELLUM_OPS` says how many operations there are, `VELLUM_SEED` repeats those of a run that failed.

#![allow(clippy::panic, clippy::indexing_slicing, reason = "a helper of tests fails as a test does")]

#[path = "../support/mod.rs"]
mod support;

mod compare;
mod draw;
mod handles;
mod model;
mod source;
mod steps;
mod world;

use support::TestResult;

use self::draw::Draw;
use self::world::World;

const OPS: u64 = 2_000;

/// How many operations one database lives through.
const OPS_PER_DATABASE: u64 = 1_000;

#[test]
fn files_and_a_map_of_vectors_agree_after_every_operation() -> TestResult {
    let ops = std::env::var("VELLUM_OPS").map_or(Ok(OPS), |ops| ops.parse())?;
    let seed = match std::env::var("VELLUM_SEED") {
        Ok(seed) => seed.parse()?,
        Err(_) => u64::from(std::process::id()),
    };
    println!("VELLUM_SEED={seed}");
    let mut draw = Draw::new(seed);
    let mut world = World::new()?;
    for number in 0..ops {
        if number % OPS_PER_DATABASE == 0 {
            world = World::new()?;
        }
        world.step(&mut draw).map_err(|error| format!("operation {number}: {error}"))?;
    }
    Ok(())
}
