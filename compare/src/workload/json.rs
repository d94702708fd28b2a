//! Workload JS: ten documents from text to what an engine makes of them, and back.

use serde_json::Value;
use vellum_compare_protocol::js::{Operation, Size, documents};

use super::{Case, Round, Scene, Work};

/// Returns the workload.
pub(super) fn scene() -> Scene {
    let mut cases = Vec::new();
    for (size, name) in Size::ALL.into_iter().zip(["compact", "detailed"]) {
        let expected = right(&size.texts());
        let case = |id, title, operation| {
            let rounds = vec![Round::new(operation, expected.clone())];
            let work = Work::Run { indexes: Vec::new(), needs_indexes: false, rounds };
            Case::new(id, name, title, work).of_items(size.texts().len())
        };
        cases.push(case("JS1", "text to tree to text", Operation::JS1 { size }));
        cases.push(case("JS2", "text to typed object to stored bytes", Operation::JS2 { size }));
        cases.push(case("JS3", "stored bytes to typed object to text", Operation::JS3 { size }));
    }
    cases.sort_by_key(|case| case.id);
    let all: Vec<&str> = Size::ALL.into_iter().flat_map(Size::texts).collect();
    Scene { count: all.len(), filled: Some(right(&all)), cases }
}

/// The texts are the fixtures' own, so that there is always an answer; nothing equals what there would be without.
fn right(texts: &[&str]) -> Value {
    documents(texts).unwrap_or(Value::Null)
}
