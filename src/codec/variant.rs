//! Enums, tagged from outside: a text is a variant without content, an object of one entry one with it.

use serde::de;
use serde::de::{DeserializeSeed, EnumAccess, Unexpected, VariantAccess, Visitor};

use super::blame::blame;
use super::decode::Decoder;
use super::element::{Element, Kind};
use super::error::Fault;

/// The name of a variant, and its content if it has any.
pub(super) struct Variant<'de> {
    name: Element<'de>,
    content: Option<Decoder<'de>>,
}

impl<'de> Variant<'de> {
    pub(super) fn unit(name: Element<'de>) -> Self {
        Self { name, content: None }
    }

    /// Reads the object's only entry; its content is `depth` arrays and objects deep.
    pub(super) fn with_content(object: Element<'de>, depth: u16) -> Result<Self, Fault> {
        const ONE: &str = "an object of one entry, the variant";
        if object.payload.is_empty() {
            return Err(Fault::mismatch(ONE, "an empty object"));
        }
        let (name, rest) = Element::split(object.payload, object.end)?;
        if !name.is_text() {
            return Err(Fault::malformed(name.offset(), "a key that is no text"));
        }
        let (element, rest) = Element::split(rest, object.end)?;
        if !rest.is_empty() {
            return Err(Fault::mismatch(ONE, "an object of several entries"));
        }
        Ok(Self { name, content: Some(Decoder { element, depth, row_key: None }) })
    }

    /// Returns the content, which must be of `kind`.
    fn content(&self, kind: Kind, expected: &str) -> Result<Decoder<'de>, Fault> {
        match self.content {
            Some(content) if content.element.kind == kind => Ok(content),
            Some(content) => Err(Fault::mismatch(expected, content.element.kind.name())),
            None => Err(Fault::mismatch(expected, "a variant without content")),
        }
    }

    #[cold]
    fn under_name(&self, fault: Fault) -> Fault {
        match (self.content, self.name.text()) {
            (Some(_), Ok(name)) => fault.at_key(&name),
            _ => fault,
        }
    }
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        let name = seed.deserialize(Decoder { element: self.name, depth: 0, row_key: None })?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self.content {
            // Serde would take a null, but a query looks for the name alone.
            Some(content) => {
                let fault = Fault::mismatch("the name of the variant alone", content.element.kind.name());
                Err(self.under_name(fault))
            }
            None => Ok(()),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        match self.content {
            Some(content) => content.read(seed).map_err(|fault| self.under_name(fault)),
            None => Err(de::Error::invalid_type(Unexpected::UnitVariant, &"newtype variant")),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.content(Kind::Array, "the array of a tuple variant")
            .and_then(|content| de::Deserializer::deserialize_any(content, visitor))
            .map_err(|fault| self.under_name(fault))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.content(Kind::Object, "the object of a struct variant")
            .and_then(|content| {
                let value = de::Deserializer::deserialize_any(content, visitor);
                value.map_err(|fault| blame(content.element, content.depth, fault))
            })
            .map_err(|fault| self.under_name(fault))
    }
}
