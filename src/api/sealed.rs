//! What closes the traits of the query language to other crates, which may name them and not implement them.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

use crate::api::expr::{Expr, Nullable};
use crate::api::json::Json;
use crate::api::order::OrderKey;
use crate::api::param::Param;
use crate::api::plan::Plan;
use crate::api::query::Query;
use crate::api::tuples::each_tuple;
use crate::api::value::Scalar;
use crate::api::write::Assignment;

/// Implemented here for what is ours, the standard library's or serde_json's, and by the derive for a user's enums and
/// newtypes. The module has no public path but the derive's own, so no other crate implements by hand a trait that asks for this.
pub trait Sealed {}

macro_rules! sealed {
    ($([$($generics:tt)*] $rust:ty;)*) => { $( impl<$($generics)*> Sealed for $rust {} )* };
}

sealed! {
    [T] Expr<T>;
    [T] Param<T>;
    [] OrderKey;
    [] Assignment;
    [O] Plan<O>;
    [T, M] Query<T, M>;
    [T] Option<T>;
    [T] Vec<T>;
    [T, const N: usize] [T; N];
    [T] &[T];
    [T] &Vec<T>;
    [T, const N: usize] &[T; N];
    [] bool;
    [] String;
    [] &str;
    [] i8;
    [] i16;
    [] i32;
    [] i64;
    [] u8;
    [] u16;
    [] u32;
    [] u64;
    [] f32;
    [] f64;
    [T: Scalar] &T;
    [T] HashSet<T>;
    [K, V] HashMap<K, V>;
    [K, V] BTreeMap<K, V>;
    [] Json;
    [F] Nullable<F>;
    [] Value;
    [] &Value;
    [] Map<String, Value>;
}

macro_rules! sealed_tuple {
    ($($T:ident $i:tt),+) => { sealed! { [$($T),+] ($($T,)+); } };
}

each_tuple!(1..=8, sealed_tuple);
