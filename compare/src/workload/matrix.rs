//! The correctness matrix: twelve documents, and cases that databases answer differently.

use serde_json::{Map, Value, json};

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name in the protocol.
    pub case: &'static str,
    /// What is asked, in a few words.
    pub title: &'static str,
    /// What the request names.
    pub parameters: Map<String, Value>,
    /// The right answer.
    pub expected: Expected,
}

/// The right answer.
#[derive(Clone, Debug)]
pub enum Expected {
    /// In every language.
    Everywhere(Value),
    /// The length of a text in the unit of the engine's language: code points, or code units of UTF-16.
    Length {
        /// Where texts are code points.
        points: u64,
        /// Where they are UTF-16.
        units: u64,
    },
}

impl Expected {
    /// Returns the right answer of an engine whose API is in `language`.
    pub fn of(&self, language: &str) -> Value {
        match self {
            Self::Everywhere(value) => value.clone(),
            Self::Length { units, .. } if matches!(language, "C#" | "Java" | "JavaScript") => json!(units),
            Self::Length { points, .. } => json!(points),
        }
    }

    /// Returns it for the report.
    pub fn shown(&self) -> String {
        match self {
            Self::Everywhere(value) => value.to_string(),
            Self::Length { points, units } => format!("{points}, or {units} in UTF-16"),
        }
    }
}

/// Returns the twelve documents.
pub fn documents() -> Vec<Value> {
    let at = |hour: u32| format!("2024-01-01T{hour:02}:00:00Z");
    vec![
        json!({"id": 1, "name": "abc", "age": 5, "team": "red", "tags": ["x", "x", "y"], "score": 1.5,
            "price": "0.3", "at": at(12), "big": "9007199254740993"}),
        json!({"id": 2, "name": null, "age": 10, "team": "blue", "tags": ["y"], "score": -0.25,
            "price": "0.30000000000000001", "at": "2024-01-01T14:00:00+02:00", "big": "9007199254740992"}),
        // Its name and age are missing.
        json!({"id": 3, "team": null, "tags": [], "score": 1e300,
            "price": "12.50", "at": "2024-01-01T13:00:00+02:00", "big": "9223372036854775807"}),
        json!({"id": 4, "name": "a_c", "age": 0, "team": "red", "tags": ["z"], "score": 0.1,
            "price": "1", "at": at(15), "big": "-9223372036854775808"}),
        json!({"id": 5, "name": "axx", "age": 3, "team": "blue", "tags": [], "score": 3.0,
            "price": "2", "at": at(16), "big": "0"}),
        json!({"id": 6, "name": "50%", "age": 7, "team": null, "tags": ["xy"], "score": 4.0,
            "price": "3", "at": at(17), "big": "1"}),
        json!({"id": 7, "name": "500", "age": 8, "team": "green", "tags": ["a"], "score": 5.0,
            "price": "4", "at": at(18), "big": "2"}),
        json!({"id": 8, "name": "Z", "age": null, "team": "green", "tags": ["b"], "score": 6.0,
            "price": "5", "at": at(19), "big": "3"}),
        json!({"id": 9, "name": "\u{e9}", "age": 1, "team": "green", "tags": ["c"], "score": 7.0,
            "price": "6", "at": at(20), "big": "4"}),
        json!({"id": 10, "name": "\u{1f600}", "age": 2, "team": null, "tags": ["d"], "score": 8.0,
            "price": "7", "at": at(21), "big": "5"}),
        json!({"id": 11, "name": "z", "age": 12, "team": "blue", "tags": ["e"], "score": 9.0,
            "price": "8", "at": at(22), "big": "6"}),
        json!({"id": 12, "name": "", "age": 6, "team": "green", "tags": ["f"], "score": 10.0,
            "price": "9", "at": at(23), "big": "7"}),
    ]
}

/// Returns the cases.
pub fn cases() -> Vec<Case> {
    [conditions(), texts(), numbers(), instants(), lists(), sets(), writes(), files()].concat()
}

fn conditions() -> Vec<Case> {
    let but = |id: i64| -> Vec<i64> { (1..=12).filter(|&other| other != id).collect() };
    vec![
        case("null-equals", "name == x, where x is null", json!({"name": null}), json!([2, 3])),
        case(
            "null-in-list",
            "name in a list that holds a null",
            json!({"names": ["abc", null]}),
            json!([1, 2, 3]),
        ),
        case("not-equals", "!(name == x)", json!({"name": "abc"}), json!(but(1))),
        case("differs", "name != x", json!({"name": "abc"}), json!(but(1))),
        case("not-greater", "!(age > 5)", json!({"age": 5}), json!([1, 3, 4, 5, 8, 9, 10])),
        case("either-half", "age > 5 or !(age > 5)", json!({"age": 5}), json!(but(0))),
        case("range-over-null", "age < 5", json!({"age": 5}), json!([4, 5, 9, 10])),
    ]
}

fn texts() -> Vec<Case> {
    vec![
        case("prefix", "name starts with `a_`", json!({"prefix": "a_"}), json!([4])),
        case("prefix", "name starts with `50%`", json!({"prefix": "50%"}), json!([6])),
        case(
            "unicode-order",
            "ids by name, nulls first",
            json!({}),
            json!([2, 3, 12, 6, 7, 8, 4, 1, 5, 11, 9, 10]),
        ),
        case("text-order", "name > \"a\", ordinal", json!({"name": "a"}), json!([1, 4, 5, 9, 10, 11])),
        Case {
            case: "length",
            title: "length of an emoji",
            parameters: parameters(json!({"id": 10})),
            expected: Expected::Length { points: 1, units: 2 },
        },
        case("text-with-nul", "a NUL in a text", json!({}), json!("a\u{0}b")),
    ]
}

fn numbers() -> Vec<Case> {
    let bigs: Vec<Value> = documents().iter().filter_map(|document| document.get("big").cloned()).collect();
    let scores: Vec<Value> =
        documents().iter().filter_map(|document| document.get("score").cloned()).collect();
    vec![
        case("integer-equals", "2^53 + 1 is not 2^53", json!({"big": "9007199254740993"}), json!([1])),
        case("integer-read", "both ends of i64 as read back", json!({}), json!(bigs)),
        case("integer-division", "id / 2 == 1 on integers", json!({}), json!([2, 3])),
        case("integer-remainder", "age % 2 == 1", json!({}), json!([1, 5, 6, 9])),
        case("decimal-equals", "0.3 is not 0.30000000000000001", json!({"price": "0.3"}), json!([1])),
        case(
            "decimal-sum",
            "0.3 + 0.30000000000000001",
            json!({"ids": [1, 2]}),
            json!("0.60000000000000001"),
        ),
        case("double-read", "1e300 as read back", json!({}), json!(scores)),
    ]
}

fn instants() -> Vec<Case> {
    let noon = || json!({"at": "2024-01-01T12:00:00Z"});
    vec![
        case("instant-equals", "an instant in two offsets", noon(), json!([1, 2])),
        case("instant-before", "before an instant, offsets differ", noon(), json!([3])),
    ]
}

fn lists() -> Vec<Case> {
    vec![
        case("any-of-list", "any of tags equals x", json!({"tag": "x"}), json!([1])),
        case("duplicates-in-list", "duplicates as read back", json!({"id": 1}), json!(["x", "x", "y"])),
        case("long-list", "100,000 values in a list", json!({"count": 100_000}), json!(100_000)),
    ]
}

fn sets() -> Vec<Case> {
    let groups = json!([[null, 3], ["blue", 3], ["green", 4], ["red", 2]]);
    vec![
        case("group-by-nullable", "groups of a key that may be null", json!({}), groups),
        case(
            "union",
            "teams of ids to 6, union those over 4",
            json!({}),
            json!([null, "blue", "green", "red"]),
        ),
        case("intersect", "the same, intersect", json!({}), json!([null, "blue"])),
        case("except", "the same, except", json!({}), json!(["red"])),
        case("keyset-ties", "pages by team and id, many ties", json!({"len": 2}), {
            json!([3, 6, 10, 2, 5, 11, 7, 8, 9, 12, 1, 4])
        }),
    ]
}

fn writes() -> Vec<Case> {
    vec![
        case("id-after-delete", "a key is not given twice", json!({}), json!(true)),
        case("write-in-open-read", "update while iterating", json!({}), json!([12, 12])),
        case("batch-with-duplicate", "a batch that fails leaves nothing", json!({}), json!(12)),
    ]
}

fn files() -> Vec<Case> {
    vec![
        case("file-replace-fails", "a failed upload keeps the old file", json!({}), json!("old")),
        case("file-shrink-and-gap", "a gap after a shrink reads as zeros", json!({}), json!([0, 0, 0, 0, 0])),
        case("move-folder", "move /a to /z with /a/apple inside", json!({}), json!(["/z/apple"])),
    ]
}

fn case(case: &'static str, title: &'static str, names: Value, expected: Value) -> Case {
    Case { case, title, parameters: parameters(names), expected: Expected::Everywhere(expected) }
}

fn parameters(names: Value) -> Map<String, Value> {
    names.as_object().cloned().unwrap_or_default()
}
