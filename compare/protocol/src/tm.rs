//! Workload TM: its documents, the share of each copy, and its moments.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Digest, Failure, Ran, Result, Run, unix_now, wait_until};

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op")]
pub enum Operation {
    /// Inserts the share.
    #[serde(rename = "TM-insert")]
    Insert,
    /// Reads all.
    #[serde(rename = "TM-read")]
    Read,
    /// Finds each of the share by its key.
    #[serde(rename = "TM-point")]
    Point,
    /// Adds one to `i` of each of the share.
    #[serde(rename = "TM-update")]
    Update,
    /// Deletes each of the share.
    #[serde(rename = "TM-delete")]
    Delete,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// `doc-7`.
    #[serde(rename = "_id")]
    pub id: String,
    /// 7.
    pub i: i64,
    /// `g7`.
    pub group: String,
    /// `value-7`.
    pub payload: String,
}

impl Record {
    /// Makes the document at position `i`.
    pub fn new(i: usize) -> Self {
        Self { id: key(i), i: i as i64, group: format!("g{}", i % 10), payload: format!("value-{i}") }
    }
}

/// Returns the key of the document at position `i`.
pub fn key(i: usize) -> String {
    format!("doc-{i}")
}

impl Operation {
    /// Returns the positions that the operation is about, of `count` documents.
    pub fn positions(self, count: usize) -> Vec<usize> {
        let (first, step) = match self {
            Self::Insert | Self::Read => (0, 1),
            Self::Point => (0, 5),
            Self::Update => (0, 10),
            Self::Delete => (1, 10),
        };
        (first..count).step_by(step).collect()
    }

    /// Returns the positions that are the share of the copy `process` of `processes`.
    pub fn share(self, count: usize, process: usize, processes: usize) -> Vec<usize> {
        let positions = self.positions(count).into_iter().enumerate();
        positions.filter(|(at, _)| at % processes.max(1) == process).map(|(_, position)| position).collect()
    }
}

/// Waits for the moment that `run` names, does `work` and returns the reply with its answer.
pub fn timed(run: &Run, work: impl FnOnce() -> Result<i64>) -> Result<Ran> {
    let moment = run.parameters.get("start_unix_ns").and_then(Value::as_u64);
    let moment = moment.ok_or_else(|| Failure::Error("there is no moment to start at".to_owned()))?;
    let start_unix_ns = Some(wait_until(moment));
    let answer = json!(work()?);
    Ok(Ran { start_unix_ns, end_unix_ns: Some(unix_now()), answer, ..Ran::default() })
}

/// Returns the digest of a whole collection, in any order.
pub fn collection(mut records: Vec<Record>) -> Value {
    records.sort_unstable_by(|a, b| (a.i, &a.id).cmp(&(b.i, &b.id)));
    let mut digest = Digest::new();
    for record in &records {
        digest.text(&record.id);
        digest.text(&record.i.to_string());
        digest.text(&record.group);
        digest.text(&record.payload);
    }
    json!({ "count": records.len(), "digest": digest.hex() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_disjoint_and_make_up_the_whole() {
        for operation in [Operation::Insert, Operation::Point, Operation::Update, Operation::Delete] {
            let mut shares: Vec<usize> =
                (0..4).flat_map(|process| operation.share(1_000, process, 4)).collect();
            shares.sort_unstable();
            assert_eq!(shares, operation.positions(1_000));
        }
        assert_eq!(Operation::Delete.share(1_000, 3, 4).first(), Some(&31));
    }
}
