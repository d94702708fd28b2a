//! Paths of files: `tests/fuzz/file.rs` says what has to hold.

#![no_main]

#[path = "../../tests/fuzz/file.rs"]
mod file;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|paths: Vec<String>| file::holds(&paths).expect("nothing fails"));
