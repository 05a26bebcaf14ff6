//! Real mounts, used by the kernel and by common tools.

mod mount;
mod semantics;
