//! A short run of what the targets in `fuzz/` run for hours: the same properties, on inputs that proptest makes.
//!
//! `VELLUM_CASES` says how many inputs there are.

#![allow(clippy::panic, clippy::expect_used, reason = "a property fails as a test does")]

mod collection;
mod decode;
mod file;
mod input;
mod path;

use proptest::collection::vec;
use proptest::prelude::*;

use self::decode::bytes_of;
use self::input::{Edit, collection_name, deep, edit, everything, file_path, key, shape};

/// Returns as many cases as were asked for. What fails becomes a test of its own; proptest keeps no file.
fn cases(usual: u32) -> ProptestConfig {
    let cases = std::env::var("VELLUM_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Reads a document whose bytes were changed.
fn holds_after<T: serde::Serialize>(edits: &[Edit], document: &T) -> Result<(), TestCaseError> {
    let mut bytes = bytes_of(document)?;
    edits.iter().for_each(|edit| edit.apply(&mut bytes));
    Ok(decode::holds(&bytes)?)
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn bytes_are_refused_or_read_as_a_value_that_can_be_stored(bytes in vec(any::<u8>(), 0..60)) {
        decode::holds(&bytes)?;
    }

    #[test]
    fn nested_bytes_are_refused_or_read_on_an_ordinary_stack(bytes in deep()) {
        decode::holds(&bytes)?;
    }

    #[test]
    fn changed_documents_are_refused_or_read_as_a_value_that_can_be_stored(
        document in everything(),
        edits in vec(edit(), 0..5),
    ) {
        holds_after(&edits, &document)?;
    }

    #[test]
    fn changed_enums_are_refused_or_read_as_a_value_that_can_be_stored(
        shape in shape(),
        edits in vec(edit(), 0..3),
    ) {
        holds_after(&edits, &shape)?;
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn any_key_reaches_its_own_value(keys in vec(key(), 1..6)) {
        path::holds(&keys)?;
    }

    #[test]
    fn any_path_is_refused_or_names_a_file_of_its_own(paths in vec(file_path(), 1..10)) {
        file::holds(&paths)?;
    }

    #[test]
    fn any_name_is_refused_or_names_a_collection_of_its_own(names in vec(collection_name(), 1..8)) {
        collection::holds(&names)?;
    }
}
