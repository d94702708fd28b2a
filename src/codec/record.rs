//! The columns of a result row that are the members of one struct to serde.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};

use super::cell::{read, read_bool};
use super::error::{CodecError, Fault};
use crate::ir::path::FieldPath;
use crate::ir::record::{Member, Record};
use crate::ir::value::Cell;

/// A column of a row, and the path that messages name for it.
pub(crate) struct Column<'de> {
    pub(crate) cell: Cell<'de>,
    pub(crate) path: Option<&'de FieldPath>,
}

/// Reads a struct from its columns. An error of a member names the path of its column.
pub(crate) fn decode_record<T: DeserializeOwned>(
    record: &Record,
    columns: &[Column<'_>],
) -> Result<T, CodecError> {
    let made = Struct { record, columns };
    PhantomData.deserialize(made).map_err(Fault::into_error)
}

/// Gives a struct to serde.
#[derive(Clone, Copy)]
struct Struct<'c, 'de> {
    record: &'c Record,
    columns: &'c [Column<'de>],
}

impl<'de> Deserializer<'de> for Struct<'_, 'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(Members { names: &self.record.members, columns: self.columns })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

/// The members that serde has not had yet.
struct Members<'c, 'de> {
    names: &'c [(Cow<'static, str>, Member)],
    columns: &'c [Column<'de>],
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        let name = self.names.first().map(|(name, _)| name.as_ref());
        name.map(|name| seed.deserialize(name.into_deserializer())).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let missing = || Fault::malformed(0, "a row without a column of one of its structs");
        let ((_, member), names) = self.names.split_first().ok_or_else(missing)?;
        let (own, columns) = self.columns.split_at_checked(member.width()).ok_or_else(missing)?;
        (self.names, self.columns) = (names, columns);
        let value = match (member, own) {
            (Member::Record(record), columns) => return seed.deserialize(Struct { record, columns }),
            (Member::Bool, [column]) => read_bool(column.cell, seed),
            (Member::Value, [column]) => read(column.cell, seed),
            (Member::Value | Member::Bool, _) => return Err(missing()),
        };
        value.map_err(|fault| match own.first().and_then(|column| column.path) {
            Some(path) => fault.into_error().under(path.clone()).into(),
            None => fault,
        })
    }
}
