//! The rows of workload EV. An engine's part of a case is a `side` in its function.

mod compile;
mod count;
mod read;
mod write;

use super::bench::Bench;
use super::case::{Case, Name};
use crate::error::Result;

/// A row before it is measured, on something that all rows work on.
pub(super) struct Entry<B> {
    /// What it is about.
    pub(super) name: Name,
    /// Brings about the state that the case is measured in, and makes the case.
    pub(super) build: for<'b> fn(&'b B) -> Result<Case<'b>>,
}

/// Makes a row.
pub(super) const fn entry<B>(
    id: &'static str,
    case: &'static str,
    title: &'static str,
    build: for<'b> fn(&'b B) -> Result<Case<'b>>,
) -> Entry<B> {
    Entry { name: Name { id, case, title }, build }
}

/// All rows in the order in which they run; those that change documents come last.
pub(super) const ENTRIES: &[Entry<Bench>] = &[
    entry("EV1", "fresh", "insert all, new file", write::insert_fresh),
    entry("EV1", "batch", "insert all, file in use", write::insert_batch),
    entry("EV2", "one each", "build six indexes apart", write::indexes_apart),
    entry("EV2", "six", "build six indexes", write::six_indexes),
    entry("EV2", "narrow index", "build the narrow index", write::narrow_index),
    entry("EV2", "compound", "build a compound index", write::compound_index),
    entry("EV3", "", "count all", count::all),
    entry("EV4", "", "count by a prefix", count::by_prefix),
    entry("EV5", "wide", "count by two prefixes", count::wide),
    entry("EV5", "narrow", "count by two prefixes", count::narrow),
    entry("EV5", "compound wide", "the same, compound index", count::compound_wide),
    entry("EV5", "compound narrow", "the same, compound index", count::compound_narrow),
    entry("EV6", "0", "page of 100, newest first", read::first_page),
    entry("EV6", "5000", "page at 5,000", read::deep_page),
    entry("EV6", "ten", "ten pages in sequence", read::ten_pages),
    entry("EV6", "random", "ten pages anywhere", read::random_pages),
    entry("EV6", "ui 0", "page of 100, newest first", read::first_page_of_two),
    entry("EV6", "ui 5000", "page at 5,000", read::deep_page_of_two),
    entry("EV6", "ui ten", "ten pages in sequence", read::ten_pages_of_two),
    entry("EV6", "ui random", "ten pages anywhere", read::random_pages_of_two),
    entry("EV7", "", "all pages by cursor", read::cursor),
    entry("EV8", "single", "1,000 look-ups by id", read::lookups),
    entry("EV8", "snapshot", "the same, one snapshot", read::lookups_in_snapshot),
    entry("EV9", "", "group by first letter", count::groups),
    entry("EV11", "", "200 counts, four threads", count::callers),
    entry("EV12", "scan", "count by a tag, no index", count::tag_by_scan),
    entry("EV12", "index", "count by a tag, indexed", count::tag_by_index),
    entry("EV13", "count", "compile EV3", compile::count_all),
    entry("EV13", "prefix", "compile EV4", compile::count_by_prefix),
    entry("EV13", "two prefixes", "compile EV5", compile::count_by_two_prefixes),
    entry("EV13", "tag", "compile EV12", compile::count_by_tag),
    entry("EV13", "page", "compile EV6", compile::page),
    entry("EV13", "point", "compile EV8", compile::point),
    entry("EV13", "group", "compile EV9", compile::groups),
    entry("EV13", "call", "call: count one by id", compile::call),
    entry("EV14", "", "read all as structs", read::stream),
    entry("EV10", "", "update some of 20,000", write::update),
];
