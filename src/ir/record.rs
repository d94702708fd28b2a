//! Structs that a row holds in columns of their own, and not as JSON in one.

use std::borrow::Cow;

/// The members of a struct, in the order of their columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// Each member's name, and what it is.
    pub(crate) members: Vec<(Cow<'static, str>, Member)>,
}

/// What a member of a struct is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Member {
    /// A column.
    Value,
    /// A column that holds a bool as 1 or 0.
    Bool,
    /// Such a struct too.
    Record(Record),
}

impl Record {
    /// Returns how many columns the struct takes.
    pub(crate) fn width(&self) -> usize {
        self.members.iter().map(|(_, member)| member.width()).sum()
    }
}

impl Member {
    /// Returns how many columns the member takes.
    pub(crate) fn width(&self) -> usize {
        match self {
            Member::Value | Member::Bool => 1,
            Member::Record(record) => record.width(),
        }
    }
}
