//! An array or object that is being written.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use smallvec::SmallVec;

use super::element::{Element, Kind, Open};
use super::encode::Writer;
use super::error::Fault;
use super::stack::descend;

/// What serde fills, whichever of its seven names it has for it.
pub(super) struct Container<'a, 'b> {
    writer: &'a mut Writer<'b>,
    kind: Kind,
    open: Open,
    /// The object around it when it is the content of an enum's variant, and the variant.
    tag: Option<(Open, &'static str)>,
    /// The position of the next item of an array.
    next: u64,
    /// Where the last key of a map was written.
    key_at: usize,
    /// The name of the first field: an enum's tag is one, and then a variant's own fields follow.
    first: Option<&'static str>,
    /// Where the first key of a map was written.
    first_at: Option<usize>,
    /// Whether several types put their fields in, by serde's `flatten`.
    is_flat: bool,
}

impl<'a, 'b> Container<'a, 'b> {
    #[inline]
    pub(super) fn new(writer: &'a mut Writer<'b>, kind: Kind) -> Self {
        let open = writer.open();
        Self {
            writer,
            kind,
            open,
            tag: None,
            next: 0,
            key_at: 0,
            first: None,
            first_at: None,
            is_flat: false,
        }
    }

    /// Opens a map. serde says how many entries a map has, and does not for a struct with flattened fields.
    pub(super) fn of_map(writer: &'a mut Writer<'b>, len: Option<usize>) -> Self {
        Self { is_flat: len.is_none(), ..Self::new(writer, Kind::Object) }
    }

    /// Opens the container inside `{"variant": ..}`.
    pub(super) fn of_variant(
        writer: &'a mut Writer<'b>,
        variant: &'static str,
        kind: Kind,
    ) -> Result<Self, Fault> {
        let tag = writer.open();
        writer.enter()?;
        writer.text(variant)?;
        let mut inside = Self::new(writer, kind);
        inside.tag = Some((tag, variant));
        Ok(inside)
    }

    #[inline]
    pub(super) fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Fault> {
        self.write_field(key, value).map_err(|fault| self.under_variant(fault.at_key(key)))
    }

    #[inline]
    fn write_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Fault> {
        self.writer.enter()?;
        match self.first {
            None => self.first = Some(key),
            Some(first) if first == key => return Err(twice()),
            Some(_) => {}
        }
        if self.writer.is_row_key(key.as_bytes()) {
            return self.writer.take_row_id(value);
        }
        self.writer.text(key)?;
        self.write_inside(value)
    }

    #[inline]
    fn write_inside<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        descend(self.writer.depth, || value.serialize(&mut *self.writer))
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        let index = self.next;
        self.next += 1;
        self.writer
            .enter()
            .and_then(|()| self.write_inside(value))
            .map_err(|fault| self.under_variant(fault.at_index(index)))
    }

    fn write_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Fault> {
        self.writer.enter()?;
        self.key_at = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        self.writer.make_key(self.key_at)?;
        match self.first_at {
            None => self.first_at = Some(self.key_at),
            // A key of the document that was first has been taken out again.
            Some(first) if first == self.key_at => {}
            Some(first) => {
                let (first, key) = (self.writer.element_at(first)?, self.writer.element_at(self.key_at)?);
                if first.payload == key.payload {
                    return Err(self.twice_at_key());
                }
            }
        }
        Ok(())
    }

    /// Checks that no two of the types that fill an object have a field of the same name.
    fn check_keys(&self) -> Result<(), Fault> {
        let Some(first) = self.first_at.filter(|_| self.is_flat) else { return Ok(()) };
        let mut seen: SmallVec<[&[u8]; 16]> = SmallVec::new();
        let mut rest = self.writer.out.get(first..).unwrap_or_default();
        while !rest.is_empty() {
            let (key, behind) = Element::split(rest, rest.len())?;
            let (_, behind) = Element::split(behind, behind.len())?;
            seen.push(key.payload);
            rest = behind;
        }
        seen.sort_unstable();
        let double = seen.iter().zip(seen.iter().skip(1)).find(|(a, b)| a == b);
        match double {
            None => Ok(()),
            Some((key, _)) => Err(twice().at_key(&String::from_utf8_lossy(key))),
        }
    }

    #[cold]
    fn twice_at_key(&self) -> Fault {
        match self.key() {
            Some(key) => twice().at_key(&key),
            None => twice(),
        }
    }

    fn write_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        let key = self.writer.element_at(self.key_at)?;
        if self.writer.is_row_key(key.payload) {
            self.writer.out.truncate(self.key_at);
            return self.writer.take_row_id(value);
        }
        self.write_inside(value).map_err(|fault| match self.key() {
            Some(key) => fault.at_key(&key),
            None => fault,
        })
    }

    fn key(&self) -> Option<String> {
        let key = self.writer.element_at(self.key_at).ok()?;
        Some(key.text().ok()?.into_owned())
    }

    #[cold]
    fn under_variant(&self, fault: Fault) -> Fault {
        match self.tag {
            Some((_, variant)) => fault.at_key(variant),
            None => fault,
        }
    }

    #[inline]
    pub(super) fn finish(self) -> Result<(), Fault> {
        self.writer.close(self.open, self.kind);
        if let Some((open, _)) = self.tag {
            self.writer.close(open, Kind::Object);
        }
        Ok(())
    }
}

macro_rules! arrays {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for Container<'_, '_> {
            type Ok = ();
            type Error = Fault;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
                self.item(value)
            }

            #[inline]
            fn end(self) -> Result<(), Fault> {
                self.finish()
            }
        }
    )*};
}

arrays! {
    SerializeSeq serialize_element, SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field, SerializeTupleVariant serialize_field
}

macro_rules! objects {
    ($($trait:ident),*) => {$(
        impl $trait for Container<'_, '_> {
            type Ok = ();
            type Error = Fault;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Fault> {
                self.field(key, value)
            }

            #[inline]
            fn end(self) -> Result<(), Fault> {
                self.finish()
            }
        }
    )*};
}

objects! { SerializeStruct, SerializeStructVariant }

impl SerializeMap for Container<'_, '_> {
    type Ok = ();
    type Error = Fault;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Fault> {
        self.write_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.write_value(value)
    }

    fn end(self) -> Result<(), Fault> {
        self.check_keys()?;
        self.finish()
    }
}

/// The error of a name that two fields of one object have: which of them it would be loaded as, nobody could say.
#[cold]
fn twice() -> Fault {
    Fault::mismatch("one field of this name", "two: rename one of them")
}
