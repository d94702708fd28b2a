//! Workload TM: several processes on one file.

use serde_json::{Value, json};
use vellum_compare_protocol::tm::{Operation, Record, collection};

/// How many documents there are.
pub const COUNT: usize = 1_000;
/// How many processes work at once.
pub const PROCESSES: [usize; 2] = [1, 4];

/// A phase: all processes do it at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// What they do.
    pub operation: Operation,
    /// Its name in the protocol.
    pub op: &'static str,
    /// A few words.
    pub title: &'static str,
}

/// The phases, in this order.
pub const PHASES: [Phase; 5] = [
    Phase { operation: Operation::Insert, op: "TM-insert", title: "insert 1,000 documents" },
    Phase { operation: Operation::Read, op: "TM-read", title: "every process reads all" },
    Phase { operation: Operation::Point, op: "TM-point", title: "200 look-ups by key" },
    Phase { operation: Operation::Update, op: "TM-update", title: "100 updates, each a transaction" },
    Phase { operation: Operation::Delete, op: "TM-delete", title: "100 deletes, each a transaction" },
];

impl Phase {
    /// Returns how many documents `processes` processes work on.
    pub fn items(self, processes: usize) -> usize {
        let readers = if self.operation == Operation::Read { processes } else { 1 };
        self.operation.positions(COUNT).len() * readers
    }

    /// Returns the sum of the right answers of all processes.
    pub fn expected(self, processes: usize) -> i64 {
        match self.operation {
            Operation::Point => self.operation.positions(COUNT).into_iter().map(|i| i as i64).sum(),
            _ => self.items(processes) as i64,
        }
    }
}

/// Returns the digest of the collection at the end.
pub fn left() -> Value {
    let (updated, deleted) = (Operation::Update.positions(COUNT), Operation::Delete.positions(COUNT));
    let is_left = |i: &usize| !deleted.contains(i);
    let record = |i: usize| {
        let record = Record::new(i);
        Record { i: record.i + i64::from(updated.contains(&i)), ..record }
    };
    collection((0..COUNT).filter(is_left).map(record).collect())
}

/// Returns the parameters of a phase that begins at a moment.
pub fn parameters(start_unix_ns: u64) -> serde_json::Map<String, Value> {
    serde_json::Map::from_iter([("start_unix_ns".to_owned(), json!(start_unix_ns))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_hundred_documents_are_left() {
        assert_eq!(left().get("count"), Some(&json!(900)));
    }

    #[test]
    fn phases_have_the_published_sizes() {
        assert_eq!(PHASES.map(|phase| phase.items(1)), [1_000, 1_000, 200, 100, 100]);
        assert_eq!(PHASES.map(|phase| phase.items(4)), [1_000, 4_000, 200, 100, 100]);
    }
}
