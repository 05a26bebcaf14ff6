//! What stands where: names, inode numbers and views, made from keys and texts alone.

mod inode;

pub use inode::Inode;
