//! JSONB bytes to serde.
//!
//! An element is read when serde asks for it and skipped by its header when serde does not: bytes inside a skipped
//! value are never looked at. Text without escapes is lent, not copied. The deserializer of the document itself may
//! carry an integer key, which it gives to serde before the stored fields.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, Expected, Unexpected, Visitor};

use super::blame::blame;
use super::element::{Element, Kind};
use super::entries::{Entries, Items};
use super::error::{CodecError, Fault};
use super::number::{self, Integer};
use super::stack::descend;
use super::variant::Variant;
use super::{MAX_DEPTH, MAX_LEN};

/// Reads a document.
///
/// With a `key`, serde is given the field of that name with that value, before all others, and a stored field of the
/// same name is ignored.
pub(crate) fn decode<T: DeserializeOwned>(
    bytes: &[u8],
    key: Option<(&'static str, i64)>,
) -> Result<T, CodecError> {
    let root = || {
        let root = Decoder::of_element(bytes)?;
        if key.is_some() && root.element.kind != Kind::Object {
            return Err(Fault::mismatch("an object, to be a document", root.element.kind.name()));
        }
        Ok(Decoder { row_key: key.as_ref(), ..root })
    };
    root().and_then(|root| root.read(PhantomData::<T>)).map_err(Fault::into_error)
}

/// The name and value of an integer key.
pub(super) type RowKey = (&'static str, i64);

/// Gives one element to serde.
#[derive(Clone, Copy)]
pub(super) struct Decoder<'de> {
    pub(super) element: Element<'de>,
    /// How many arrays and objects the element is in.
    pub(super) depth: u16,
    pub(super) row_key: Option<&'de RowKey>,
}

impl<'de> Decoder<'de> {
    /// Returns the decoder of bytes that are one element.
    pub(super) fn of_element(bytes: &'de [u8]) -> Result<Self, Fault> {
        if bytes.len() > MAX_LEN {
            return Err(Fault::too_large(bytes.len()));
        }
        Ok(Decoder { element: Element::whole(bytes)?, depth: 0, row_key: None })
    }

    /// Reads the value, and finds the place of an error for which serde had lost it.
    #[inline]
    pub(super) fn read<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(self).map_err(|fault| blame(self.element, self.depth, fault))
    }

    fn malformed(&self, detail: &'static str) -> Fault {
        Fault::malformed(self.element.offset(), detail)
    }

    /// Returns the depth of what is inside this array or object.
    fn inside(&self) -> Result<u16, Fault> {
        if self.depth >= MAX_DEPTH { Err(Fault::too_deep(MAX_DEPTH)) } else { Ok(self.depth + 1) }
    }

    #[inline(always)]
    fn integer(&self) -> Result<Integer, Fault> {
        let payload = self.element.payload;
        let integer = if self.element.kind == Kind::Int {
            number::decimal(payload)
        } else {
            number::hexadecimal(payload)
        };
        integer.ok_or_else(|| self.malformed("an integer that is not written as one"))
    }

    /// Returns the float of a float element.
    fn float<F: FromStr>(&self) -> Result<F, Fault> {
        number::float(self.element.payload)
            .ok_or_else(|| self.malformed("a float that is not written as one"))
    }

    fn visit_integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.integer()? {
            // JSON has a negative zero that no integer is; `i64` fields take it as 0.
            Integer::Small(0) if self.element.payload.first() == Some(&b'-') => visitor.visit_f64(-0.0),
            Integer::Small(value) => visitor.visit_i64(value),
            Integer::Large(value) => visitor.visit_u64(value),
            Integer::Wide(value) if value.is_finite() => visitor.visit_f64(value),
            Integer::Wide(_) => Err(Fault::not_finite()),
        }
    }

    fn visit_float<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let value: f64 = self.float()?;
        if value.is_finite() { visitor.visit_f64(value) } else { Err(Fault::not_finite()) }
    }

    #[inline(always)]
    fn visit_text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.element.text()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn visit_array<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let mut items = Items::new(self.element, self.inside()?);
        let value = descend(self.depth, || visitor.visit_seq(&mut items))?;
        items.finish()?;
        Ok(value)
    }

    fn visit_object<V: Visitor<'de>>(
        self,
        fields: Option<&'static [&'static str]>,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let mut entries = Entries::new(self.element, self.inside()?, self.row_key, fields);
        descend(self.depth, || visitor.visit_map(&mut entries))
    }

    /// Reads an element for a field that is an integer of at most 64 bits.
    #[inline(always)]
    fn narrow<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if !matches!(self.element.kind, Kind::Int | Kind::Int5) {
            return self.deserialize_any(visitor);
        }
        match self.integer()? {
            Integer::Small(value) => visitor.visit_i64(value),
            Integer::Large(value) => visitor.visit_u64(value),
            Integer::Wide(_) => Err(self.too_wide(&visitor)),
        }
    }

    /// Reads an element for a field that is an integer of 128 bits.
    fn wide<V: Visitor<'de>, N: FromStr>(
        self,
        visitor: V,
        visit: impl FnOnce(V, N) -> Result<V::Value, Fault>,
    ) -> Result<V::Value, Fault> {
        if !matches!(self.element.kind, Kind::Int | Kind::Int5) {
            return self.deserialize_any(visitor);
        }
        match self.integer()? {
            Integer::Small(value) => visitor.visit_i64(value),
            Integer::Large(value) => visitor.visit_u64(value),
            Integer::Wide(_) => {
                match str::from_utf8(self.element.payload).ok().and_then(|text| text.parse().ok()) {
                    Some(value) => visit(visitor, value),
                    None => Err(self.too_wide(&visitor)),
                }
            }
        }
    }

    #[cold]
    fn too_wide(&self, expected: &dyn Expected) -> Fault {
        Fault::out_of_range(self.element.payload.escape_ascii(), expected)
    }
}

/// Returns whether serde is about to read an enum whose tag stands beside its fields. Nothing else tells it apart from
/// what takes any array.
fn is_tagged(expected: &dyn Expected) -> bool {
    const WORDS: &str = "internally tagged enum ";

    /// What is left of the words to be written, none once something else was.
    struct Left(Option<&'static str>);

    impl fmt::Write for Left {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = self.0.and_then(|left| {
                let len = left.len().min(text.len());
                let is_same = left.as_bytes().get(..len) == text.as_bytes().get(..len);
                left.get(len..).filter(|_| is_same)
            });
            Ok(())
        }
    }

    let mut left = Left(Some(WORDS));
    fmt::Write::write_fmt(&mut left, format_args!("{expected}")).is_ok() && left.0 == Some("")
}

// The methods that most fields of a struct come to are always in line: an element and what became of it are otherwise
// handed from one to the next through memory.
macro_rules! narrow_integers {
    ($($method:ident)*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            self.narrow(visitor)
        }
    )*};
}

macro_rules! texts {
    ($($method:ident)*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            if self.element.is_text() { self.visit_text(visitor) } else { self.deserialize_any(visitor) }
        }
    )*};
}

macro_rules! bytes {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            if !self.element.is_text() {
                return self.deserialize_any(visitor);
            }
            match self.element.text()? {
                Cow::Borrowed(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
                Cow::Owned(text) => visitor.visit_byte_buf(text.into_bytes()),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Decoder<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.element.kind {
            Kind::Null => visitor.visit_unit(),
            Kind::True => visitor.visit_bool(true),
            Kind::False => visitor.visit_bool(false),
            Kind::Int | Kind::Int5 => self.visit_integer(visitor),
            Kind::Float | Kind::Float5 => self.visit_float(visitor),
            Kind::Text | Kind::TextJ | Kind::Text5 | Kind::TextRaw => self.visit_text(visitor),
            // The first item would be the tag, which no query finds there.
            Kind::Array if is_tagged(&visitor) => Err(de::Error::invalid_type(Unexpected::Seq, &visitor)),
            Kind::Array => self.visit_array(visitor),
            Kind::Object => self.visit_object(None, visitor),
        }
    }

    narrow_integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    texts! { deserialize_char deserialize_str deserialize_string deserialize_identifier }

    bytes! { deserialize_bytes deserialize_byte_buf }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.wide(visitor, V::visit_i128)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.wide(visitor, V::visit_u128)
    }

    /// Reads the text as an `f32` by itself: by way of an `f64` it would be rounded twice.
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if !matches!(self.element.kind, Kind::Float | Kind::Float5) {
            return self.deserialize_any(visitor);
        }
        let value: f32 = self.float()?;
        if value.is_finite() { visitor.visit_f32(value) } else { Err(self.too_wide(&visitor)) }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.element.kind == Kind::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.element.kind {
            Kind::Object => self.visit_object(Some(fields), visitor),
            // Serde would take the items for the fields, which no query finds there.
            Kind::Array => Err(de::Error::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.element.kind {
            Kind::Text | Kind::TextJ | Kind::Text5 | Kind::TextRaw => {
                visitor.visit_enum(Variant::unit(self.element))
            }
            Kind::Object => {
                let variant = Variant::with_content(self.element, self.inside()?)?;
                descend(self.depth, || visitor.visit_enum(variant))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool f64 unit unit_struct seq tuple tuple_struct map
    }
}
