//! The store's schema as the compiler's catalog.

use std::sync::Arc;

use crate::compile::emit::column;
use crate::ir::catalog::{Catalog, Collection, Column, Index, IndexColumn, Narrow, Statistics};
use crate::ir::path::FieldPath;
use crate::ir::value::View;
use crate::store;

// The compiler takes no number from the store, so that the two are held together here.
const _: () = assert!(store::ANALYZED_ROWS as f64 == Statistics::LOOKED_AT);

/// Returns the catalog of a schema. A column of a kind that this version does not know serves nothing.
pub(crate) fn of(schema: &store::Schema) -> Catalog {
    let collections =
        schema.collections.iter().map(|(name, info)| (name.clone(), Arc::new(collection(info))));
    Catalog { epoch: schema.epoch, collections: collections.collect() }
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
