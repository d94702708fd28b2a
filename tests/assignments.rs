//! What several assignments of one update mean together.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;
use vellum::{Assignments, ErrorKind, Result};

#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Place {
    city: String,
    zip: Option<i64>,
}

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Visit {
    #[document(id)]
    visit_id: i64,
    from: i64,
    to: i64,
    place: Option<Place>,
    place_name: String,
}

fn visit() -> Visit {
    let place = Some(Place { city: "Bern".into(), zip: None });
    Visit { visit_id: 1, from: 10, to: 20, place, place_name: "town".into() }
}

fn visits() -> Result<Collection<'static, Visit>> {
    let visits = Database::open_in_memory()?.collection()?;
    visits.insert(visit())?;
    Ok(visits)
}

#[test]
fn assignments_read_the_document_as_it_was() -> Result<()> {
    let visits = visits()?;
    assert_eq!(visits.query().update(|v| (v.from.set(v.to), v.to.set(v.from)))?, 1);
    assert_eq!(visits.get(1)?, Some(Visit { from: 20, to: 10, ..visit() }));
    Ok(())
}

#[test]
fn fields_of_one_struct_are_assigned_together() -> Result<()> {
    let visits = visits()?;
    let update = |v: VisitFields| (v.place.city.set("Oslo"), v.place.zip.set(5), v.place_name.set("city"));
    assert_eq!(visits.query().update(update)?, 1);
    let place = Some(Place { city: "Oslo".into(), zip: Some(5) });
    assert_eq!(visits.get(1)?, Some(Visit { place, place_name: "city".into(), ..visit() }));
    Ok(())
}

#[test]
fn a_field_is_assigned_in_the_struct_that_was_assigned_before() -> Result<()> {
    let visits = visits()?;
    visits.query().update(|v| v.place.set(None))?;
    let oslo = || Some(Place { city: "Oslo".into(), zip: None });
    assert_eq!(visits.query().update(|v| (v.place.set(oslo()), v.place.zip.set(5)))?, 1);
    let place = Some(Place { city: "Oslo".into(), zip: Some(5) });
    assert_eq!(visits.get(1)?, Some(Visit { place, ..visit() }));
    let error = visits.query().update(|v| (v.place.set(None), v.place.city.set("Rome")));
    assert_eq!(error.expect_err("a field of nothing").kind(), ErrorKind::TypeMismatch);
    let error = visits.query().update(|v| (v.place.unset(), v.place.city.set("Rome")));
    assert_eq!(error.expect_err("a field of nothing").kind(), ErrorKind::TypeMismatch);
    Ok(())
}

#[test]
fn an_assignment_that_would_be_lost_is_refused() -> Result<()> {
    fn refused<A: Assignments>(update: impl FnOnce(VisitFields) -> A, words: &str) -> Result<()> {
        let visits = visits()?;
        let error = visits.query().update(update).expect_err("an assignment that would be lost");
        assert_eq!(error.kind(), ErrorKind::InvalidQuery);
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(visits.get(1)?, Some(visit()));
        Ok(())
    }

    refused(|v| (v.from.increment(1), v.from.increment(1)), "assigning `from` and then `from`")?;
    refused(|v| vec![v.from.set(5), v.to.set(6), v.from.set(7)], "assigning `from` and then `from`")?;
    refused(|v| (v.place.zip.set(5), v.place.set(None)), "assigning `place.zip` and then `place`")?;
    refused(|v| (v.place.set(None), v.place.zip.increment(1)), "assigning `place` and then `place.zip`")
}
