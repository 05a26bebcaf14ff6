//! The requests of a kernel, and another front end.

mod fuse;
mod server;
