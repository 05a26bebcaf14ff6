//! The file system without a kernel, the requests of a kernel, and another front end.

mod flip;
mod fs;
mod fuse;
mod server;
