//! The rules of behaviour, one test a rule or a part of one.

mod logic;
mod numbers;
mod order;
mod text;
mod update;

use super::sample::COLLECTION;
use super::sample::tree::{End, Sketch, Step, Tree};
use super::{Answer, Collection, Column, Document, EvalError, Input, Json, Outcome, Promise, run};
use crate::ir::doc::{Fold, Terminal};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A collection whose documents have the ids from 1.
struct Things(Collection);

impl Things {
    fn new(documents: &[&str]) -> Result<Things> {
        let document =
            |(i, text): (usize, &&str)| Ok(Document { id: i as i64 + 1, body: Json::parse(text)? });
        let documents = documents.iter().enumerate().map(document).collect::<Result<_>>()?;
        Ok(Things(Collection { name: COLLECTION.to_owned(), documents }))
    }

    fn answer(&self, stages: Vec<Step>, end: End) -> std::result::Result<Answer, EvalError> {
        let built = Sketch { stages, end }.build();
        let input = Input {
            collections: std::slice::from_ref(&self.0),
            params: &built.params,
            constants: &built.constants,
        };
        run(&built.statement, &input)
    }

    fn rows(&self, stages: Vec<Step>) -> std::result::Result<Vec<Vec<Column>>, EvalError> {
        match self.answer(stages, End::Plain(Terminal::Rows))?.outcome {
            Outcome::Rows(rows) => Ok(rows),
            other => panic!("{other:?} is not rows"),
        }
    }

    /// The ids of the rows, which are documents.
    fn ids(&self, stages: Vec<Step>) -> std::result::Result<Vec<i64>, EvalError> {
        let id = |row: Vec<Column>| match row.first() {
            Some(Column::Value(Json::Int(id))) => *id,
            other => panic!("{other:?} is not an id"),
        };
        Ok(self.rows(stages)?.into_iter().map(id).collect())
    }

    /// The ids of the documents for which a condition holds.
    fn matching(&self, condition: Tree) -> std::result::Result<Vec<i64>, EvalError> {
        self.ids(vec![Step::Filter(condition)])
    }

    /// The only column of each row of a projection.
    fn selected(&self, of: Tree) -> std::result::Result<Vec<Column>, EvalError> {
        let rows = self.rows(vec![Step::Select(of)])?;
        Ok(rows.into_iter().flatten().collect())
    }

    fn fold(&self, fold: Fold, of: Tree) -> std::result::Result<Json, EvalError> {
        match self.answer(Vec::new(), End::Fold(fold, of))?.outcome {
            Outcome::Value(value) => Ok(value),
            other => panic!("{other:?} is not a value"),
        }
    }

    fn promise(&self, stages: Vec<Step>) -> std::result::Result<Promise, EvalError> {
        Ok(self.answer(stages, End::Plain(Terminal::Rows))?.promise)
    }
}

fn int(x: i64) -> Column {
    Column::Value(Json::Int(x))
}

fn real(x: f64) -> Column {
    Column::Value(Json::Real(x))
}

fn text(x: &str) -> Column {
    Column::Value(Json::Text(x.to_owned()))
}

const NULL: Column = Column::Value(Json::Null);
