//! Rust values to SQLite's JSONB bytes and back, straight through serde: no text and no tree in between.
//!
//! The format is specified by SQLite under the name JSONB (<https://sqlite.org/jsonb.html>). An element is a header
//! (a kind in the low four bits, the payload's length in the rest and in up to eight bytes more) and a payload; the
//! payload of an array or object is its elements. What is written here satisfies `json_valid(doc, 8)`; what is read
//! is whatever SQLite or another program may have stored, JSON5 forms and longer headers included, and bytes that
//! are no JSONB at all end in a [`CodecError`]. Nothing of the path of an error is kept until an error is there.

pub(crate) mod base64;
mod blame;
mod cell;
mod container;
mod decode;
mod element;
mod encode;
mod entries;
mod error;
mod number;
mod record;
mod seen;
mod stack;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod variant;

pub(crate) use cell::decode_cell;
pub(crate) use decode::decode;
pub(crate) use encode::encode;
pub use error::CodecError;
pub(crate) use record::{Column, decode_record};
pub(crate) use value::{encode_element, encode_list, encode_value};

/// Arrays and objects that may stand inside one another, SQLite's own limit.
pub(crate) const MAX_DEPTH: u16 = 1_000;

/// Arrays and objects that may stand inside one another in an operand. It may be set into a field of a document, below
/// as many more as an expression has levels, and the document is still one.
pub(crate) const MAX_OPERAND_DEPTH: u16 = 800;

/// Bytes that one document may take.
pub(crate) const MAX_LEN: usize = 256 << 20;
