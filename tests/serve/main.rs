//! `pgnfs serve`, asked over HTTP.

mod api;
mod board;
mod client;
mod connections;
mod documented;
mod exchanges;
mod explorer;
mod files;
mod guard;
mod limits;
mod waiting;
mod webdav;
