//! Binding a plan: arguments and constants into a statement, in the form that each place needs.

use crate::api::map::comparable_key;
use crate::api::param::{Argument, Arguments};
use crate::codec;
use crate::compile::{CompileError, Depth, OperandError, Plan, Text};
use crate::error::{Error, Result};
use crate::ir::path::FieldPath;
use crate::ir::sql::{BindForm, BindSource};
use crate::ir::text::prefix_end;
use crate::ir::value::Value;
use crate::store;

/// The values of one call.
pub(crate) struct Values<'v, 'a> {
    pub(crate) constants: &'v [Value],
    pub(crate) arguments: &'v Arguments<'a>,
}

impl Values<'_, '_> {
    /// Returns the text of a plan that suits these values.
    pub(crate) fn text<'p>(&self, plan: &'p Plan) -> &'p Text {
        match &plan.deep {
            Some(deep) if self.rows(&deep.counts) >= Depth::DEEP => &deep.text,
            _ => &plan.text,
        }
    }

    /// Returns how many rows are skipped and taken together.
    fn rows(&self, counts: &[BindSource]) -> i64 {
        let rows = counts.iter().map(|source| match source {
            BindSource::Slot(slot) => match self.arguments.get(*slot) {
                Some(Argument::Int(rows)) => *rows,
                _ => i64::MAX,
            },
            BindSource::Constant(index) => match self.constants.get(*index as usize) {
                Some(Value::Int(rows)) => *rows,
                _ => i64::MAX,
            },
            BindSource::Text(_) => 0,
        });
        rows.fold(0, i64::saturating_add)
    }

    /// Binds all that a text names.
    pub(crate) fn bind(&self, text: &Text, statement: &mut store::Stmt<'_>) -> Result<()> {
        for (place, bind) in text.binds.iter().enumerate() {
            let mut into = Into { statement, place: place + 1 };
            match &bind.source {
                BindSource::Text(text) => into.raw(store::Bind::Text(text))?,
                BindSource::Constant(index) => {
                    let value = self.constants.get(*index as usize).unwrap_or(&Value::Null);
                    into.value(value, bind.form)?;
                }
                BindSource::Slot(slot) => match self.arguments.get(*slot) {
                    Some(argument) => into.argument(argument, bind.form, *slot)?,
                    None => return Err(CompileError::ForeignParameter.into()),
                },
            }
        }
        Ok(())
    }
}

/// One place of a statement.
struct Into<'r, 's> {
    statement: &'r mut store::Stmt<'s>,
    place: usize,
}

impl Into<'_, '_> {
    fn raw(&mut self, bind: store::Bind<'_>) -> Result<()> {
        Ok(self.statement.bind(self.place, bind)?)
    }

    fn text(&mut self, text: &str, form: BindForm) -> Result<()> {
        match form {
            BindForm::PrefixEnd => match prefix_end(text) {
                Some(end) => self.raw(store::Bind::Text(&end)),
                // Above every text.
                None => self.raw(store::Bind::Blob(&[])),
            },
            BindForm::Key => {
                comparable_key(text)?;
                self.raw(store::Bind::Text(&FieldPath::key_step(text)))
            }
            _ => self.raw(store::Bind::Text(text)),
        }
    }

    /// Binds an argument without a copy where its form allows.
    fn argument(&mut self, argument: &Argument<'_>, form: BindForm, slot: u16) -> Result<()> {
        match (argument, form) {
            (Argument::Wide(_), BindForm::Count) => self.raw(store::Bind::Int(i64::MAX)),
            (Argument::Int(x), BindForm::Plain | BindForm::Count) => self.raw(store::Bind::Int(*x)),
            (Argument::Text(text), BindForm::Plain | BindForm::PrefixEnd | BindForm::Key) => {
                self.text(text, form)
            }
            (Argument::Owned(text), BindForm::Plain | BindForm::PrefixEnd | BindForm::Key) => {
                self.text(text, form)
            }
            (Argument::List(items), BindForm::NoneOf) => self.none_of(items.contains(&Argument::Null)),
            (argument, form) => {
                let refused = |error: OperandError| error.of(format!("argument {}", slot + 1));
                self.value(&argument.to_value().map_err(refused)?, form)
            }
        }
    }

    fn value(&mut self, value: &Value, form: BindForm) -> Result<()> {
        match (form, value) {
            (BindForm::List, Value::List(items)) => self.json(|out| codec::encode_list(items, out)),
            (BindForm::NoneOf, Value::List(items)) => self.none_of(items.contains(&Value::Null)),
            (BindForm::Json, value) => self.json(|out| codec::encode_element(value, out)),
            (_, Value::Null) => self.raw(store::Bind::Null),
            (_, Value::Bool(x)) => self.raw(store::Bind::Int(i64::from(*x))),
            (_, Value::Int(x)) => self.raw(store::Bind::Int(*x)),
            (_, Value::Real(x)) => self.raw(store::Bind::Real(*x)),
            (form, Value::Text(text)) => self.text(text, form),
            (_, Value::Json(bytes)) => self.raw(store::Bind::Blob(bytes)),
            (_, Value::List(items)) => self.json(|out| codec::encode_list(items, out)),
        }
    }

    fn none_of(&mut self, has_none: bool) -> Result<()> {
        self.raw(if has_none { store::Bind::Null } else { store::Bind::Blob(&[]) })
    }

    fn json(&mut self, encode: impl FnOnce(&mut Vec<u8>) -> Result<(), codec::CodecError>) -> Result<()> {
        let mut bytes = Vec::new();
        encode(&mut bytes).map_err(|source| Error::Codec {
            collection: "an operand".to_owned(),
            id: None,
            source,
        })?;
        self.raw(store::Bind::Blob(&bytes))
    }
}
