//! Files and directories in the tables of a database: names, bytes, trees. It names the store alone.
//!
//! What it promises:
//! - A file is a row of `vellum_entry` and the rows of `vellum_chunk` whose keys begin with its content's number. A chunk
//!   that is not there reads as zeros and takes no space; no byte is stored past the end of its file.
//! - A path is not stored: it is the chain of an entry's parents, so that a tree is moved by one row.
//! - The number of an entry or a content is never given again, and an entry's version moves with each change of bytes or
//!   length: a handle that knows both cannot take another file for its own.
//! - Every change is made inside the caller's transaction. Metadata passes through as bytes.

mod check;
mod content;
mod edit;
mod entry;
mod error;
mod hash;
mod layout;
mod list;
mod path;
mod stage;
mod tree;
mod view;

pub(crate) use check::{Problem, check};
pub(crate) use edit::Editor;
pub(crate) use entry::{Entry, Kind, find, get, meta};
pub use error::FsError;
pub(crate) use hash::{agrees, damaged};
pub(crate) use layout::Layout;
pub(crate) use list::{After, Listing, Sort, Usage, list, usage};
pub(crate) use path::FsPath;
pub(crate) use stage::Staged;
pub(crate) use tree::Over;
pub(crate) use view::{Bytes, hole, read_at, read_known};
