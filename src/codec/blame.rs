//! Where a value is that serde had taken over before it was refused.
//!
//! Serde reads what stands beside a tag, and what is flattened, into a buffer of its own before it knows the type. An
//! error about a value from there comes without a path. It tells the value in words; where only one value of the object
//! has these words, it is that one.

use std::fmt;

use serde::de::{Deserializer as _, Visitor};

use super::MAX_DEPTH;
use super::decode::Decoder;
use super::element::{Element, Kind};
use super::error::Fault;
use super::stack::descend;
use crate::ir::path::Segment;

/// Returns the error with the path to the value that it is about, where that can be told.
#[cold]
pub(super) fn blame(object: Element<'_>, depth: u16, fault: Fault) -> Fault {
    let Some(found) = fault.found_here() else { return fault };
    let mut search = Search { found, path: Vec::new(), places: Vec::new() };
    match (search.look_inside(object, depth), <[Vec<Segment>; 1]>::try_from(search.places)) {
        (Ok(()), Ok([place])) => fault.at(place),
        _ => fault,
    }
}

struct Search {
    found: String,
    path: Vec<Segment>,
    /// The paths of the values in these words.
    places: Vec<Vec<Segment>>,
}

impl Search {
    fn look(&mut self, step: Segment, element: Element<'_>, depth: u16) -> Result<(), Fault> {
        self.path.push(step);
        if words(element).as_deref() == Some(&*self.found) {
            self.places.push(self.path.clone());
        }
        if depth < MAX_DEPTH {
            descend(depth, || self.look_inside(element, depth + 1))?;
        }
        self.path.pop();
        Ok(())
    }

    fn look_inside(&mut self, container: Element<'_>, depth: u16) -> Result<(), Fault> {
        let is_object = container.kind == Kind::Object;
        let (mut rest, end) = (container.payload, container.end);
        if !is_object && container.kind != Kind::Array {
            return Ok(());
        }
        for index in 0.. {
            if rest.is_empty() {
                break;
            }
            let mut step = Segment::Index(index);
            if is_object {
                let (key, value) = Element::split(rest, end)?;
                (step, rest) = (Segment::Key(key.text()?.into_owned().into()), value);
            }
            let (element, behind) = Element::split(rest, end)?;
            self.look(step, element, depth)?;
            rest = behind;
        }
        Ok(())
    }
}

/// Returns the words in which serde tells a value that is of no type that it could be of.
fn words(element: Element<'_>) -> Option<String> {
    struct Nothing;

    impl Visitor<'_> for Nothing {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("nothing")
        }
    }

    let decoder = Decoder { element, depth: 0, row_key: None };
    decoder.deserialize_any(Nothing).err().and_then(|fault| fault.found_here())
}
