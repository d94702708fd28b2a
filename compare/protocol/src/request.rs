//! What the runner asks.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Failure, Result};

/// A line of the runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    /// Who are you?
    Hello,
    /// Open and fill a database.
    Open(Open),
    /// Make these the secondary indexes, and no others.
    Indexes {
        /// The fields of each.
        fields: Vec<Vec<String>>,
    },
    /// Do an operation.
    Run(Run),
    /// Read the whole collection in the order of ids.
    Digest,
    /// Close the database and open it again.
    Reopen,
    /// Close the database.
    Close,
}

/// A database to open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Open {
    /// `EV`, `TM`, ..
    pub workload: String,
    /// An empty folder.
    pub dir: PathBuf,
    /// `full` or `off`.
    pub durability: String,
    /// How many documents.
    #[serde(default)]
    pub count: usize,
    /// TM: which copy this is, from 0.
    #[serde(default)]
    pub process: usize,
    /// TM: how many copies there are.
    #[serde(default)]
    pub processes: usize,
    /// MX: the documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<Value>,
}

/// An operation to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// `EV4`, `TM-insert`, ..
    pub op: String,
    /// `ordinary` or `tuned`.
    pub variant: String,
    /// How often.
    #[serde(default = "once")]
    pub repeat: usize,
    /// What else the operation takes.
    #[serde(flatten)]
    pub parameters: Map<String, Value>,
}

impl Run {
    /// Returns the operation with its parameters as `T`, an enum tagged by `op`.
    pub fn operation<T: DeserializeOwned>(&self) -> Result<T> {
        let mut operation = self.parameters.clone();
        operation.insert("op".to_owned(), Value::from(self.op.as_str()));
        serde_json::from_value(Value::Object(operation))
            .map_err(|error| Failure::unsupported(format!("the engine does not know {}: {error}", self.op)))
    }

    /// Returns whether the first variant is asked for.
    pub fn is_ordinary(&self) -> bool {
        self.variant == "ordinary"
    }
}

fn once() -> usize {
    1
}
