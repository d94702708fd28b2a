//! A disk that fails on demand: a VFS of SQLite around the system's own, under a name with which a file is opened.
//!
//! The calls of a kind that a [`Fault`] can meet are counted, and the one that it names goes wrong. Everything else
//! reaches the system. SQLite's shared memory is mapped, not written through the VFS: only the calls that map and lock
//! it can fail.

mod file;
mod script;
mod shadow;
mod vfs;

pub(crate) use script::{Call, Fault, How};
pub(crate) use vfs::Disk;
