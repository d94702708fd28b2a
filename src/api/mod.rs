//! The typed shell: the one generic layer.
//!
//! Closures run once, on symbols, and leave an untyped tree behind; everything below this folder is without type
//! parameters. Nothing here writes SQL.

mod arena;
mod bind;
mod bytes;
mod catalog;
mod collection;
mod columns;
mod compiled;
mod database;
mod document;
mod explain;
mod expr;
mod files;
mod index;
mod item;
mod iter;
mod json;
mod json_operand;
mod list;
mod map;
mod mode;
mod newtype;
mod ops;
mod option_list;
mod order;
mod param;
mod param_field;
mod place;
mod plan;
pub mod private;
mod query;
mod row_count;
mod rows;
mod sealed;
mod select;
mod session;
mod snapshot;
mod subquery;
#[cfg(test)]
mod tests;
mod tuples;
mod tx;
#[cfg(feature = "uuid")]
mod uuid;
mod value;
mod variant;
mod write;

pub use bytes::Bytes;
pub use collection::Collection;
pub use compiled::{Compiled, On, Target};
pub use database::{Database, Options};
pub use document::{DocId, Document, Indexes, KeyOf};
pub use explain::{ExplainedPlan, Explanation};
pub use expr::{
    Expr, Nullable, Operand, OperandList, OptionOperand, Predicate, Term, all_of, any_of, lit, when,
};
pub use files::{
    DirEntry, File, FileEntry, FileKind, FileMut, FileOrder, FileProblem, FileStat, Files, Listing,
    SkipReason, Skipped, Transfer, TransferProgress, TransferReport, TreeUsage,
};
pub use index::{IndexBuilder, IndexDescription, IndexKeys, IndexProgress, IndexReport};
pub use item::Item;
pub use iter::RowIter;
pub use json::Json;
pub use json_operand::JsonOperand;
pub use list::{Contents, Counted, List};
pub use map::{Map, MapKey};
pub use mode::{Deferred, Live, Mode};
pub use newtype::Newtype;
pub use ops::{Num, Text};
pub use option_list::OptionList;
pub use order::{OrderKey, OrderKeys};
pub use param::{Optional, Param, ParamSet, ParamType, SymbolicParams};
pub use place::Place;
pub use plan::{IntoPlan, Plan};
pub use query::{Query, Root};
pub use row_count::RowCount;
pub use select::{Group, Grouped};
pub use snapshot::Snapshot;
pub use subquery::{from, from_named};
pub use tx::Tx;
pub use value::{NestedOption, Ordered, Row, Scalar, Symbol, Value};
pub use variant::Variant;
pub use write::{Assign, Assignment, Assignments, StructFields};
