//! Why a server did not do what it was asked.

use mongodb::error::{CommandError, Error, ErrorKind};
use vellum_compare_protocol::Failure;

/// Codes of commands, operators and parts of commands that a server does not have: CommandNotFound, NotImplemented,
/// CommandNotSupported, and the codes of unknown stages and expressions.
const LACKING: [i32; 5] = [59, 238, 115, 40_324, 168];

/// An error of the driver, or what this program says itself.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Of the driver or the server.
    Driver(Error),
    /// Of this program.
    Own(Failure),
}

/// What an operation returns.
pub(crate) type Asked<T> = std::result::Result<T, Trouble>;

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Driver(error)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Own(failure)
    }
}

impl Trouble {
    /// Returns what the runner is told: a server that lacks something does not fail.
    pub(crate) fn into_failure(self) -> Failure {
        let error = match self {
            Self::Own(failure) => return failure,
            Self::Driver(error) => error,
        };
        match error.kind.as_ref() {
            ErrorKind::Command(refused) if is_lacking(refused) => {
                Failure::Unsupported(format!("the server says: {}", refused.message))
            }
            kind => Failure::from(kind),
        }
    }
}

fn is_lacking(refused: &CommandError) -> bool {
    LACKING.contains(&refused.code) || refused.message.contains("unknown field \"startTransaction\"")
}
