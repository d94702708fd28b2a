//! The items of an array and the entries of an object, as serde asks for them.

use std::borrow::Cow;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::cell::Scalar;
use super::decode::{Decoder, RowKey};
use super::element::Element;
use super::error::Fault;
use super::number;
use super::seen::Seen;

/// The items of an array.
pub(super) struct Items<'de> {
    rest: &'de [u8],
    end: usize,
    depth: u16,
    next: u64,
}

impl<'de> Items<'de> {
    pub(super) fn new(array: Element<'de>, depth: u16) -> Self {
        Self { rest: array.payload, end: array.end, depth, next: 0 }
    }

    /// Refuses an array from which serde took fewer items than there are.
    pub(super) fn finish(&self) -> Result<(), Fault> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let expected = format!("an array of {} items", self.next);
        Err(Fault::mismatch(&expected, "a longer array"))
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let index = self.next;
        self.next += 1;
        let item = Element::split(self.rest, self.end).and_then(|(element, rest)| {
            self.rest = rest;
            Decoder { element, depth: self.depth, row_key: None }.read(seed)
        });
        item.map(Some).map_err(|fault| fault.at_index(index))
    }
}

/// The entries of an object, the first of each key.
pub(super) struct Entries<'de> {
    object: &'de [u8],
    rest: &'de [u8],
    end: usize,
    depth: u16,
    /// The struct's fields that no key has been yet, while the keys come in the fields' order: then each is known
    /// without reading it as text, and none can repeat an earlier one.
    fields: Option<&'static [&'static str]>,
    seen: Seen<'de>,
    /// The key whose value comes next.
    key: Current<'de>,
    row_key: Option<&'de RowKey>,
}

enum Current<'de> {
    /// Nothing was asked for yet.
    Start,
    RowKey(&'de RowKey),
    Stored(Element<'de>),
}

impl<'de> Entries<'de> {
    /// Begins an object; `fields` are the struct's, where serde asks for a struct.
    pub(super) fn new(
        object: Element<'de>,
        depth: u16,
        row_key: Option<&'de RowKey>,
        fields: Option<&'static [&'static str]>,
    ) -> Self {
        let Element { payload, end, .. } = object;
        let key = Current::Start;
        Self { object: payload, rest: payload, end, depth, fields, seen: Seen::default(), key, row_key }
    }

    /// Moves to the next entry that counts, and returns its key. Its value is then at the start of `rest`.
    #[inline]
    fn advance(&mut self) -> Result<Option<Cow<'de, str>>, Fault> {
        while !self.rest.is_empty() {
            let start = self.end - self.rest.len();
            let (key, rest) = Element::split(self.rest, self.end)?;
            if rest.is_empty() {
                return Err(Fault::malformed(key.end, "a key without a value"));
            }
            let text = match self.next_field(key) {
                Some(field) => Some(Cow::Borrowed(field)),
                None => self.first_of_its_name(key, start)?,
            };
            self.rest = rest;
            match text.filter(|text| self.row_key.is_none_or(|(name, _)| *name != *text)) {
                Some(text) => {
                    self.key = Current::Stored(key);
                    return Ok(Some(text));
                }
                None => self.rest = Element::split(rest, self.end)?.1,
            }
        }
        Ok(None)
    }

    /// Returns the field that the key names, if it is one of those still to come.
    #[inline]
    fn next_field(&mut self, key: Element<'de>) -> Option<&'static str> {
        let (fields, true) = (self.fields?, key.is_plain_text()) else { return None };
        let mut rest = fields.iter();
        let field = rest.find(|field| field.as_bytes() == key.payload)?;
        self.fields = Some(rest.as_slice());
        Some(field)
    }

    /// Returns the key's text, or `None` when an earlier key was the same. The key begins at the offset `start`.
    fn first_of_its_name(&mut self, key: Element<'de>, start: usize) -> Result<Option<Cow<'de, str>>, Fault> {
        if !key.is_text() {
            return Err(Fault::malformed(key.offset(), "a key that is no text"));
        }
        let before = self.object.get(..self.object.len() - self.rest.len()).unwrap_or_default();
        if self.fields.take().is_some() {
            self.seen = Seen::after(before, start);
        }
        let text = key.text()?;
        Ok((!self.seen.repeats(text.clone(), before, start)).then_some(text))
    }

    #[cold]
    fn under_key(&self, fault: Fault) -> Fault {
        match &self.key {
            Current::Start => fault,
            Current::RowKey((name, _)) => fault.at_key(name),
            Current::Stored(key) => match key.text() {
                Ok(text) => fault.at_key(&text),
                Err(_) => fault,
            },
        }
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'de> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let key = match (&self.key, self.row_key) {
            (Current::Start, Some(row_key)) => {
                self.key = Current::RowKey(row_key);
                Some(Cow::Borrowed(row_key.0))
            }
            _ => self.advance()?,
        };
        key.map(|text| seed.deserialize(Key(text))).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let value = match self.key {
            Current::RowKey((_, id)) => seed.deserialize(Scalar::Int(*id)),
            _ => Element::split(self.rest, self.end).and_then(|(element, rest)| {
                self.rest = rest;
                Decoder { element, depth: self.depth, row_key: None }.read(seed)
            }),
        };
        value.map_err(|fault| self.under_key(fault))
    }
}

/// Gives the key of an object to serde: text, or the number or bool that it spells where the map has such keys.
struct Key<'de>(Cow<'de, str>);

impl<'de> Key<'de> {
    fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }
}

macro_rules! parsed_keys {
    ($($method:ident $visit:ident),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            match self.0.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => self.visit(visitor),
            }
        }
    )*};
}

macro_rules! float_keys {
    ($($method:ident $visit:ident $float:ty),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            match number::float::<$float>(self.0.as_bytes()) {
                Some(value) if f64::from(value).is_finite() => visitor.$visit(value),
                _ => self.visit(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.visit(visitor)
    }

    parsed_keys! {
        deserialize_bool visit_bool,
        deserialize_i8 visit_i8, deserialize_i16 visit_i16, deserialize_i32 visit_i32, deserialize_i64 visit_i64,
        deserialize_u8 visit_u8, deserialize_u16 visit_u16, deserialize_u32 visit_u32, deserialize_u64 visit_u64,
        deserialize_i128 visit_i128, deserialize_u128 visit_u128
    }

    float_keys! { deserialize_f32 visit_f32 f32, deserialize_f64 visit_f64 f64 }

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

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(de::value::CowStrDeserializer::new(self.0))
    }

    serde::forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
