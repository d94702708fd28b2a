//! Programs that are killed while they write. What they acknowledged is there afterwards, and nothing is half there.
//!
//! A round starts this test program again as a child, kills it (SIGKILL) at a moment that a seed decides, and looks at
//! the file. `VELLUM_ROUNDS` says how many rounds there are, `VELLUM_SEED` repeats those of a run that failed.

#[path = "../support/mod.rs"]
mod support;

mod check;
mod child;
mod files;
mod import;
mod load;
mod workload;

use std::time::Duration;

use support::{Dir, TestResult};
use vellum::Database;
use vellum_fixtures::events::SplitMix64;

use self::check::Past;
use self::child::Child;

const ROUNDS: u64 = 20;

/// How often one file is written to and killed.
const ROUNDS_PER_FILE: u64 = 4;

/// The longest life of a child whose work never ends.
const LONGEST_LIFE: Duration = Duration::from_millis(400);

/// Returns the seeds of as many rounds as were asked for, and says what they come from.
fn seeds() -> Result<impl Iterator<Item = u64>, Box<dyn std::error::Error>> {
    let rounds = std::env::var("VELLUM_ROUNDS").map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
    let seed = match std::env::var("VELLUM_SEED") {
        Ok(seed) => seed.parse()?,
        Err(_) => u64::from(std::process::id()),
    };
    println!("VELLUM_SEED={seed}");
    let mut seeds = SplitMix64::new(seed);
    Ok((0..rounds).map(move |_| seeds.draw()))
}

/// Returns a moment within a span.
fn moment(random: &mut SplitMix64, span: Duration) -> Duration {
    span.mul_f64((random.draw() % 1_000) as f64 / 1_000.0)
}

#[test]
fn writers_that_are_killed_leave_what_they_acknowledged() -> TestResult {
    const NAME: &str = "writers_that_are_killed_leave_what_they_acknowledged";
    if let Some((file, seed)) = child::task()? {
        return workload::write_forever(&file, seed);
    }
    let seeds = seeds()?;
    let mut scene = None;
    let mut acknowledged = 0;
    for (round, of_round) in (0..).zip(seeds) {
        if round % ROUNDS_PER_FILE == 0 {
            scene = Some((Dir::new()?, Past::default()));
        }
        let (dir, past) = scene.as_mut().ok_or("the first round makes a file")?;
        let file = dir.file("it.db");
        let life = moment(&mut SplitMix64::new(of_round), LONGEST_LIFE);
        let said = Child::start(NAME, &file, of_round)?.kill_after(life)?;
        acknowledged += past
            .check(&file, of_round, &said)
            .map_err(|error| format!("round {round}, after {life:?}: {error}"))?;
    }
    println!("{acknowledged} steps were acknowledged");
    Ok(())
}

#[test]
fn a_load_that_is_killed_is_whole_or_absent() -> TestResult {
    const NAME: &str = "a_load_that_is_killed_is_whole_or_absent";
    if let Some((file, seed)) = child::task()? {
        return load::load(&file, seed);
    }
    let seeds = seeds()?;
    let dir = Dir::new()?;
    let pace = load::pace(&Child::start(NAME, &dir.file("it.db"), 0)?)?;
    let mut found = load::Found::default();
    for (round, of_round) in (0..).zip(seeds) {
        let dir = Dir::new()?;
        let file = dir.file("it.db");
        let child = Child::start(NAME, &file, of_round)?;
        load::kill(child, &pace, &mut SplitMix64::new(of_round))
            .and_then(|acknowledged| found.check(&file, of_round, acknowledged))
            .map_err(|error| format!("round {round}: {error}"))?;
    }
    println!("{found:?}");
    Ok(())
}

#[test]
fn files_whose_writers_are_killed_are_whole_and_lose_no_space() -> TestResult {
    const NAME: &str = "files_whose_writers_are_killed_are_whole_and_lose_no_space";
    if let Some((file, seed)) = child::task()? {
        return files::write_forever(&file, seed);
    }
    let seeds = seeds()?;
    let mut past = files::Past::default();
    let mut dir = Dir::new()?;
    for (round, of_round) in (0..).zip(seeds) {
        if round % ROUNDS_PER_FILE == 0 {
            past.forget();
            dir = Dir::new()?;
        }
        let file = dir.file("it.db");
        let life = moment(&mut SplitMix64::new(of_round), LONGEST_LIFE);
        let said = Child::start(NAME, &file, of_round)?.kill_after(life)?;
        past.check(&file, of_round, &said)
            .map_err(|error| format!("round {round}, after {life:?}: {error}"))?;
    }
    println!("{}", past.summary());
    Ok(())
}

#[test]
fn an_import_that_is_killed_leaves_each_file_whole() -> TestResult {
    const NAME: &str = "an_import_that_is_killed_leaves_each_file_whole";
    if let Some((file, seed)) = child::task()? {
        return import::import_forever(&file, seed);
    }
    let seeds = seeds()?;
    let dir = Dir::new()?;
    import::prepare(&dir.file("0.db"))?;
    let mut found = import::Found::default();
    for (round, of_round) in (0..).zip(seeds) {
        let file = dir.file(&format!("{}.db", round / ROUNDS_PER_FILE));
        let life = moment(&mut SplitMix64::new(of_round), LONGEST_LIFE);
        let said = Child::start(NAME, &file, of_round)?.kill_after(life)?;
        found.check(&file, &said).map_err(|error| format!("round {round}, after {life:?}: {error}"))?;
    }
    println!("{found:?}");
    Ok(())
}

#[test]
fn what_a_process_stages_is_left_alone_while_it_lives_and_freed_when_it_was_killed() -> TestResult {
    const NAME: &str = "what_a_process_stages_is_left_alone_while_it_lives_and_freed_when_it_was_killed";
    if let Some((file, _)) = child::task()? {
        return files::stage_forever(&file);
    }
    let dir = Dir::new()?;
    let file = dir.file("it.db");
    Database::open(&file)?.files().write("/target", "old")?;
    let child = Child::start(NAME, &file, 0)?;
    child.wait_for("staged")?;
    Database::open(&file)?.files().write("/other", "this looks for what was staged")?;
    assert_eq!(files::staged(&file)?, 1);
    child.kill()?;
    let db = Database::open(&file)?;
    assert_eq!(files::staged(&file)?, 1);
    files::assert_freed(&db, &file)?;
    assert_eq!(db.files().read("/target")?, b"old");
    Ok(())
}
