//! Rows as structs: computed members, structs in structs and in tuples, whole documents beside computed columns.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, fails, strange};
use vellum::prelude::*;
use vellum::{Collection, ErrorKind};

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "orders")]
#[serde(rename_all = "camelCase")]
struct Order {
    id: i64,
    #[document(index)]
    customer: String,
    unit_price: f64,
    tags: Vec<String>,
    paid: Option<bool>,
    ship_to: Address,
    bill_to: Option<Address>,
}

#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Address {
    city: String,
    zip: Option<i64>,
}

/// What is made of an order.
#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Summary {
    who: String,
    #[serde(rename = "n\"tags")]
    tags: u64,
    paid: bool,
    total: f64,
    note: Option<String>,
}

/// What is made of a summary and of parts of the order.
#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Parcel {
    key: i64,
    summary: Summary,
    to: Address,
    back: Option<Address>,
    tags: Vec<String>,
}

fn address(city: &str, zip: Option<i64>) -> Address {
    Address { city: city.to_owned(), zip }
}

fn order(id: i64, customer: &str, city: &str, tags: &[&str], bill_to: Option<Address>) -> Order {
    Order {
        id,
        customer: customer.to_owned(),
        unit_price: id as f64 / 4.0,
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        paid: (id != 2).then_some(id == 1),
        ship_to: address(city, (id != 3).then_some(id * 100)),
        bill_to,
    }
}

fn all() -> [Order; 3] {
    [
        order(1, "ann", "Oslo", &["new", "gift"], None),
        order(2, "bob", "Bern", &[], Some(address("Lund", None))),
        order(3, "ann", "Rome", &["new"], Some(address("Wien", Some(7)))),
    ]
}

fn orders() -> vellum::Result<(Database, Collection<'static, Order>)> {
    let db = Database::open_in_memory()?;
    let orders = db.collection::<Order>()?;
    orders.insert_batch(all())?;
    Ok((db, orders))
}

fn summary(o: OrderFields) -> SummaryFields {
    SummaryFields {
        who: o.customer.to_uppercase(),
        tags: o.tags.len(),
        paid: o.paid.unwrap_or(false),
        total: o.unit_price * 2.0,
        note: o.bill_to.map(|to| to.city),
    }
}

fn summaries() -> [Summary; 3] {
    let one = |who: &str, tags, paid, total, note: Option<&str>| Summary {
        who: who.to_owned(),
        tags,
        paid,
        total,
        note: note.map(str::to_owned),
    };
    [
        one("ANN", 2, true, 0.5, None),
        one("BOB", 0, false, 1.0, Some("Lund")),
        one("ANN", 1, false, 1.5, Some("Wien")),
    ]
}

#[test]
fn a_row_is_a_struct_with_computed_members() -> TestResult {
    let (_db, orders) = orders()?;
    assert_eq!(orders.query().select(summary).to_vec()?, summaries());
    assert_eq!(orders.query().select(summary).first()?.as_ref(), summaries().first());
    Ok(())
}

#[test]
fn literals_and_parameters_are_members() -> TestResult {
    let (_db, orders) = orders()?;
    let rows = orders.compile(|q, (by, who): (Param<f64>, Param<String>)| {
        q.filter(|o| o.id.ge(2)).select(|o| SummaryFields {
            who: who.expr(),
            tags: lit(7),
            paid: o.ship_to.zip.is_none(),
            total: o.unit_price * by,
            note: o.customer.some(),
        })
    })?;
    let made = |paid, total, note: &str| Summary {
        who: "zoe".to_owned(),
        tags: 7,
        paid,
        total,
        note: Some(note.to_owned()),
    };
    assert_eq!(rows.call((10.0, "zoe"))?, [made(false, 5.0, "bob"), made(true, 7.5, "ann")]);
    Ok(())
}

#[test]
fn structs_stand_in_structs_and_in_tuples() -> TestResult {
    let (_db, orders) = orders()?;
    let parcels = orders.query().select(|o| {
        let to = AddressFields { city: o.ship_to.city.concat("!"), zip: o.ship_to.zip };
        let parcel = ParcelFields { key: o.id + 10, summary: summary(o), to, back: o.bill_to, tags: o.tags };
        (o.id, parcel, (o.ship_to, o.customer))
    });
    let expected: Vec<(i64, Parcel, (Address, String))> = all()
        .into_iter()
        .zip(summaries())
        .map(|(order, summary)| {
            let to = address(&format!("{}!", order.ship_to.city), order.ship_to.zip);
            let (back, tags) = (order.bill_to, order.tags);
            (
                order.id,
                Parcel { key: order.id + 10, summary, to, back, tags },
                (order.ship_to, order.customer),
            )
        })
        .collect();
    assert_eq!(parcels.clone().to_vec()?, expected);
    assert_eq!(parcels.skip(1).take(1).to_vec()?, expected[1..2]);
    Ok(())
}

#[test]
fn later_stages_name_the_members() -> TestResult {
    let (_db, orders) = orders()?;
    let parcels = orders.query().select(|o| ParcelFields {
        key: o.id,
        summary: summary(o),
        to: o.ship_to,
        back: o.bill_to,
        tags: o.tags,
    });
    let keys = |query: Query<Parcel, _>| query.select(|p| p.key).to_vec();
    assert_eq!(keys(parcels.clone().filter(|p| p.summary.tags.gt(0)))?, [1, 3]);
    assert_eq!(keys(parcels.clone().order_by_desc(|p| p.summary.total))?, [3, 2, 1]);
    assert_eq!(keys(parcels.clone().filter(|p| p.to.zip.is_none() | p.back.is_none()))?, [1, 3]);
    assert_eq!(keys(parcels.clone().filter(|p| p.back.city.eq("Wien")))?, [3]);
    assert_eq!(keys(parcels.clone().filter(|p| p.tags.contains("gift") & p.summary.paid))?, [1]);
    // Behind a page the members are columns of the query inside.
    assert_eq!(keys(parcels.clone().take(2).filter(|p| p.summary.note.is_some()))?, [2]);
    assert_eq!(parcels.clone().take(2).select(|p| p.summary).to_vec()?, summaries()[..2]);
    assert_eq!(parcels.clone().take(1).select(|p| p).to_vec()?, parcels.clone().take(1).to_vec()?);
    assert_eq!(parcels.clone().sum(|p| p.summary.total)?, 3.0);
    assert_eq!(parcels.clone().max(|p| p.to.city)?, Some("Rome".to_owned()));
    assert_eq!(parcels.count()?, 3);
    Ok(())
}

#[test]
fn a_member_is_served_by_the_index_of_its_field() -> TestResult {
    let (_db, orders) = orders()?;
    orders.ensure_indexes()?;
    let found = orders.compile(|q, (who,)| {
        let plain = |o: OrderFields| SummaryFields { who: o.customer, ..summary(o) };
        q.select(plain).filter(|s| s.who.eq(who)).select(|s| s.tags)
    })?;
    assert_eq!(found.explain()?.plan.readings[0].indexes, ["orders/customer"]);
    assert_eq!(found.call("ann")?, [2, 1]);
    Ok(())
}

#[test]
fn whole_documents_stand_beside_computed_columns() -> TestResult {
    let (_db, orders) = orders()?;
    let rows = orders.filter(|o| o.customer.eq("ann")).select(|o| (o, o.tags.len(), summary(o)));
    let [first, _, third] = all();
    let [of_first, _, of_third] = summaries();
    assert_eq!(rows.clone().to_vec()?, [(first, 2, of_first), (third, 1, of_third)]);
    assert_eq!(rows.filter(|(o, tags, _)| tags.eq(1) & o.id.eq(3)).count()?, 1);
    Ok(())
}

#[test]
fn a_document_can_be_made_with_other_members() -> TestResult {
    let (_db, orders) = orders()?;
    let loud = orders.query().select(|o| OrderFields { customer: o.customer.to_uppercase(), ..o });
    let expected = all().map(|order| Order { customer: order.customer.to_uppercase(), ..order });
    assert_eq!(loud.clone().to_vec()?, expected);
    assert_eq!(loud.clone().filter(|o| o.id.eq(2) & o.customer.eq("BOB")).to_vec()?, expected[1..2]);
    assert_eq!(loud.clone().take(2).order_by_desc(|o| o.id).select(|o| o.id).to_vec()?, [2, 1]);
    // It is a row, and no document that could be changed.
    fails(loud.delete(), ErrorKind::InvalidQuery, &["rows that are not documents"]);
    let moved =
        orders.query().select(|o| OrderFields { id: o.id * 7, ..o }).select(|o| (o.id, o)).to_vec()?;
    assert_eq!(
        moved.iter().map(|(id, order)| (*id, order.id)).collect::<Vec<_>>(),
        [(7, 7), (14, 14), (21, 21)]
    );
    Ok(())
}

#[test]
fn groups_have_structs_for_keys_and_for_rows() -> TestResult {
    #[derive(Embed, Serialize, Deserialize, Debug, PartialEq)]
    struct Key {
        who: String,
        paid: bool,
    }
    #[derive(Embed, Serialize, Deserialize, Debug, PartialEq)]
    struct Group {
        key: Key,
        orders: u64,
        dearest: Option<f64>,
    }
    let (_db, orders) = orders()?;
    let groups = orders
        .query()
        .group_by(|o| KeyFields { who: o.customer, paid: o.paid.unwrap_or(false) })
        .select(|g| GroupFields { key: g.key, orders: g.count(), dearest: g.max(|o| o.unit_price) });
    let group = |who: &str, paid, dearest| Group {
        key: Key { who: who.to_owned(), paid },
        orders: 1,
        dearest: Some(dearest),
    };
    let expected = [group("ann", false, 0.75), group("ann", true, 0.25), group("bob", false, 0.5)];
    assert_eq!(groups.clone().to_vec()?, expected);
    assert_eq!(groups.filter(|g| g.key.who.eq("ann") & g.dearest.lt(0.5)).to_vec()?, expected[1..2]);
    Ok(())
}

#[test]
fn flattened_structs_newtypes_and_enums_are_members() -> TestResult {
    #[derive(Embed, Serialize, Deserialize, Debug, Clone, Copy, PartialEq)]
    enum State {
        Open,
        Closed,
    }
    #[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
    struct Cents(i64);
    #[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
    struct Place {
        town: String,
        state: State,
        open: bool,
        busy: Option<bool>,
    }
    #[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
    #[document(collection = "shops")]
    struct Shop {
        id: String,
        sold: Cents,
        #[serde(flatten)]
        place: Place,
    }
    #[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
    struct Row {
        name: String,
        sold: Cents,
        #[serde(flatten)]
        place: Place,
    }
    let shops = Database::open_in_memory()?.collection::<Shop>()?;
    let shop = |id: &str, sold, town: &str, state| Shop {
        id: id.to_owned(),
        sold: Cents(sold),
        place: Place { town: town.to_owned(), state, open: sold > 5, busy: (sold > 5).then_some(true) },
    };
    shops.insert_batch([shop("a", 5, "Oslo", State::Open), shop("b", 7, "Bern", State::Closed)])?;
    let rows = shops.query().select(|s| RowFields {
        name: s.id.concat("!"),
        sold: s.sold,
        place: PlaceFields { town: s.place.town.to_uppercase(), open: !s.sold.inner().le(5), ..s.place },
    });
    let row = |name: &str, sold, town: &str, state| Row {
        name: name.to_owned(),
        sold: Cents(sold),
        place: Place { town: town.to_owned(), state, open: sold > 5, busy: (sold > 5).then_some(true) },
    };
    let expected = [row("a!", 5, "OSLO", State::Open), row("b!", 7, "BERN", State::Closed)];
    assert_eq!(rows.clone().to_vec()?, expected);
    assert_eq!(rows.filter(|r| r.place.town.eq("BERN")).to_vec()?, expected[1..]);
    let made =
        shops.query().select(|s| ShopFields { id: s.id.concat("?"), ..s }).filter(|s| s.sold.inner().gt(5));
    assert_eq!(made.to_vec()?, [shop("b?", 7, "Bern", State::Closed)]);
    Ok(())
}

#[test]
fn what_a_struct_cannot_be_made_of_is_refused() -> TestResult {
    let (_db, orders) = orders()?;
    let absent =
        orders.query().select(|o| AddressFields { city: o.bill_to.city, zip: o.bill_to.zip }).take(9);
    assert_eq!(absent.count()?, 3, "the struct as it is stored");
    let absent = orders.query().select(|o| AddressFields { city: o.bill_to.city, zip: o.ship_to.zip });
    fails(absent.to_vec(), ErrorKind::InvalidQuery, &["`billTo.city` may be absent"]);
    let whole = orders.query().select(|o| (o.id, summary(o))).take(2).filter(|(_, s)| s.who.is_missing());
    fails(whole.to_vec(), ErrorKind::InvalidQuery, &["not a field"]);

    #[derive(Embed, Serialize, Deserialize, Debug, PartialEq)]
    struct Sealed {
        city: String,
        #[document(opaque)]
        body: Option<serde_json::Value>,
    }
    let sealed = orders.query().select(|o| SealedFields { city: o.customer });
    fails(sealed.to_vec(), ErrorKind::InvalidQuery, &["opaque field, `body`"]);
    Ok(())
}

#[test]
fn a_member_that_cannot_be_read_is_named_with_its_document() -> TestResult {
    let (db, orders) = orders()?;
    strange(
        &db,
        "orders",
        &[(9, r#"{"customer":"eve","unitPrice":"1","tags":[],"shipTo":{"city":5},"billTo":null}"#)],
    )?;
    let eve = orders.filter(|o| o.customer.eq("eve"));
    let wrong = eve.clone().select(|o| AddressFields { city: o.ship_to.city, zip: o.id.some() });
    fails(wrong.to_vec(), ErrorKind::TypeMismatch, &["`shipTo.city`", "9"]);
    let wrong = eve.clone().select(|o| {
        let to = AddressFields { city: o.customer, zip: o.id.some() };
        ParcelFields {
            key: o.id,
            summary: SummaryFields { total: o.unit_price, ..summary(o) },
            to,
            back: o.bill_to,
            tags: o.tags,
        }
    });
    fails(wrong.to_vec(), ErrorKind::TypeMismatch, &["`unitPrice`", "9"]);
    let narrow = eve.select(|o| SummaryFields { tags: o.tags.len() + 1, total: lit(0.0), ..summary(o) });
    assert_eq!(narrow.single()?.tags, 1);
    Ok(())
}
