//! What can go wrong between a Rust value and its bytes.

use std::error::Error;
use std::fmt::{self, Display};

use serde::de::{Expected, Unexpected};
use serde::{de, ser};

use crate::ir::path::{FieldPath, Segment};
use crate::ir::value::Cell;

use super::MAX_LEN;

/// Why a value could not be stored or loaded. Every variant names the path of the value inside its document.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// A number does not fit where it should go: stored integers are `i64`, and a field holds what its type holds.
    /// Choose a wider field, or store the number as text.
    #[error(
        "{}: {value} does not fit {target}; choose a type that holds it, or store it as text",
        Place(path)
    )]
    OutOfRange {
        /// Where the number is.
        path: Box<FieldPath>,
        /// The number.
        value: Box<str>,
        /// What it should have fitted.
        target: Box<str>,
    },
    /// A float is NaN or infinite, which JSON cannot say. Use an `Option`, or store it as text.
    #[error("{}: NaN and the infinities cannot be stored; use `None` or a text instead", Place(path))]
    NotFinite {
        /// Where the float is.
        path: Box<FieldPath>,
    },
    /// Arrays and objects are nested deeper than SQLite reads. Flatten the document, or split it.
    #[error("{}: nested deeper than {limit} levels; flatten the document or split it", Place(path))]
    TooDeep {
        /// The value at which the limit was passed.
        path: Box<FieldPath>,
        /// The levels that are allowed.
        limit: usize,
    },
    /// A document is too large. Split it, or keep its large parts as files.
    #[error(
        "{}: {len_bytes} bytes where a document may have {limit_bytes}; split it or store files",
        Place(path)
    )]
    TooLarge {
        /// The value at which the limit was passed.
        path: Box<FieldPath>,
        /// The bytes needed, or those written until the limit was passed.
        len_bytes: usize,
        /// The bytes that are allowed.
        limit_bytes: usize,
    },
    /// The bytes are not JSONB: another program wrote them, or the file is damaged. Write the document again.
    #[error("{}: malformed JSONB at byte {offset}, {detail}; write the document again", Place(path))]
    Malformed {
        /// The value whose bytes are malformed.
        path: Box<FieldPath>,
        /// The offset in the document's bytes.
        offset: usize,
        /// What is wrong there.
        detail: &'static str,
    },
    /// A value is of another kind than its type takes. Change the type, or repair the document.
    #[error("{}: found {found}, expected {expected}; change the type or repair the document", Place(path))]
    TypeMismatch {
        /// Where the value is.
        path: Box<FieldPath>,
        /// What the type takes.
        expected: Box<str>,
        /// What was there.
        found: Box<str>,
    },
    /// The type's own serde code refused the value: a missing field, an unknown variant, a failed parse.
    /// The message says which; `#[serde(default)]` is the usual way out for a missing field.
    #[error("{}: {message}", Place(path))]
    Custom {
        /// Where the value is.
        path: Box<FieldPath>,
        /// What the type said.
        message: Box<str>,
    },
}

impl CodecError {
    /// Returns the path of the value at fault, or `None` when it is the document itself.
    pub fn path(&self) -> Option<&FieldPath> {
        let (Self::OutOfRange { path, .. }
        | Self::NotFinite { path }
        | Self::TooDeep { path, .. }
        | Self::TooLarge { path, .. }
        | Self::Malformed { path, .. }
        | Self::TypeMismatch { path, .. }
        | Self::Custom { path, .. }) = self;
        (!path.is_root()).then_some(path)
    }

    /// Returns the error of a value that is itself found under `prefix`.
    #[must_use]
    pub(crate) fn under(mut self, prefix: FieldPath) -> Self {
        let path = self.path_mut();
        *path = prefix.segments().iter().chain(path.segments()).cloned().collect();
        self
    }

    /// Returns the error of a cell that should hold a document's bytes and does not.
    pub(crate) fn not_a_document(found: Cell<'_>) -> Self {
        let found = match found {
            Cell::Null => "null",
            Cell::Int(_) => "an integer",
            Cell::Real(_) => "a float",
            Cell::Text(_) => "text",
            Cell::Blob(_) => "bytes",
        };
        Self::TypeMismatch {
            path: Box::default(),
            expected: "the JSONB of a document".into(),
            found: found.into(),
        }
    }

    fn path_mut(&mut self) -> &mut FieldPath {
        let (Self::OutOfRange { path, .. }
        | Self::NotFinite { path }
        | Self::TooDeep { path, .. }
        | Self::TooLarge { path, .. }
        | Self::Malformed { path, .. }
        | Self::TypeMismatch { path, .. }
        | Self::Custom { path, .. }) = self;
        path
    }
}

impl ser::Error for CodecError {
    fn custom<T: Display>(message: T) -> Self {
        Self::Custom { path: Box::default(), message: message.to_string().into() }
    }
}

impl de::Error for CodecError {
    fn custom<T: Display>(message: T) -> Self {
        ser::Error::custom(message)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Unit => "null".to_owned(),
            found => found.to_string(),
        };
        Self::TypeMismatch {
            path: Box::default(),
            expected: expected.to_string().into(),
            found: found.into(),
        }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let value = match found {
            Unexpected::Unsigned(value) => value.to_string(),
            Unexpected::Signed(value) => value.to_string(),
            // serde has no word for the two widest integers, and says it like this.
            Unexpected::Other(word) if word.starts_with("integer ") => word.replace("integer ", ""),
            _ => return Self::invalid_type(found, expected),
        };
        Self::OutOfRange { path: Box::default(), value: value.into(), target: expected.to_string().into() }
    }
}

/// An error on its way outward. One word wide, so that the way on which nothing fails pays nothing for it; each
/// container that it leaves adds a step to its path.
pub(super) struct Fault(Box<Raised>);

struct Raised {
    error: CodecError,
    /// The innermost step first.
    steps: Vec<Segment>,
}

impl Fault {
    #[cold]
    pub(super) fn malformed(offset: usize, detail: &'static str) -> Self {
        CodecError::Malformed { path: Box::default(), offset, detail }.into()
    }

    #[cold]
    pub(super) fn not_finite() -> Self {
        CodecError::NotFinite { path: Box::default() }.into()
    }

    #[cold]
    pub(super) fn too_deep(limit: u16) -> Self {
        CodecError::TooDeep { path: Box::default(), limit: limit.into() }.into()
    }

    #[cold]
    pub(super) fn too_large(len_bytes: usize) -> Self {
        CodecError::TooLarge { path: Box::default(), len_bytes, limit_bytes: MAX_LEN }.into()
    }

    #[cold]
    pub(super) fn out_of_range(value: impl Display, target: impl Display) -> Self {
        let (value, target) = (value.to_string().into(), target.to_string().into());
        CodecError::OutOfRange { path: Box::default(), value, target }.into()
    }

    #[cold]
    pub(super) fn mismatch(expected: &str, found: &str) -> Self {
        CodecError::TypeMismatch { path: Box::default(), expected: expected.into(), found: found.into() }
            .into()
    }

    /// Returns the words for the value that was refused, where nothing of its path is known yet.
    pub(super) fn found_here(&self) -> Option<String> {
        match &self.0.error {
            _ if !self.0.steps.is_empty() => None,
            CodecError::TypeMismatch { found, .. } => Some(found.to_string()),
            CodecError::OutOfRange { value, .. } => Some(format!("integer `{value}`")),
            _ => None,
        }
    }

    /// Adds the steps to the failed value, the outermost first.
    pub(super) fn at(mut self, steps: Vec<Segment>) -> Self {
        self.0.steps.extend(steps.into_iter().rev());
        self
    }

    /// Adds the key under which the failed value is found.
    #[cold]
    pub(super) fn at_key(mut self, key: &str) -> Self {
        self.0.steps.push(Segment::Key(key.to_owned().into()));
        self
    }

    /// Adds the position at which the failed value is found.
    #[cold]
    pub(super) fn at_index(mut self, index: u64) -> Self {
        self.0.steps.push(Segment::Index(index));
        self
    }

    /// Returns the error with its whole path.
    #[cold]
    pub(super) fn into_error(self) -> CodecError {
        let Raised { mut error, steps } = *self.0;
        if !steps.is_empty() {
            *error.path_mut() = steps.into_iter().rev().collect();
        }
        error
    }
}

impl From<CodecError> for Fault {
    #[cold]
    fn from(error: CodecError) -> Self {
        Self(Box::new(Raised { error, steps: Vec::new() }))
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0.error, f)
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0.error, f)
    }
}

impl Error for Fault {}

impl ser::Error for Fault {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        <CodecError as ser::Error>::custom(message).into()
    }
}

impl de::Error for Fault {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        <CodecError as de::Error>::custom(message).into()
    }

    #[cold]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        CodecError::invalid_type(found, expected).into()
    }

    #[cold]
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        CodecError::invalid_value(found, expected).into()
    }
}

/// A path at the start of a message.
struct Place<'a>(&'a FieldPath);

impl Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_root() { f.write_str("the document itself") } else { write!(f, "`{}`", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_stays_small() {
        assert!(size_of::<Result<(), CodecError>>() <= 64);
        assert_eq!(size_of::<Result<(), Fault>>(), size_of::<usize>());
    }

    #[test]
    fn an_error_can_be_put_under_a_prefix() {
        let error =
            Fault::not_finite().at_key("x").at_index(2).into_error().under(FieldPath::root().key("list"));
        assert_eq!(error.path(), Some(&FieldPath::root().key("list").index(2).key("x")));
        assert_eq!(
            error.to_string(),
            "`list[2].x`: NaN and the infinities cannot be stored; use `None` or a text instead"
        );
    }
}
