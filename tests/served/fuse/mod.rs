//! Requests and replies as bytes. The tests act as the kernel, so they need no `/dev/fuse`.

mod ahead;
mod borders;
mod dropped;
mod ending;
mod kernel;
mod links;
mod remote;
mod requests;
mod walk;
