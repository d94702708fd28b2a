//! Vellum: an embedded document database for Rust.

mod codec;
mod ir;

pub use codec::CodecError;
pub use ir::path::{FieldPath, Segment};

/// What generated code and the benchmarks reach; no part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::ir::value::{Cell, Kind, Value};

    /// The codec's two directions.
    pub mod codec {
        use serde::Serialize;
        use serde::de::DeserializeOwned;

        use crate::CodecError;

        /// Appends the JSONB of a document and returns its integer key.
        pub fn encode<T: Serialize + ?Sized>(
            doc: &T,
            key: Option<&'static str>,
            out: &mut Vec<u8>,
        ) -> Result<Option<i64>, CodecError> {
            crate::codec::encode(doc, key, out)
        }

        /// Reads a document.
        pub fn decode<T: DeserializeOwned>(
            bytes: &[u8],
            key: Option<(&'static str, i64)>,
        ) -> Result<T, CodecError> {
            crate::codec::decode(bytes, key)
        }
    }
}
