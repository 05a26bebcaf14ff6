//! Requests and replies as bytes. The tests act as the kernel, so they need no `/dev/fuse`.

mod ahead;
#[path = "../fs/fake.rs"]
#[allow(dead_code)]
mod fake;
mod kernel;
mod links;
mod listing;
mod remote;
mod requests;
#[path = "../fs/steps.rs"]
mod steps;
#[path = "../fs/stuck.rs"]
#[allow(dead_code)]
mod stuck;
