//! Sets of row ids: the rows of several indexes, combined without touching a document.
//!
//! `vellum_ids(id)` gathers the ids of a query into one value, a blob; `vellum_has(set, id)` asks it,
//! `vellum_both(a, b)` and `vellum_either(a, b)` combine two, `vellum_count(set)` counts. A set is cut into blocks of
//! 65,536 ids as Roaring bitmaps are (Lemire et al., "Roaring Bitmaps: Implementation of an Optimized Software
//! Library", 2018), but laid out flat, so that it is asked in place for every row without being unpacked:
//!
//! ```text
//! set   = count of blocks (u32) | directory, a block an entry, by key | contents
//! entry = key: i64, the id without its low 16 bits | count of ids - 1: u32 | offset of the content: u32
//! content = the low 16 bits of the ids as u16, ascending, up to 4,096 of them; else 65,536 bits
//! ```
//! All numbers are little-endian. A step of `vellum_ids` and `vellum_has` are called once for each row, so they go to
//! SQLite's interface directly.
#![expect(unsafe_code, reason = "a call in C is three times as fast as through a trait object")]

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::slice;

use rusqlite::functions::Context;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Result, ffi};

use super::{NULL, Output, Scalar, int, raw};

pub(super) const FUNCTIONS: &[Scalar] = &[
    ("vellum_both", 2, |context| combine(context, Combination::Both)),
    ("vellum_either", 2, |context| combine(context, Combination::Either)),
    ("vellum_count", 1, count),
];

/// Ids up to which a block lists them.
const SPARSE_LIMIT: usize = 4_096;

const BLOCK_BITS: u32 = 16;
const DENSE_WORDS: usize = 1 << (BLOCK_BITS - 6);
const COUNT_LEN: usize = 4;
const ENTRY_LEN: usize = 16;

/// A set while it is gathered.
#[derive(Default)]
struct Builder {
    blocks: BTreeMap<i64, Block>,
    /// The block that took the last id: ids mostly come in runs.
    last: i64,
    open: Block,
}

#[derive(Clone, Debug, PartialEq)]
enum Block {
    Sparse(Vec<u16>),
    Dense(Box<[u64; DENSE_WORDS]>),
}

impl Default for Block {
    fn default() -> Self {
        Block::Sparse(Vec::new())
    }
}

impl Block {
    fn insert(&mut self, low: u16) {
        match self {
            Block::Sparse(lows) if lows.len() < SPARSE_LIMIT => lows.push(low),
            Block::Sparse(lows) => {
                let mut words = Box::new([0; DENSE_WORDS]);
                lows.iter().chain([&low]).for_each(|low| set(&mut words, *low));
                *self = Block::Dense(words);
            }
            Block::Dense(words) => set(words, low),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Block::Sparse(lows) if lows.is_empty())
    }

    fn for_each(&self, mut f: impl FnMut(u16)) {
        match self {
            Block::Sparse(lows) => lows.iter().for_each(|low| f(*low)),
            Block::Dense(words) => {
                for (place, word) in (0u16..).zip(words.iter()) {
                    let mut rest = *word;
                    while rest != 0 {
                        f(place << 6 | rest.trailing_zeros() as u16);
                        rest &= rest - 1;
                    }
                }
            }
        }
    }
}

fn set(words: &mut [u64; DENSE_WORDS], low: u16) {
    if let Some(word) = words.get_mut(usize::from(low >> 6)) {
        *word |= 1 << (low & 63);
    }
}

fn split(id: i64) -> (i64, u16) {
    (id >> BLOCK_BITS, id as u16)
}

impl Builder {
    fn insert(&mut self, id: i64) {
        let (key, low) = split(id);
        if key != self.last {
            self.turn_to(key);
        }
        self.open.insert(low);
    }

    fn turn_to(&mut self, key: i64) {
        let next = self.blocks.remove(&key).unwrap_or_default();
        let last = std::mem::replace(&mut self.open, next);
        if !last.is_empty() {
            self.blocks.insert(self.last, last);
        }
        self.last = key;
    }

    /// Returns the set's bytes.
    fn finish(mut self) -> Vec<u8> {
        self.turn_to(i64::MAX);
        let blocks: Vec<(i64, Block, u32)> =
            self.blocks.into_iter().map(|(key, block)| settled(key, block)).collect();
        let directory = COUNT_LEN + blocks.len() * ENTRY_LEN;
        let mut contents = Vec::new();
        let mut bytes = Vec::with_capacity(directory);
        bytes.extend((blocks.len() as u32).to_le_bytes());
        for (key, block, count) in &blocks {
            let offset = (directory + contents.len()) as u32;
            bytes.extend(key.to_le_bytes());
            bytes.extend((count - 1).to_le_bytes());
            bytes.extend(offset.to_le_bytes());
            match block {
                Block::Sparse(lows) => lows.iter().for_each(|low| contents.extend(low.to_le_bytes())),
                Block::Dense(words) => words.iter().for_each(|word| contents.extend(word.to_le_bytes())),
            }
        }
        bytes.append(&mut contents);
        bytes
    }
}

/// Returns a block in the form that its count asks for, with the count, which is at least 1.
fn settled(key: i64, block: Block) -> (i64, Block, u32) {
    let mut lows = match block {
        Block::Sparse(lows) => lows,
        Block::Dense(words) => {
            let count = words.iter().map(|word| word.count_ones()).sum::<u32>();
            if count as usize > SPARSE_LIMIT {
                return (key, Block::Dense(words), count);
            }
            let mut lows = Vec::with_capacity(count as usize);
            Block::Dense(words).for_each(|low| lows.push(low));
            lows
        }
    };
    lows.sort_unstable();
    lows.dedup();
    let count = lows.len() as u32;
    (key, Block::Sparse(lows), count)
}

/// A set in its bytes. Bytes that are no set read as one that holds less.
#[derive(Clone, Copy)]
struct Set<'a>(&'a [u8]);

#[derive(Clone, Copy)]
struct Entry<'a> {
    key: i64,
    count: usize,
    content: &'a [u8],
}

impl<'a> Set<'a> {
    fn len(self) -> usize {
        self.0.first_chunk().map_or(0, |count| u32::from_le_bytes(*count) as usize)
    }

    fn key(self, place: usize) -> Option<i64> {
        let at = COUNT_LEN + place * ENTRY_LEN;
        self.0.get(at..)?.first_chunk().map(|key| i64::from_le_bytes(*key))
    }

    fn entry(self, place: usize) -> Option<Entry<'a>> {
        let at = COUNT_LEN + place * ENTRY_LEN;
        let entry: &[u8; ENTRY_LEN] = self.0.get(at..)?.first_chunk()?;
        let (key, rest) = entry.split_first_chunk()?;
        let (count, offset) = rest.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize + 1;
        let offset = u32::from_le_bytes(*offset.first_chunk()?) as usize;
        let len = if count > SPARSE_LIMIT { DENSE_WORDS * 8 } else { count * 2 };
        Some(Entry {
            key: i64::from_le_bytes(*key),
            count,
            content: self.0.get(offset..offset.checked_add(len)?)?,
        })
    }

    fn entries(self) -> impl Iterator<Item = Entry<'a>> {
        (0..self.len()).map_while(move |place| self.entry(place))
    }

    fn find(self, key: i64) -> Option<Entry<'a>> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.key(middle)?.cmp(&key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return self.entry(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn has(self, id: i64) -> bool {
        let (key, low) = split(id);
        self.find(key).is_some_and(|entry| entry.has(low))
    }

    fn count(self) -> usize {
        self.entries().map(|entry| entry.count).sum()
    }
}

impl Entry<'_> {
    fn has(self, low: u16) -> bool {
        if self.count > SPARSE_LIMIT {
            let byte = self.content.get(usize::from(low >> 3)).copied().unwrap_or(0);
            return byte & 1 << (low & 7) != 0;
        }
        let (lows, _) = self.content.as_chunks::<2>();
        lows.binary_search_by(|probe| u16::from_le_bytes(*probe).cmp(&low)).is_ok()
    }

    fn block(self) -> Block {
        if self.count <= SPARSE_LIMIT {
            let (lows, _) = self.content.as_chunks::<2>();
            return Block::Sparse(lows.iter().map(|low| u16::from_le_bytes(*low)).collect());
        }
        let mut words = Box::new([0; DENSE_WORDS]);
        let (chunks, _) = self.content.as_chunks::<8>();
        words.iter_mut().zip(chunks).for_each(|(word, chunk)| *word = u64::from_le_bytes(*chunk));
        Block::Dense(words)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Combination {
    Both,
    Either,
}

fn both(a: Set<'_>, b: Set<'_>) -> Builder {
    let mut builder = Builder::default();
    for entry in a.entries() {
        let Some(other) = b.find(entry.key) else { continue };
        let block = match (entry.block(), other.block()) {
            (Block::Dense(mut left), Block::Dense(right)) => {
                left.iter_mut().zip(right.iter()).for_each(|(word, other)| *word &= other);
                Block::Dense(left)
            }
            (Block::Sparse(lows), _) => {
                Block::Sparse(lows.into_iter().filter(|low| other.has(*low)).collect())
            }
            (_, Block::Sparse(lows)) => {
                Block::Sparse(lows.into_iter().filter(|low| entry.has(*low)).collect())
            }
        };
        let empty = match &block {
            Block::Sparse(lows) => lows.is_empty(),
            Block::Dense(words) => words.iter().all(|word| *word == 0),
        };
        if !empty {
            builder.blocks.insert(entry.key, block);
        }
    }
    builder
}

fn either(a: Set<'_>, b: Set<'_>) -> Builder {
    let mut builder = Builder::default();
    for entry in a.entries() {
        builder.blocks.insert(entry.key, entry.block());
    }
    for entry in b.entries() {
        let block = builder.blocks.entry(entry.key).or_default();
        match (block, entry.block()) {
            (Block::Dense(left), Block::Dense(right)) => {
                left.iter_mut().zip(right.iter()).for_each(|(word, other)| *word |= other);
            }
            (block, other) => other.for_each(|low| block.insert(low)),
        }
    }
    builder
}

fn set_arg<'a>(context: &'a Context<'_>, i: usize) -> Option<Set<'a>> {
    match context.get_raw(i) {
        ValueRef::Blob(bytes) => Some(Set(bytes)),
        _ => None,
    }
}

fn count(context: &Context<'_>) -> Output {
    Ok(set_arg(context, 0).map_or(NULL, |set| int(set.count() as i64)))
}

fn combine(context: &Context<'_>, combination: Combination) -> Output {
    let (Some(a), Some(b)) = (set_arg(context, 0), set_arg(context, 1)) else { return Ok(NULL) };
    let combined = if combination == Combination::Both { both(a, b) } else { either(a, b) };
    Ok(ToSqlOutput::Owned(Value::Blob(combined.finish())))
}

/// Puts the functions that are called for each row on a connection.
pub(super) fn register(db: &Connection) -> Result<()> {
    raw::register(db, c"vellum_ids", 1, None, Some(step), Some(finish))?;
    raw::register(db, c"vellum_has", 2, Some(has), None, None)
}

/// Returns whether a set holds an id, NULL where one of them is none.
///
/// # Safety
/// Called by SQLite, with a live context and two arguments.
unsafe extern "C" fn has(context: *mut ffi::sqlite3_context, _: c_int, args: *mut *mut ffi::sqlite3_value) {
    // SAFETY: SQLite gives two arguments; the bytes of a blob are as many as it says, and stay until the call returns.
    unsafe {
        let (set, id) = (*args, *args.add(1));
        let is_set = ffi::sqlite3_value_type(set) == ffi::SQLITE_BLOB;
        if !is_set || ffi::sqlite3_value_type(id) != ffi::SQLITE_INTEGER {
            return ffi::sqlite3_result_null(context);
        }
        let data: *const u8 = ffi::sqlite3_value_blob(set).cast();
        let len = usize::try_from(ffi::sqlite3_value_bytes(set)).unwrap_or(0);
        let bytes = if data.is_null() { &[] } else { slice::from_raw_parts(data, len) };
        let is_in = Set(bytes).has(ffi::sqlite3_value_int64(id));
        ffi::sqlite3_result_int(context, c_int::from(is_in));
    }
}

/// Takes one id into the set.
///
/// # Safety
/// Called by SQLite, with a live context and one argument.
unsafe extern "C" fn step(context: *mut ffi::sqlite3_context, _: c_int, args: *mut *mut ffi::sqlite3_value) {
    // SAFETY: SQLite gives zeroed, aligned memory of that size, the same for every row of the group, and one argument.
    unsafe {
        let slot: *mut *mut Builder =
            ffi::sqlite3_aggregate_context(context, size_of::<*mut Builder>() as c_int).cast();
        if slot.is_null() {
            return ffi::sqlite3_result_error_nomem(context);
        }
        if (*slot).is_null() {
            *slot = Box::into_raw(Box::default());
        }
        (**slot).insert(ffi::sqlite3_value_int64(*args));
    }
}

/// Returns the set and frees what gathered it.
///
/// # Safety
/// Called by SQLite once a group, after its last step, also when the statement fails.
unsafe extern "C" fn finish(context: *mut ffi::sqlite3_context) {
    // SAFETY: the slot is the one of `step`, or null when there was no row; the box is taken back once.
    let bytes = unsafe {
        let slot: *mut *mut Builder = ffi::sqlite3_aggregate_context(context, 0).cast();
        let builder = if slot.is_null() || (*slot).is_null() { Box::default() } else { Box::from_raw(*slot) };
        builder.finish()
    };
    // SAFETY: SQLite copies the bytes before the call returns.
    unsafe {
        ffi::sqlite3_result_blob64(
            context,
            bytes.as_ptr().cast(),
            bytes.len() as u64,
            ffi::SQLITE_TRANSIENT(),
        );
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn bytes(ids: &BTreeSet<i64>) -> Vec<u8> {
        let mut builder = Builder::default();
        ids.iter().for_each(|id| builder.insert(*id));
        builder.finish()
    }

    fn ids() -> impl Strategy<Value = BTreeSet<i64>> {
        let near = prop::collection::btree_set(-70_000i64..200_000, 0..300);
        let dense = (0i64..100_000, 0i64..20_000).prop_map(|(from, len)| (from..from + len).collect());
        let far = prop::collection::btree_set(any::<i64>(), 0..50);
        prop_oneof![near, dense, far]
    }

    proptest! {
        #[test]
        fn a_set_is_the_set_of_its_ids(a in ids(), b in ids(), strangers in prop::collection::vec(any::<i64>(), 20)) {
            let (x, y) = (bytes(&a), bytes(&b));
            let (x, y) = (Set(&x), Set(&y));
            prop_assert_eq!(x.count(), a.len());
            for id in a.iter().chain(&b).chain(&strangers) {
                prop_assert_eq!(x.has(*id), a.contains(id));
            }
            let both: BTreeSet<i64> = a.intersection(&b).copied().collect();
            let either: BTreeSet<i64> = a.union(&b).copied().collect();
            prop_assert_eq!(super::both(x, y).finish(), bytes(&both));
            prop_assert_eq!(super::either(x, y).finish(), bytes(&either));
        }

        #[test]
        fn bytes_that_are_no_set_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), id: i64) {
            let set = Set(&bytes);
            let _ = (set.has(id), set.count().min(1), both(set, set).finish());
        }
    }

    #[test]
    fn the_ids_of_a_query_are_gathered_in_sql() -> Result<()> {
        let db = Connection::open_in_memory()?;
        super::super::register(&db)?;
        let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 200000),
            a(s) AS (SELECT vellum_ids(x) FROM n WHERE x % 2 = 0), b(s) AS (SELECT vellum_ids(x) FROM n WHERE x % 3 = 0)
            SELECT vellum_count(a.s), vellum_count(vellum_both(a.s, b.s)), vellum_count(vellum_either(a.s, b.s)),
            vellum_has(a.s, 7), vellum_has(a.s, 131072), vellum_count((SELECT vellum_ids(x) FROM n WHERE x < 0)) FROM a, b";
        let row: [i64; 6] = db.query_row(sql, [], |row| {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?])
        })?;
        assert_eq!(row, [100_000, 33_333, 133_333, 0, 1, 0]);
        let strange = "SELECT vellum_has(NULL, 1), vellum_has('set', 1), vellum_has(vellum_ids(1), NULL),
            vellum_has(vellum_ids(1), '1')";
        let row: [Option<i64>; 4] =
            db.query_row(strange, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
        assert_eq!(row, [None; 4]);
        let empty: i64 = db.query_row("SELECT vellum_has(x'', 1)", [], |row| row.get(0))?;
        assert_eq!(empty, 0, "a blob that is no set holds nothing");
        Ok(())
    }
}
