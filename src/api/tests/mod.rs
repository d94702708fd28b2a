//! Tests of the pipeline from a statement to its rows.

mod differential;
