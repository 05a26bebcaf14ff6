//! The status of a running mount, which clients read from its socket.
//!
//! Every mount has a socket in a folder that only its user can access. A client that connects receives one
//! line of JSON and need not send anything.

mod client;
mod place;
mod report;
mod server;

pub use client::ask;
pub use report::Mounted;
#[cfg(feature = "serve")]
pub(crate) use report::{database, opening, summary};
pub use server::{Socket, serve};
