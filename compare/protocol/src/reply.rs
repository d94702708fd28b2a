//! What an engine answers.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What an engine returns, or why it does not.
pub type Result<T> = std::result::Result<T, Failure>;

/// A line of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Done.
    Ok(Value),
    /// Its API cannot express it; why.
    Unsupported(String),
    /// It failed; why.
    Error(String),
}

/// Why an engine did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Its API cannot express it.
    Unsupported(String),
    /// It failed.
    Error(String),
}

impl Failure {
    /// Says that the engine's API cannot express it, and why.
    pub fn unsupported(why: impl Into<String>) -> Self {
        Self::Unsupported(why.into())
    }
}

impl<E: fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Error(error.to_string())
    }
}

/// Who an engine is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the protocol.
    pub protocol: u32,
    /// Its name.
    pub engine: String,
    /// The version of the database.
    pub version: String,
    /// What runs it.
    #[serde(default)]
    pub runtime: String,
    /// The language of its API.
    #[serde(default)]
    pub language: String,
    /// The first is what its documentation shows first.
    pub variants: Vec<String>,
    /// What it can be asked.
    pub workloads: Vec<String>,
    /// Processes that it started, whose memory counts.
    #[serde(default)]
    pub servers: Vec<u32>,
}

/// An open database.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// What a reader has to know to judge the comparison.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// What else is worth saying.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Indexes that were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Created {
    /// The time of their creation; none where they are declared with the documents and always kept.
    pub ns: Vec<u64>,
    /// How many there are.
    pub answer: u64,
}

/// An operation that was done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// A time for each repetition.
    #[serde(default)]
    pub ns: Vec<u64>,
    /// What the last one returned.
    pub answer: Value,
    /// The time of the processor, all threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Bytes that the file grew by, where they are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// TM: when the work began, by the wall clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_unix_ns: Option<u64>,
    /// TM: when it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_unix_ns: Option<u64>,
    /// Where the engine had to emulate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The engine's own text of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
}
