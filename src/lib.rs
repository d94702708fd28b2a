//! Vellum is an embedded document database: ordinary structs, kept as JSONB in one SQLite file, queried by ordinary
//! closures that the compiler of your program has checked.

mod api;
mod codec;
mod compile;
mod error;
mod ir;
mod store;

pub use api::{
    Assign, Assignment, Assignments, Collection, Compiled, Database, Deferred, DocId, Document,
    ExplainedPlan, Explanation, Expr, Group, Grouped, IndexBuilder, IndexDescription, IndexReport, Indexes,
    IntoPlan, Item, Live, Mode, NestedOption, Nullable, Num, On, Operand, OperandList, Options, OrderKey,
    OrderKeys, Ordered, Param, ParamSet, ParamType, Plan, Predicate, Query, Root, Row, RowCount, RowIter,
    Scalar, Snapshot, Symbol, SymbolicParams, Target, Term, Text, Tx, Value, lit, set_struct,
};
pub use codec::CodecError;
pub use compile::{CompileError, NarrowGap, Obstacle, Reading};
pub use error::{Error, ErrorKind, QueryError, Result};
pub use ir::path::{FieldPath, Segment};
pub use store::{Durability, SqliteError, StoreError};
pub use vellum_derive::{Document, Embed, Params};

/// What most programs use.
pub mod prelude {
    pub use crate::{
        Collection, Compiled, Database, Document, Embed, Expr, Param, Params, Query, Tx, lit, x,
    };
}

/// What generated code reaches; no part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::api::private as v1;
}

/// Lets a closure use `==`, `<`, `&&`, `||`, `!` and the like: `filter(x!(|e| e.id <= 20 && e.system == "core"))`.
#[macro_export]
macro_rules! x {
    ($($tokens:tt)*) => {
        $crate::__private::v1::operators!($crate; $($tokens)*)
    };
}
