//! What ways of reading cost, by rules of thumb.
//!
//! The figures are the order of magnitude of the measurements in `docs/design.md` ("Layout and speed"): they only
//! have to tell apart what differs by factors. Without statistics a collection counts as 100,000 documents.

use crate::compile::passes::Depth;
use crate::compile::passes::access::term::TermShape;

/// The documents that a collection is taken to have.
pub(super) const DOCUMENTS: f64 = 100_000.0;
/// Nanoseconds to step along an index.
pub(super) const INDEX_ROW: f64 = 25.0;
/// Nanoseconds to step along the narrow index, with a condition on it.
pub(super) const NARROW_ROW: f64 = 75.0;
/// Nanoseconds to seek one row of the narrow index by its id.
pub(super) const NARROW_SEEK: f64 = 600.0;
/// Nanoseconds to step to the next document, without looking into it.
pub(super) const TABLE_ROW: f64 = 200.0;
/// Nanoseconds to seek one document by its id and look into it.
pub(super) const DOCUMENT: f64 = 1_500.0;
/// Nanoseconds to look into a document that is there.
pub(super) const EXTRACT: f64 = 500.0;
/// Nanoseconds to put a row through the sorter.
pub(super) const SORT_ROW: f64 = 250.0;
/// The rows that a page has whose size is a parameter.
pub(super) const PAGE: f64 = 100.0;
/// Nanoseconds to gather a row id into a set.
pub(super) const SET_ROW: f64 = 35.0;
/// Nanoseconds to ask a set for a row id.
pub(super) const SET_PROBE: f64 = 60.0;

/// Returns the rows in front of a page whose place is a parameter.
pub(super) fn skipped(depth: Depth) -> f64 {
    match depth {
        Depth::Shallow => 50.0,
        Depth::Deep => 10_000.0,
    }
}

/// Returns the part of the documents that a condition keeps.
pub(super) fn selectivity(shape: Option<TermShape>) -> f64 {
    match shape {
        Some(TermShape::Equal) => 0.01,
        Some(TermShape::Null) => 0.05,
        Some(TermShape::In) => 0.1,
        Some(TermShape::Between) => 0.2,
        Some(TermShape::OneSided) | None => 0.35,
        Some(TermShape::Present) => 0.95,
        Some(TermShape::OfKind) => 1.0,
    }
}
