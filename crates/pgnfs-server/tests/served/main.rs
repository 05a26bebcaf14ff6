//! The file system without a kernel.

mod flip;
mod fs;
