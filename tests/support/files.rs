//! What tests of files share.

use vellum::Files;

use super::TestResult;

/// Returns bytes without a zero among them, so that a hole is told apart.
pub(crate) fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 % 251) as u8 + 1).collect()
}

/// Asserts that nothing is wrong with the files.
pub(crate) fn sound(files: &Files<'_>) -> TestResult {
    let problems = files.check()?;
    assert!(problems.is_empty(), "{problems:?}");
    Ok(())
}
