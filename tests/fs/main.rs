//! The file system without FUSE, over databases that the tests make up: what a user would see.

#[path = "../common/mod.rs"]
mod common;

mod attributes;
mod cache;
mod damage;
mod documents;
mod fake;
mod folders;
mod hostile;
mod inodes;
mod live;
mod merged;
mod mounted;
mod names;
mod own_views;
mod remote;
mod samples;
mod sections;
mod sizes;
mod source;
mod steps;
#[allow(dead_code)]
mod stuck;
mod tables;
mod views;
mod walk;
