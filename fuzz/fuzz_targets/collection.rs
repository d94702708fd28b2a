//! Names of collections: `tests/fuzz/collection.rs` says what has to hold.

#![no_main]

#[path = "../../tests/fuzz/collection.rs"]
mod collection;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|names: Vec<String>| collection::holds(&names).expect("nothing fails"));
