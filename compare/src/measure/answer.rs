//! Holding answers against the oracle's.

use serde_json::Value;

/// Characters of an answer that a message shows.
const SHOWN: usize = 100;

/// Returns whether an engine's answer is the right one. Languages that know one kind of number write 5 as 5.0.
pub fn is_right(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Number(found), Value::Number(expected)) => {
            found == expected
                || found.as_f64().is_some_and(|found| Some(found) == expected.as_i64().map(exact))
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len()
                && found.iter().zip(expected).all(|(found, expected)| is_right(found, expected))
        }
        (Value::Object(found), Value::Object(expected)) => expected
            .iter()
            .all(|(key, expected)| found.get(key).is_some_and(|found| is_right(found, expected))),
        (found, expected) => found == expected,
    }
}

/// A whole number as a float, or what equals no float when it has none.
fn exact(number: i64) -> f64 {
    const LARGEST: u64 = 1 << 53;
    if number.unsigned_abs() <= LARGEST { number as f64 } else { f64::NAN }
}

/// Returns an answer as a message shows it.
pub fn shown(answer: &Value) -> String {
    let text = answer.to_string();
    if text.chars().count() <= SHOWN {
        return text;
    }
    let start: String = text.chars().take(SHOWN).collect();
    match answer.get("digest").and_then(Value::as_str) {
        Some(digest) => format!("{start}.. (digest {digest})"),
        None => format!("{start}.."),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_wrong_count_order_row_or_digest_is_wrong() {
        for (found, expected) in [
            (json!(7), json!(8)),
            (json!([1, 2]), json!([2, 1])),
            (json!([1]), json!([1, 2])),
            (json!({"ids": [1], "digest": "a"}), json!({"ids": [1], "digest": "b"})),
            (json!({"ids": [1]}), json!({"ids": [1], "digest": "b"})),
            (json!(null), json!(0)),
            (json!("7"), json!(7)),
            (json!(9007199254740992.0), json!(9007199254740993_i64)),
        ] {
            assert!(!is_right(&found, &expected), "{found} {expected}");
        }
    }

    #[test]
    fn a_whole_float_equals_its_integer() {
        assert!(is_right(&json!([5.0, {"count": 2.0}]), &json!([5, {"count": 2}])));
        assert!(is_right(&json!(i64::MAX), &json!(i64::MAX)));
    }

    #[test]
    fn a_long_answer_is_cut() {
        let ids: Vec<i64> = (0..500).collect();
        let shown = shown(&json!({"ids": ids, "digest": "abc"}));
        assert!(shown.len() < 150 && shown.ends_with(".. (digest abc)"), "{shown}");
    }
}
