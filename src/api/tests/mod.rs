//! Tests of the pipeline from a statement to its rows, and of what faults of the disk leave.

mod differential;
mod faults;
