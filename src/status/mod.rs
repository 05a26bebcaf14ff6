//! The status of a running mount, which clients get through its socket.
//!
//! Every mount has a socket in a folder that belongs to its user alone. Who connects gets one line of JSON and is
//! asked for nothing.

mod client;
mod place;
mod report;
mod server;

pub use client::ask;
pub use report::Mounted;
pub use server::{Socket, serve};
