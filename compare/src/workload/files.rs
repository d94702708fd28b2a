//! Workload FS: files inside the database, beside plain files.

use serde_json::{Value, json};
use vellum_compare_protocol::fs::{
    BIG, BIG_LEN, MANY_FILES, Many, Opening, Operation, Resize, SEEN_OF_GAP, SMALL_FILES, SMALL_LEN,
    Transfer, content, digest,
};
use vellum_fixtures::events::SplitMix64;

use super::{Case, Round, Scene, Work};

const READS: usize = 200;
const READ_LEN: usize = 1 << 10;
const EDIT_OFFSET: u64 = 400 << 10;
const EDIT_LEN: usize = 4 << 10;
/// The number of the bytes that FS2 writes: no file's.
const EDIT: u64 = 1_000;
const GAP: u64 = (100 << 20) + (100 << 10);
const GROWN: u64 = 8 << 20;
const TRUNCATED: u64 = 1 << 20;
const PAGE_LEN: usize = 100;

/// Returns the workload.
pub(super) fn scene() -> Scene {
    let big = content(BIG, BIG_LEN);
    let mut edited = big.clone();
    let edit = edited.iter_mut().skip(EDIT_OFFSET as usize);
    edit.zip(content(EDIT, EDIT_LEN)).for_each(|(byte, new)| *byte = new);
    let mut cases = reads();
    cases.extend(lengths(&big));
    cases.extend(transfers(&big));
    cases.extend(callers());
    cases.extend(listings());
    // The only one that changes what the others look at.
    cases.push(case("FS2", "", "write 4 KiB inside 6.25 MiB", {
        let operation = Operation::FS2 { seed: EDIT, offset: EDIT_OFFSET, len: EDIT_LEN };
        Round::new(operation, json!(digest(&edited)))
    }));
    Scene { count: SMALL_FILES + 1, filled: None, cases }
}

fn reads() -> Vec<Case> {
    let mut draws = SplitMix64::new(1);
    let last = (SMALL_LEN - READ_LEN) as u64;
    let mut read = || ((draws.draw() % SMALL_FILES as u64) as usize, draws.draw() % (last + 1));
    let reads: Vec<(usize, u64)> = (0..READS).map(|_| read()).collect();
    let mut bytes = Vec::new();
    for &(file, offset) in &reads {
        bytes.extend(content(file as u64, SMALL_LEN).into_iter().skip(offset as usize).take(READ_LEN));
    }
    let expected = digest(&bytes);
    let openings = [("path", Opening::Path), ("handle", Opening::Handle), ("snapshot", Opening::Snapshot)];
    let one = |(name, opening)| {
        let operation = Operation::FS1 { reads: reads.clone(), len: READ_LEN, case: opening };
        case("FS1", name, "200 reads of 1 KiB", Round::new(operation, json!(expected))).of_items(READS)
    };
    openings.into_iter().map(one).collect()
}

fn lengths(big: &[u8]) -> Vec<Case> {
    let mut gap = vec![0; SEEN_OF_GAP as usize];
    if let Some(last) = gap.last_mut() {
        *last = 0x5A;
    }
    let sparse = Round::new(Operation::FS3 { offset: GAP }, whole(GAP + 1, &gap));
    let resized = |resize, len: u64| {
        let bytes: Vec<u8> = big.iter().copied().chain(std::iter::repeat(0)).take(len as usize).collect();
        Round::new(Operation::FS4 { case: resize, len }, whole(len, &bytes))
    };
    vec![
        case("FS3", "", "one byte at 100 MiB + 100 KiB of a fresh file", sparse),
        case("FS4", "grow", "6.25 MiB to 8 MiB", resized(Resize::Grow, GROWN)),
        case("FS4", "truncate", "6.25 MiB to 1 MiB", resized(Resize::Truncate, TRUNCATED)),
    ]
}

fn whole(length: u64, bytes: &[u8]) -> Value {
    json!({ "length": length, "digest": digest(bytes) })
}

fn transfers(big: &[u8]) -> Vec<Case> {
    let expected = json!(digest(big));
    let round = |transfer| Round::new(Operation::FS5 { case: transfer }, expected.clone());
    vec![
        case("FS5", "up", "store 6.25 MiB", round(Transfer::Up)),
        case("FS5", "down", "read 6.25 MiB", round(Transfer::Down)),
    ]
}

fn callers() -> Vec<Case> {
    let one = |name, many, callers: usize, each: usize| {
        let files = callers * each;
        let round = Round::new(Operation::FS6 { case: many, callers, each }, json!(files));
        case("FS6", name, format!("{files} files of 4 KiB, {callers} callers"), round).of_items(files)
    };
    vec![
        one("put x1", Many::Put, 1, 100),
        one("get x1", Many::Get, 1, 100),
        one("put x64", Many::Put, 64, 10),
        one("get x64", Many::Get, 64, 10),
    ]
}

fn listings() -> Vec<Case> {
    let one = |name, offset: usize| {
        let names: Vec<String> =
            (offset..MANY_FILES).take(PAGE_LEN).map(|number| format!("{number:04}")).collect();
        let round = Round::new(Operation::FS7 { offset, len: PAGE_LEN }, json!(names));
        case("FS7", name, format!("100 of 10,000 names at {offset}"), round)
    };
    vec![one("first", 0), one("deep", MANY_FILES / 2)]
}

fn case(id: &'static str, name: &'static str, title: impl Into<String>, round: Round) -> Case {
    Case::new(id, name, title, Work::Run { indexes: Vec::new(), needs_indexes: false, rounds: vec![round] })
}
