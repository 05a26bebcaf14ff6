//! `pgnfs serve`, asked over HTTP.

mod api;
mod client;
mod connections;
mod documented;
mod explorer;
mod files;
mod guard;
mod limits;
mod waiting;
mod webdav;
