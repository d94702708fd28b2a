//! An array or object that is being written.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::element::{Kind, Open};
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
}

impl<'a, 'b> Container<'a, 'b> {
    #[inline]
    pub(super) fn new(writer: &'a mut Writer<'b>, kind: Kind) -> Self {
        let open = writer.open();
        Self { writer, kind, open, tag: None, next: 0, key_at: 0 }
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
        self.writer.make_key(self.key_at)
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
        self.finish()
    }
}
