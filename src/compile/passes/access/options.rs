//! Lists of options: an index entered once for each value of the list, null among them.
//!
//! ```text
//! FROM t INDEXED BY "t/a" WHERE a IN (list) OR a IS ?none
//!   -> FROM (each value of the list, once) CROSS JOIN t INDEXED BY "t/a" WHERE a IS value
//! ```
//! `IN` finds no null, and of an OR SQLite may think that it is as well answered by reading the whole index.

use crate::compile::passes::along::fresh;
use crate::ir::sql::{Alias, Binary, Expr, Select, Source, SourceKind};

/// Lets the values of a list lead, in the place of the condition on a column of `source` that it is.
pub(super) fn lead(select: &mut Select, source: Alias, column: &str, next: &mut Alias) {
    let is_wanted = |condition: &&mut Expr| match condition {
        Expr::InOptions(item, ..) => {
            matches!(&**item, Expr::Column { source: of, name, .. } if *of == source && **name == *column)
        }
        _ => false,
    };
    let Some(condition) = select.filter.iter_mut().find(is_wanted) else { return };
    let Expr::InOptions(item, list, _) = std::mem::replace(condition, Expr::Null) else { return };
    let alias = fresh(next);
    *condition = Expr::binary(Binary::Is, *item, Expr::Output { source: alias, column: 0 });
    let values = Select { group: list.columns.clone(), ..*list };
    select.from.insert(0, Source { alias, kind: SourceKind::Query(Box::new(values)) });
}
