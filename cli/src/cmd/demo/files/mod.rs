//! `vellum demo files`: the operations of workload FS, beside plain files on the same file system and beside files that
//! are one value each.

mod edit;
mod read;
mod small;
mod volume;

use crate::args::DemoArgs;
use crate::error::{Error, Result};

use super::cases::{Entry, entry};
use super::place::{Look, Place};
use volume::Volume;

/// All rows in the order in which they run.
const ENTRIES: &[Entry<Volume>] = &[
    entry("FS1", "snapshot", "200 reads of 1 KiB", read::in_snapshot),
    entry("FS1", "handle", "the same, open handles", read::by_handle),
    entry("FS1", "path", "the same, by path", read::by_path),
    entry("FS2", "", "write 4 KiB inside 6.25 MiB", edit::inside),
    entry("FS3", "", "write a byte behind a gap", edit::behind_gap),
    entry("FS4", "grow", "grow to 100 MiB", edit::grow),
    entry("FS4", "truncate", "cut 6.25 MiB to 8 KiB", edit::truncate),
    entry("FS5", "up", "upload 6.25 MiB", edit::upload),
    entry("FS5", "down", "download 6.25 MiB", read::download),
    entry("FS5", "stream", "upload 64 MiB from a stream", edit::stream),
    entry("FS6", "put", "put 256 files of 4 KiB", small::put),
    entry("FS6", "put 64", "the same, 64 callers", small::put_together),
    entry("FS6", "get", "get 256 files of 4 KiB", small::get),
    entry("FS6", "get 64", "the same, 64 callers", small::get_together),
    entry("FS7", "", "page of 100 of 10,000 names", read::list),
];

/// How the files that stay are looked at.
const LOOKS: [Look; 2] = [
    Look { program: "sqlite3", arguments: "\"SELECT name, length FROM vellum_entry LIMIT 5\"" },
    Look { program: "sqlite3", arguments: "\"SELECT name, length(data) FROM file LIMIT 5\"" },
];

/// Runs the command.
pub(super) fn run(args: &DemoArgs) -> Result<()> {
    let place = Place::new(args)?;
    let (volume, report) =
        super::report("filling databases and directories", ENTRIES, || Volume::new(place))?;
    super::print(args, "200 files of 32 KiB and more", volume.place.kept(LOOKS), &volume.place, &report)
        .map_err(|source| Error::Output { source })?;
    report.outcome()
}
