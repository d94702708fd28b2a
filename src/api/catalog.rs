//! The store's schema as the compiler's catalog.

use std::sync::Arc;

use crate::compile::emit::column;
use crate::ir::catalog::{Catalog, Collection, Column, FILES, Index, IndexColumn, Narrow, Statistics};
use crate::ir::path::FieldPath;
use crate::ir::value::{Kind, View};
use crate::store;

// The compiler takes no number from the store, so that the two are held together here.
const _: () = assert!(store::ANALYZED_ROWS as f64 == Statistics::LOOKED_AT);

/// Returns the catalog of a schema. A column of a kind that this version does not know serves nothing.
pub(crate) fn of(schema: &store::Schema) -> Catalog {
    let collections =
        schema.collections.iter().map(|(name, info)| (name.clone(), Arc::new(collection(info))));
    let files = (FILES.to_owned(), Arc::new(files()));
    Catalog { epoch: schema.epoch, collections: collections.chain([files]).collect() }
}

/// Returns files and directories as a collection: a view, with a column for each thing that is known of them.
fn files() -> Collection {
    const COLUMNS: [(&str, View); 6] = [
        ("path", View::Declared(Kind::Text)),
        ("name", View::Declared(Kind::Text)),
        ("kind", View::Declared(Kind::Text)),
        ("length", View::Declared(Kind::Number)),
        ("created", View::Declared(Kind::Number)),
        ("modified", View::Declared(Kind::Number)),
    ];
    let column = |(name, view): (&'static str, View)| Column {
        path: FieldPath::root().key(name),
        view,
        name: name.to_owned(),
        expr: name.to_owned(),
        is_plain: true,
    };
    Collection {
        name: FILES.to_owned(),
        table: store::FILE_VIEW.to_owned(),
        key_kind: "integer".to_owned(),
        key: None,
        columns: COLUMNS.map(column).into(),
        indexes: Vec::new(),
        narrow: None,
    }
}

fn collection(info: &store::CollectionInfo) -> Collection {
    let columns = info.columns.iter().filter_map(|column| {
        let (path, view) = (FieldPath::from_json(&column.path)?, View::from_name(&column.kind)?);
        let is_plain = column.expr == column::definition(&path, view, None);
        Some(Column { path, view, name: column.name.clone(), expr: column.expr.clone(), is_plain })
    });
    let indexes = info.indexes.iter().filter(|index| !index.narrow).map(|index| Index {
        name: index.name.clone(),
        columns: index
            .columns
            .iter()
            .map(|column| IndexColumn { name: column.column.clone(), descending: column.desc })
            .collect(),
        unique: index.unique,
        filter: index.filter.as_ref().map_or_else(Vec::new, |filter| filter.conditions.clone()),
        statistics: index.statistics.as_ref().and_then(statistics),
    });
    let keys = info.key().map(|key| Index {
        name: info.key_index(),
        columns: vec![IndexColumn { name: key.name.clone(), descending: false }],
        unique: true,
        filter: Vec::new(),
        statistics: None,
    });
    Collection {
        name: info.name.clone(),
        table: info.table.clone(),
        key_kind: info.key_kind.clone(),
        key: info.key().and_then(|key| FieldPath::from_json(&key.path)),
        columns: columns.collect(),
        indexes: keys.into_iter().chain(indexes).collect(),
        narrow: info.narrow().map(|index| Narrow {
            name: index.name.clone(),
            columns: index.columns.iter().map(|column| column.column.clone()).collect(),
        }),
    }
}

fn statistics(found: &store::Statistics) -> Option<Statistics> {
    let rows_per_value = found.rows_per_value.first()?;
    Some(Statistics { rows: found.rows as f64, rows_per_value: (*rows_per_value).max(1) as f64 })
}
