//! The statements of a connection, by their text. A loan moves a statement out and back without allocating.

use std::hash::{BuildHasherDefault, Hasher};

use hashlink::LruCache;

use super::stmt::Prepared;

/// The most statements that are kept beside the last one; the one that was used longest ago goes first.
const CACHE_LEN: usize = 256;

pub(super) struct Cache {
    /// The statement that came back last, which is the most likely to be asked for: it is found by comparing texts,
    /// and stays out of the map while it is asked for again and again.
    last: Option<Prepared>,
    /// One that is on loan keeps its place.
    places: LruCache<Box<str>, Option<Prepared>, BuildHasherDefault<WordHasher>>,
}

impl Default for Cache {
    fn default() -> Self {
        let places = LruCache::with_hasher(CACHE_LEN, BuildHasherDefault::default());
        Self { last: None, places }
    }
}

impl Cache {
    pub(super) fn take(&mut self, sql: &str) -> Option<Prepared> {
        if self.last.as_ref().is_some_and(|last| *last.sql == *sql) {
            return self.last.take();
        }
        self.places.peek_mut(sql)?.take()
    }

    /// Keeps a statement. Of two with one text, lent at the same time, the last one stays.
    pub(super) fn put(&mut self, prepared: Prepared) {
        if let Some(former) = self.last.replace(prepared) {
            self.settle(former);
        }
    }

    /// Moves a statement to its place in the map.
    fn settle(&mut self, prepared: Prepared) {
        match self.places.get_mut(&prepared.sql) {
            Some(place) => *place = Some(prepared),
            None => {
                self.places.insert(prepared.sql.clone(), Some(prepared));
            }
        }
    }
}

/// Hashes statement texts a word at a time: they are ours, so nobody chooses them to collide.
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        self.write_u64(u64::from_le_bytes(last));
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(u64::from(byte));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::conn::{Conn, Role, Setup};
    use crate::store::options::Options;

    #[test]
    fn the_statement_that_was_used_longest_ago_goes() -> Result<(), crate::store::StoreError> {
        let setup = Setup::new(Path::new(":memory:"), &Options::default());
        let conn = Conn::open(&setup, Role::Reader)?;
        let mut cache = Cache::default();
        let sql = |i: usize| format!("SELECT {i}");
        for i in 0..CACHE_LEN {
            cache.put(Prepared::new(&conn, &sql(i))?);
        }
        let again = cache.take(&sql(0)).expect("the first");
        assert_eq!(&*again.sql, sql(0));
        assert!(cache.take(&sql(0)).is_none(), "it is on loan");
        cache.put(again);
        for i in [CACHE_LEN, CACHE_LEN + 1] {
            cache.put(Prepared::new(&conn, &sql(i))?);
        }
        assert!(cache.take(&sql(1)).is_none());
        for i in [0, 2, CACHE_LEN, CACHE_LEN + 1] {
            assert!(cache.take(&sql(i)).is_some(), "{i}");
        }
        Ok(())
    }
}
