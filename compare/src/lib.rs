//! The comparison runner: the same work on Vellum and on other databases, every answer held against an oracle.
//!
//! `compare run` starts [engines](engine), which are programs of their own, asks each for the operations of the
//! [workloads](workload) in turn, [measures](measure) them and writes [reports](report).

pub mod args;
pub mod cmd;
pub mod engine;
pub mod error;
pub mod interrupt;
pub mod machine;
pub mod measure;
pub mod place;
pub mod progress;
pub mod report;
pub mod workload;
