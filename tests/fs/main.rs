//! The file system as a user sees it, but without FUSE, over databases that the tests create.

#[path = "../common/mod.rs"]
mod common;

mod all;
mod all_positions;
mod attributes;
mod cache;
mod cancel;
mod counting;
mod damage;
mod documents;
mod duplicates;
mod fake;
mod folders;
mod hostile;
mod inodes;
mod kept_views;
mod live;
mod merged;
mod mounted;
mod moves;
mod names;
mod overview;
mod own_views;
mod positions;
mod remote;
mod samples;
mod sections;
mod sizes;
mod source;
mod spelling;
mod steps;
#[allow(dead_code)]
mod stuck;
mod tables;
mod unique_positions;
mod views;
mod walk;
