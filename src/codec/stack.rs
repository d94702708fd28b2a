//! Room on the stack for deep documents.
//!
//! A level of nesting passes through code that serde's derive wrote for the caller's type, and in a debug build
//! that alone can take more than the two thousandth part of a thread's two MiB that a thousand levels leave it.

/// Levels between two looks at the stack.
const STRIDE: u16 = 16;

/// What must be left for `STRIDE` levels, in bytes.
const RED_ZONE: usize = 256 << 10;

/// What is added when less is left, in bytes.
const SEGMENT: usize = 2 << 20;

/// Runs what reads or writes the inside of a value that is in `depth` arrays and objects.
#[inline]
pub(super) fn descend<R>(depth: u16, inside: impl FnOnce() -> R) -> R {
    if depth % STRIDE == STRIDE - 1 { stacker::maybe_grow(RED_ZONE, SEGMENT, inside) } else { inside() }
}
