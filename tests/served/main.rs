//! The file system without a kernel, and the requests of a kernel.

mod fs;
mod fuse;
