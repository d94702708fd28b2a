//! serde to JSONB bytes.
//!
//! One pass: a scalar is written where it stands; an array or object leaves room for its header and fills it in at
//! its end. Text is written as `TEXTRAW`, the kind that SQLite itself gives to a bound text: nothing is escaped, so
//! nothing is scanned. Floats are the shortest decimal that reads back bit for bit, of an `f32` the shortest of the
//! `f32`.

use std::fmt::{self, Display, Write as _};

use serde::ser::{Serialize, Serializer};

use super::container::Container;
use super::element::{self, Element, Kind, Open};
use super::error::{CodecError, Fault};
use super::number::{self, Integer};
use super::{MAX_DEPTH, MAX_LEN, MAX_OPERAND_DEPTH};

/// Appends the JSONB of a document.
///
/// With a `key`, the field of that name in the document's root is an integer key: it is left out of the bytes and
/// returned, or `None` when the document has no such field. After an error `out` is as it was.
pub(crate) fn encode<T: Serialize + ?Sized>(
    doc: &T,
    key: Option<&'static str>,
    out: &mut Vec<u8>,
) -> Result<Option<i64>, CodecError> {
    let start = out.len();
    write(doc, Writer { out: &mut *out, start, depth: 0, max_depth: MAX_DEPTH, key, row_id: None }).map_err(
        |fault| {
            out.truncate(start);
            fault.into_error()
        },
    )
}

/// Returns the JSONB of an operand, of fewer levels than a document may have: it may be set below others.
pub(super) fn encode_operand<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::new();
    write(
        value,
        Writer { out: &mut out, start: 0, depth: 0, max_depth: MAX_OPERAND_DEPTH, key: None, row_id: None },
    )
    .map_err(Fault::into_error)?;
    Ok(out)
}

fn write<T: Serialize + ?Sized>(value: &T, mut writer: Writer<'_>) -> Result<Option<i64>, Fault> {
    value.serialize(&mut writer)?;
    writer.finish()
}

/// The bytes of one document in the making.
pub(super) struct Writer<'a> {
    pub(super) out: &'a mut Vec<u8>,
    start: usize,
    /// How many arrays and objects are open.
    pub(super) depth: u16,
    /// How many may be.
    max_depth: u16,
    key: Option<&'static str>,
    row_id: Option<i64>,
}

impl Writer<'_> {
    fn finish(&self) -> Result<Option<i64>, Fault> {
        self.check_len(0)?;
        if self.key.is_some() {
            let root = self.element_at(self.start)?;
            if root.kind != Kind::Object {
                return Err(Fault::mismatch("an object, to be a document", root.kind.name()));
            }
        }
        Ok(self.row_id)
    }

    /// Refuses a document that `more` bytes would make too large.
    #[inline]
    pub(super) fn check_len(&self, more: usize) -> Result<(), Fault> {
        let len = self.out.len() - self.start + more;
        if len > MAX_LEN { Err(Fault::too_large(len)) } else { Ok(()) }
    }

    /// Allows one more value inside the open array or object.
    #[inline]
    pub(super) fn enter(&self) -> Result<(), Fault> {
        if self.depth >= self.max_depth {
            return Err(Fault::too_deep(self.max_depth));
        }
        self.check_len(0)
    }

    /// Returns the element written at `at`.
    pub(super) fn element_at(&self, at: usize) -> Result<Element<'_>, Fault> {
        let bytes = self.out.get(at..).unwrap_or_default();
        Element::split(bytes, bytes.len()).map(|(element, _)| element)
    }

    #[inline]
    pub(super) fn text(&mut self, text: &str) -> Result<(), Fault> {
        self.check_len(text.len())?;
        element::push(self.out, Kind::TextRaw, text.as_bytes());
        Ok(())
    }

    #[inline]
    fn integer(&mut self, value: i64) {
        element::push(self.out, Kind::Int, itoa::Buffer::new().format(value).as_bytes());
    }

    fn checked_integer<N: Copy + Display>(&mut self, value: N) -> Result<(), Fault>
    where
        i64: TryFrom<N>,
    {
        let integer = i64::try_from(value).map_err(|_| Fault::out_of_range(value, "i64"))?;
        self.integer(integer);
        Ok(())
    }

    #[inline]
    pub(super) fn open(&mut self) -> Open {
        self.depth += 1;
        // Three bytes fit most documents. The longest headers would move the bytes of every enclosing container
        // once a level, so deep down they have their room from the start.
        Open::new(self.out, if self.depth > 8 { 5 } else { 3 })
    }

    #[inline]
    pub(super) fn close(&mut self, open: Open, kind: Kind) {
        self.depth -= 1;
        open.close(self.out, kind);
    }

    #[inline]
    pub(super) fn is_row_key(&self, key: &[u8]) -> bool {
        self.depth == 1 && self.key.is_some_and(|name| name.as_bytes() == key)
    }

    /// Takes the integer key out of a value: writes it, reads it, removes it.
    pub(super) fn take_row_id<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        if self.row_id.is_some() {
            // A flattened map or struct may hold any name.
            return Err(Fault::mismatch("the key of the document once", "another field of its name"));
        }
        let at = self.out.len();
        value.serialize(&mut *self)?;
        let element = self.element_at(at)?;
        let Some(Integer::Small(id)) = number::decimal(element.payload).filter(|_| element.kind == Kind::Int)
        else {
            return Err(Fault::mismatch("an integer key", element.kind.name()));
        };
        self.row_id = Some(id);
        self.out.truncate(at);
        Ok(())
    }

    /// Turns the scalar written at `at` into the key of an object: numbers and bools become their text.
    pub(super) fn make_key(&mut self, at: usize) -> Result<(), Fault> {
        let kind = self.element_at(at)?.kind;
        match kind {
            Kind::TextRaw => {}
            Kind::Int | Kind::Float => {
                if let Some(header) = self.out.get_mut(at) {
                    *header = *header & 0xf0 | Kind::TextRaw as u8;
                }
            }
            Kind::True | Kind::False => {
                self.out.truncate(at);
                self.text(if kind == Kind::True { "true" } else { "false" })?;
            }
            _ => return Err(Fault::mismatch("a text, number or bool as the key of a map", kind.name())),
        }
        Ok(())
    }
}

macro_rules! checked_integers {
    ($($method:ident: $number:ty),*) => {$(
        fn $method(self, value: $number) -> Result<(), Fault> {
            self.checked_integer(value)
        }
    )*};
}

impl<'a, 'b> Serializer for &'a mut Writer<'b> {
    type Ok = ();
    type Error = Fault;
    type SerializeSeq = Container<'a, 'b>;
    type SerializeTuple = Container<'a, 'b>;
    type SerializeTupleStruct = Container<'a, 'b>;
    type SerializeTupleVariant = Container<'a, 'b>;
    type SerializeMap = Container<'a, 'b>;
    type SerializeStruct = Container<'a, 'b>;
    type SerializeStructVariant = Container<'a, 'b>;

    fn serialize_bool(self, value: bool) -> Result<(), Fault> {
        element::push(self.out, if value { Kind::True } else { Kind::False }, &[]);
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), Fault> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Fault> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Fault> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Fault> {
        self.integer(value);
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Fault> {
        self.serialize_i64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Fault> {
        self.serialize_i64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Fault> {
        self.serialize_i64(value.into())
    }

    checked_integers! { serialize_u64: u64, serialize_i128: i128, serialize_u128: u128 }

    fn serialize_f32(self, value: f32) -> Result<(), Fault> {
        if !value.is_finite() {
            return Err(Fault::not_finite());
        }
        element::push(self.out, Kind::Float, zmij::Buffer::new().format_finite(value).as_bytes());
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Fault> {
        if !value.is_finite() {
            return Err(Fault::not_finite());
        }
        element::push(self.out, Kind::Float, zmij::Buffer::new().format_finite(value).as_bytes());
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Fault> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Fault> {
        self.text(value)
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Fault> {
        let open = Open::new(self.out, 2);
        if write!(Appender(self.out), "{value}").is_err() {
            return Err(serde::ser::Error::custom("a value that cannot be displayed"));
        }
        open.close(self.out, Kind::TextRaw);
        self.check_len(0)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Fault> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Fault> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Fault> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Fault> {
        element::push(self.out, Kind::Null, &[]);
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Fault> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), Fault> {
        self.text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        let mut object = Container::new(self, Kind::Object);
        object.field(variant, value)?;
        object.finish()
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Container<'a, 'b>, Fault> {
        Ok(Container::new(self, Kind::Array))
    }

    fn serialize_tuple(self, _len: usize) -> Result<Container<'a, 'b>, Fault> {
        Ok(Container::new(self, Kind::Array))
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<Container<'a, 'b>, Fault> {
        Ok(Container::new(self, Kind::Array))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Container<'a, 'b>, Fault> {
        Container::of_variant(self, variant, Kind::Array)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Container<'a, 'b>, Fault> {
        Ok(Container::of_map(self, len))
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<Container<'a, 'b>, Fault> {
        Ok(Container::new(self, Kind::Object))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Container<'a, 'b>, Fault> {
        Container::of_variant(self, variant, Kind::Object)
    }
}

/// Lets `fmt` write into the bytes.
struct Appender<'a>(&'a mut Vec<u8>);

impl fmt::Write for Appender<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
