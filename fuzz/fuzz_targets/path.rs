//! Keys through paths, indexes and updates: `tests/fuzz/path.rs` says what has to hold.

#![no_main]

#[path = "../../tests/fuzz/path.rs"]
mod path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|keys: Vec<String>| path::holds(&keys).expect("nothing fails"));
