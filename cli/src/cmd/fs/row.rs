//! A file or a directory as it is printed.

use std::time::SystemTime;

use serde::{Serialize, Serializer};
use vellum::{DirEntry, FileKind, FileStat};

use crate::output;

/// A file or a directory.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    path: String,
    #[serde(serialize_with = "kind")]
    pub(super) kind: FileKind,
    pub(super) length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) allocated: Option<u64>,
    #[serde(serialize_with = "time")]
    pub(super) created: SystemTime,
    #[serde(serialize_with = "time")]
    pub(super) modified: SystemTime,
}

impl Row {
    pub(super) fn of_entry(entry: DirEntry) -> Self {
        let DirEntry { path, kind, length, created, modified, .. } = entry;
        Row { path, kind, length, allocated: None, created, modified }
    }

    pub(super) fn of_stat(path: String, stat: &FileStat) -> Self {
        let FileStat { kind, length, allocated, created, modified, .. } = *stat;
        Row { path, kind, length, allocated: Some(allocated), created, modified }
    }

    /// Returns the path inside a directory, one line whatever is in it; a directory's ends in `/`.
    pub(super) fn inside(&self, directory: &str) -> String {
        let directory = absolute(directory);
        let inside = self.path.strip_prefix(directory.trim_end_matches('/')).unwrap_or_default();
        let inside = inside.strip_prefix('/').unwrap_or(&self.path);
        let slash = if self.kind == FileKind::Directory { "/" } else { "" };
        format!("{}{slash}", output::line(inside))
    }

    /// Returns the whole path, one line whatever is in it.
    pub(super) fn path_text(&self) -> String {
        output::line(&self.path)
    }

    /// Returns the length of a file.
    pub(super) fn length_text(&self, is_human: bool) -> String {
        match self.kind {
            FileKind::Directory => "-".to_owned(),
            FileKind::File => length(self.length, is_human),
        }
    }

    pub(super) fn kind_text(&self) -> &'static str {
        word(self.kind)
    }
}

/// Returns a path with the `/` that may be left out.
pub(super) fn absolute(path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
}

/// Returns a number of bytes, as such or in a unit.
pub(super) fn length(bytes: u64, is_human: bool) -> String {
    if is_human { output::bytes(bytes) } else { bytes.to_string() }
}

fn word(kind: FileKind) -> &'static str {
    match kind {
        FileKind::File => "file",
        FileKind::Directory => "directory",
    }
}

fn kind<S: Serializer>(kind: &FileKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(word(*kind))
}

fn time<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&output::time(*time))
}
