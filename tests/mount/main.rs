//! The real program: its commands, messages and exit codes, and its mounts from beginning to end.

#[path = "../common/mod.rs"]
mod common;

mod changes;
mod commands;
mod ending;
mod hang;
mod hostile;
mod life;
mod limits;
mod mount8;
mod opening;
mod options;
mod refusals;
mod requests;
mod scratch;
mod simplecdb;
mod sizes;
mod telling;
mod user;
mod views;
