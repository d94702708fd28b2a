//! What the runner of the comparison and its engines say to each other: `compare/PROTOCOL.md` as Rust types.
//!
//! An engine in Rust implements [`Engine`], and [`Workload`] for each database that it opens, and calls [`serve`];
//! [`Clock`] takes its times.

mod clock;
mod digest;
pub mod ev;
pub mod fs;
pub mod js;
mod reply;
mod request;
mod serve;
pub mod tm;
pub mod tq;

pub use clock::{Clock, Timed, Times, unix_now, wait_until};
pub use digest::Digest;
pub use reply::{Created, Failure, Hello, Opened, Ran, Reply, Result};
pub use request::{Open, Request, Run};
pub use serve::{Engine, Workload, serve};

/// The version of the protocol.
pub const VERSION: u32 = 1;
