//! What the properties are tried on.

use std::iter::repeat_n;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;

use crate::decode::{Everything, Shape};

/// A change of bytes, as a fuzzer makes it.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Set(Index, u8),
    Insert(Index, u8),
    Remove(Index),
    Repeat(Index, Index),
}

impl Edit {
    pub(crate) fn apply(&self, bytes: &mut Vec<u8>) {
        let at = |index: &Index, bytes: &[u8]| index.index(bytes.len().max(1));
        match self {
            Edit::Insert(index, byte) => bytes.insert(at(index, bytes), *byte),
            _ if bytes.is_empty() => {}
            Edit::Set(index, byte) => {
                let at = at(index, bytes);
                bytes.splice(at..=at, [*byte]);
            }
            Edit::Remove(index) => {
                bytes.remove(at(index, bytes));
            }
            Edit::Repeat(start, end) => {
                let (start, end) = (at(start, bytes), at(end, bytes));
                bytes.extend_from_within(start.min(end)..start.max(end));
            }
        }
    }
}

pub(crate) fn edit() -> impl Strategy<Value = Edit> {
    let (at, byte) = (any::<Index>, any::<u8>);
    prop_oneof![
        (at(), byte()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        (at(), byte()).prop_map(|(at, byte)| Edit::Insert(at, byte)),
        at().prop_map(Edit::Remove),
        (at(), at()).prop_map(|(start, end)| Edit::Repeat(start, end)),
    ]
}

/// Enums.
pub(crate) fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Point),
        (-1e9..1e9).prop_map(Shape::Circle),
        any::<(i32, i32)>().prop_map(|(a, b)| Shape::Line(a, b)),
        Just(Shape::Named { name: "end".to_owned(), next: None }),
    ];
    leaf.prop_recursive(4, 8, 1, |inner| {
        (".{0,9}", inner).prop_map(|(name, next)| Shape::Named { name, next: Some(Box::new(next)) })
    })
}

/// Documents.
pub(crate) fn everything() -> impl Strategy<Value = Everything> {
    let leaf = (
        (any::<i64>(), ".{0,20}", any::<Option<char>>(), any::<i8>(), any::<Option<u32>>()),
        (-1e9..1e9, -1e9_f32..1e9, any::<bool>(), vec(option::of(shape()), 0..4)),
        btree_map(".{0,9}", any::<i64>(), 0..4),
        btree_map(any::<u8>(), ".{0,9}", 0..4),
    );
    let leaf = leaf.prop_map(|(scalars, more, by_text, by_number)| {
        let (id, text, letter, small, large) = scalars;
        let (float, single, on, list) = more;
        let any = json!({"any": [null, on, id, float, &text]});
        let large = large.map(u64::from);
        Everything {
            id,
            text,
            letter,
            small,
            large,
            float,
            single,
            on,
            list,
            by_text,
            by_number,
            any,
            inner: None,
        }
    });
    leaf.prop_recursive(3, 6, 1, |inner| {
        inner.prop_map(|inner| Everything { inner: Some(Box::new(inner)), ..Everything::default() })
    })
}

/// Arrays and objects inside one another, some deeper than a document may be.
pub(crate) fn deep() -> impl Strategy<Value = Vec<u8>> {
    (vec(any::<bool>(), 0..40), 0..60_usize, select(vec![0x00, 0x13, 0x0b])).prop_map(
        |(kinds, times, leaf)| {
            let mut out = vec![leaf];
            for is_object in kinds.repeat(times).into_iter().take(1_500) {
                let (kind, key): (u8, &[u8]) =
                    if is_object { (0xe0 | 12, b"\x17k") } else { (0xe0 | 11, b"") };
                let len = u32::try_from(key.len() + out.len()).unwrap_or(u32::MAX);
                out = [&[kind], &len.to_be_bytes()[..], key, &out].concat();
            }
            out
        },
    )
}

/// Signs that mean something to a path, to SQL, to a file or to a comparison without case.
const SIGNS: &str = "aAb01-.,/*$#[]\"'\\;%_ \n\0\u{7f}\u{e9}\u{c9}\u{d7ff}\u{10ffff}";

/// Names of SQLite's tables, modules and words, and of ours.
const TAKEN: &str = "sqlite_schema sqlite_sequence sqlite_autoindex_a_1 json_each jsonb pragma_x dbstat fts5 rtree \
    vellum_meta vellum_c1 vellum_c2 select main temp rowid";

/// Keys, short ones and long ones.
pub(crate) fn key() -> impl Strategy<Value = String> {
    let sign = || select(SIGNS.chars().collect::<Vec<_>>());
    prop_oneof![
        vec(sign(), 0..5).prop_map(String::from_iter),
        ".{0,12}",
        (sign(), 200..300_usize).prop_map(|(sign, times)| String::from_iter(repeat_n(sign, times))),
    ]
}

/// Names of collections, of which some must be refused.
pub(crate) fn collection_name() -> impl Strategy<Value = String> {
    let taken: Vec<&str> = TAKEN.split_whitespace().collect();
    let len = (250..260_usize).prop_map(|len| "n".repeat(len));
    prop_oneof![key(), "[a-c]{1,2}", select(taken).prop_map(str::to_owned), len]
}

/// Paths of files, of which some must be refused: short names that meet, odd ones, long ones, deep ones.
pub(crate) fn file_path() -> impl Strategy<Value = String> {
    let name = || {
        prop_oneof![
            4 => "[ab.]{1,2}",
            1 => key(),
            1 => select(vec!["\u{e9}", "e\u{301}", "\u{1f980}", "'\";--", "*", "a\nb"]).prop_map(str::to_owned),
            1 => (253..258_usize).prop_map(|len| "n".repeat(len)),
        ]
    };
    let joined = (any::<bool>(), vec(name(), 0..5))
        .prop_map(|(is_rooted, names)| format!("{}{}", if is_rooted { "/" } else { "" }, names.join("/")));
    let deep = (2_040..2_050_usize).prop_map(|depth| "/d".repeat(depth));
    let long = (4_094..4_098_usize).prop_map(|len| {
        let mut path = format!("/{}", "n".repeat(255)).repeat(16);
        path.extend(repeat_n('m', len - path.len().min(len)));
        path.truncate(len);
        path
    });
    prop_oneof![20 => joined, 5 => ".{0,20}", 1 => deep, 1 => long]
}
