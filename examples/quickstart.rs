//! First steps: a collection, its indexes, documents, queries. Run with `cargo run --example quickstart`.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug)]
#[document(collection = "books", compound("author", "year desc"))]
struct Book {
    id: i64,
    title: String,
    author: String,
    #[document(index)]
    year: i64,
    rating: Option<f64>,
    publisher: Publisher,
}

#[derive(Embed, Serialize, Deserialize, Debug)]
struct Publisher {
    name: String,
    city: Option<String>,
}

fn book(title: &str, author: &str, year: i64, rating: Option<f64>, city: Option<&str>) -> Book {
    let publisher = Publisher { name: format!("{author} & Co."), city: city.map(str::to_owned) };
    Book { id: 0, title: title.into(), author: author.into(), year, rating, publisher }
}

fn main() -> vellum::Result<()> {
    // `Database::open("books.db")` keeps a file.
    let db = Database::open_in_memory()?;
    let books = db.collection::<Book>()?;
    println!("indexes made: {:?}", books.ensure_indexes()?.created);

    let mut batch = [
        book("The Tides", "Okafor", 1998, Some(4.5), Some("Lagos")),
        book("Salt", "Okafor", 2004, None, Some("London")),
        book("Winter Light", "Lind", 2011, Some(3.0), None),
    ];
    books.insert_batch(&mut batch)?;
    println!("keys given: {:?}", batch.iter().map(|book| book.id).collect::<Vec<_>>());

    let by_okafor = books.filter(|b| b.author.eq("Okafor")).order_by_desc(|b| b.year).to_vec()?;
    for book in &by_okafor {
        println!("{} {} ({})", book.id, book.title, book.year);
    }
    let unrated = books.filter(|b| b.rating.is_none()).count()?;
    println!("unrated: {unrated}");
    let in_london =
        books.filter(|b| b.publisher.city.eq("London")).select(|b| (b.title, b.publisher.name)).first()?;
    println!("from London: {in_london:?}");
    let by_author =
        books.query().group_by(|b| b.author).select(|g| (g.key, g.count(), g.max(|b| b.year))).to_vec()?;
    println!("author, books, latest: {by_author:?}");

    let changed = books.update_many(|b| b.year.lt(2000), |b| (b.rating.set(5.0), b.year.increment(1)))?;
    println!("changed: {changed}");
    println!("deleted: {}", books.delete_many(|b| b.title.starts_with("Winter"))?);
    println!("left: {}", books.count()?);
    Ok(())
}
