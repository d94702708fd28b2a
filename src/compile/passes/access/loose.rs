//! Loose scans: an index entered once for each of the few values that its first column has in a range.
//!
//! ```text
//! FROM t INDEXED BY "t/a,b" WHERE a >= ? AND a < ? AND b >= ? AND b < ?
//!   -> WITH RECURSIVE g(k) AS (the smallest a in the range, then the smallest a above the one before)
//!      FROM g CROSS JOIN t INDEXED BY "t/a,b" WHERE a = k AND b >= ? AND b < ?
//! ```
//! Behind a range SQLite reads every row of it, and asks each for the second column.

use crate::compile::passes::along::{Along, Keys};
use crate::ir::sql::{Alias, Binary, Bound, Expr, Range, Select, free_sources};

/// Returns the place of a range on a column of `source` that no row bounds, and the range: what the row itself bounds
/// says nothing of other rows, and a recursive table cannot name those around its query.
pub(super) fn range_on<'a>(filter: &'a [Expr], source: Alias, column: &str) -> Option<(usize, &'a Range)> {
    filter.iter().enumerate().find_map(|(place, condition)| match condition {
        Expr::Range(range) if is_column(&range.of, source, column) => {
            let mut bounds = range.low.iter().chain(&range.high);
            bounds.all(|bound| free_sources(&bound.value).is_empty()).then_some((place, range.as_ref()))
        }
        _ => None,
    })
}

fn is_column(expr: &Expr, alias: Alias, column: &str) -> bool {
    matches!(expr, Expr::Column { source, name, .. } if *source == alias && **name == *column)
}

/// Lets the values of the first column lead, in the place of the range on it.
pub(super) fn lead(select: &mut Select, along: Along<'_>, next: &mut Alias) {
    let Some(column) = along.index.columns.first() else { return };
    let Some((place, range)) = range_on(&select.filter, along.source, &column.name) else { return };
    let range = range.clone();
    let value = range.of.clone();
    let first = along.first(value.clone(), range.clone(), next);
    let behind = |key: Expr, next: &mut Alias| {
        let low = Some(Bound { value: key, inclusive: false });
        along.first(range.of.clone(), Range { low, ..range.clone() }, next)
    };
    let keys = Keys::new(first, behind, next);
    if let Some(condition) = select.filter.get_mut(place) {
        *condition = Expr::binary(Binary::Eq, value, keys.key);
    }
    select.with.push(keys.table);
    select.from.insert(0, keys.source);
}
