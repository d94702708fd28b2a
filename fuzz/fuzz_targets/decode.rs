//! Bytes through the codec: `tests/fuzz/decode.rs` says what has to hold.

#![no_main]

#[path = "../../tests/fuzz/decode.rs"]
mod decode;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| decode::holds(bytes).expect("nothing fails"));
