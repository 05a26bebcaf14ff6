//! The real program: its commands, messages and exit codes, and its mounts.

#[path = "../common/mod.rs"]
mod common;

mod changes;
mod clocks;
mod commands;
mod ending;
mod environment;
mod events;
mod hang;
mod hostile;
mod kept_views;
mod life;
mod limits;
mod listing;
mod memory;
mod mount8;
mod opening;
mod options;
mod output;
mod pgn;
mod refusals;
mod requests;
mod scratch;
mod simplecdb;
mod sizes;
mod storage;
mod telling;
mod tracing;
mod user;
mod views;
