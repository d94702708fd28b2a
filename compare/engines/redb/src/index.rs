//! Secondary indexes kept by hand: a multimap table from the bytes of a field to the ids of the events that have them.

use std::collections::HashSet;

use redb::{
    MultimapTableDefinition, ReadOnlyMultimapTable, ReadTransaction, ReadableMultimapTable, ReadableTable,
    WriteTransaction,
};
use vellum_compare_protocol::{Failure, Result};
use vellum_fixtures::events::Event;

use crate::events::EVENTS;

/// Ends the first part of a key of two; no text of an event holds it.
const END: u8 = 0;

/// An index on one field or on two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Index {
    /// Its fields.
    pub(crate) fields: Vec<String>,
    name: String,
}

impl Index {
    /// Names the index on `fields`.
    pub(crate) fn on(fields: &[impl AsRef<str>]) -> Self {
        let fields: Vec<String> = fields.iter().map(|field| field.as_ref().to_owned()).collect();
        Self { name: format!("events by {}", fields.join(", ")), fields }
    }

    /// Makes the table from what the events hold.
    pub(crate) fn create(&self, transaction: &WriteTransaction) -> Result<()> {
        let events = transaction.open_table(EVENTS)?;
        let mut table = transaction.open_multimap_table(self.definition())?;
        for entry in events.iter()? {
            let (id, json) = entry?;
            let event = serde_json::from_slice(json.value())?;
            table.insert(self.key(&event)?.as_slice(), id.value())?;
        }
        Ok(())
    }

    /// Deletes the table.
    pub(crate) fn drop(&self, transaction: &WriteTransaction) -> Result<()> {
        transaction.delete_multimap_table(self.definition())?;
        Ok(())
    }

    /// Opens the table to read.
    pub(crate) fn read(&self, transaction: &ReadTransaction) -> Result<Entries> {
        Ok(Entries(transaction.open_multimap_table(self.definition())?))
    }

    fn definition(&self) -> MultimapTableDefinition<'_, &'static [u8], i64> {
        MultimapTableDefinition::new(&self.name)
    }

    fn key(&self, event: &Event) -> Result<Vec<u8>> {
        let mut key = Vec::new();
        for field in &self.fields {
            if !key.is_empty() {
                key.push(END);
            }
            match field.as_str() {
                "system" => key.extend(event.system.bytes()),
                "machine_name" => key.extend(event.machine_name.bytes()),
                "agg_id" => key.extend(event.agg_id.bytes()),
                // Big endian, so that bytes sort as the moments do, none of which is negative.
                "unix_timestamp" => key.extend(event.unix_timestamp.to_be_bytes()),
                "type" => key.extend(event.kind.bytes()),
                "username" => key.extend(event.username.bytes()),
                "tags" => key.extend(event.tags.bytes()),
                other => return Err(Failure::unsupported(format!("no event has a field {other}"))),
            }
        }
        Ok(key)
    }
}

/// The table of an index.
pub(crate) struct Entries(ReadOnlyMultimapTable<&'static [u8], i64>);

impl Entries {
    /// Counts the events whose first field starts with `prefix` and whose second one, if there is one, with `second`.
    pub(crate) fn count(&self, prefix: &str, second: &str) -> Result<u64> {
        let mut count = 0;
        for entry in self.0.range(prefix.as_bytes()..)? {
            let (key, ids) = entry?;
            let (first, rest) = parts(key.value());
            if !first.starts_with(prefix.as_bytes()) {
                break;
            }
            if rest.starts_with(second.as_bytes()) {
                count += ids.len();
            }
        }
        Ok(count)
    }

    /// Counts the events whose field is `value`.
    pub(crate) fn count_equal(&self, value: &str) -> Result<u64> {
        Ok(self.0.get(value.as_bytes())?.len())
    }

    /// Returns the ids of the events whose field starts with `prefix`.
    pub(crate) fn ids(&self, prefix: &str) -> Result<HashSet<i64>> {
        let mut found = HashSet::new();
        for entry in self.0.range(prefix.as_bytes()..)? {
            let (key, ids) = entry?;
            if !key.value().starts_with(prefix.as_bytes()) {
                break;
            }
            for id in ids {
                found.insert(id?.value());
            }
        }
        Ok(found)
    }

    /// Returns all ids, those of the greatest value first.
    pub(crate) fn latest(&self) -> Result<impl Iterator<Item = Result<i64>>> {
        let entries = self.0.iter()?.rev();
        Ok(entries.flat_map(|entry| match entry {
            Ok((_, ids)) => ids.rev().map(|id| Ok(id?.value())).collect(),
            Err(error) => vec![Err(error.into())],
        }))
    }

    /// Counts the events by the first character of their field, ascending.
    pub(crate) fn groups(&self) -> Result<Vec<(String, u64)>> {
        let mut groups: Vec<(String, u64)> = Vec::new();
        for entry in self.0.iter()? {
            let (key, ids) = entry?;
            let initial: String = str::from_utf8(key.value())?.chars().take(1).collect();
            match groups.last_mut() {
                Some((last, count)) if *last == initial => *count += ids.len(),
                _ => groups.push((initial, ids.len())),
            }
        }
        Ok(groups)
    }
}

fn parts(key: &[u8]) -> (&[u8], &[u8]) {
    let mut parts = key.splitn(2, |&byte| byte == END);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}
