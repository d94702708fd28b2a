//! A package that knows vellum under another name only.

use renamed::{Document, Embed, Expr, Params};
use serde::{Deserialize, Serialize};

/// A document.
#[derive(Document, Serialize, Deserialize)]
#[document(crate = "renamed", compound("place.city", "at desc"))]
pub struct Event {
    /// The key.
    pub id: i64,
    /// When it was.
    #[document(index)]
    pub at: i64,
    /// Where it was.
    pub place: Place,
    /// What was said of it.
    #[serde(default)]
    pub note: Option<String>,
    /// What it was.
    pub kind: Kind,
    /// Who saw it.
    pub by: Name,
    /// What it was about.
    pub about: Subject,
}

/// What an event was.
#[derive(Embed, Serialize, Deserialize)]
#[document(crate = "renamed")]
pub enum Kind {
    /// A thing of importance.
    News,
}

/// A name.
#[derive(Embed, Serialize, Deserialize)]
#[document(crate = "renamed")]
pub struct Name(pub String);

/// What an event was about.
#[derive(Embed, Serialize, Deserialize)]
#[document(crate = "renamed")]
pub enum Subject {
    /// Nobody.
    Nobody,
    /// A person.
    Person {
        /// The person's name.
        name: Name,
    },
}

/// Where something was.
#[derive(Embed, Serialize, Deserialize)]
#[document(crate = renamed, fields = "PlaceSymbols")]
pub struct Place {
    /// The city.
    pub city: String,
}

/// The parameters of a query.
#[derive(Params)]
#[params(crate = "::renamed")]
pub struct Page<'a> {
    /// What the city begins with.
    pub city: &'a str,
}

/// Returns whether an event is recent, or else in a city.
pub fn recent_or_in(event: EventFields, place: PlaceSymbols) -> Expr<bool> {
    renamed::x!(event.at > 100 || place.city == "Oslo")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_derives_work_under_another_name() {
        assert_eq!(Event::COLLECTION, "event");
        let mut event = Event {
            id: 0,
            at: 5,
            place: Place { city: "Oslo".into() },
            note: None,
            kind: Kind::News,
            by: Name("Ada".into()),
            about: Subject::Nobody,
        };
        event.set_id(3);
        assert_eq!((event.id, *event.id()), (3, 3));
    }
}
