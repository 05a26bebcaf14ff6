//! `pgnfs serve`, asked over HTTP.

mod api;
mod board;
mod client;
mod conditions;
mod connections;
mod documented;
mod exchanges;
mod explorer;
mod files;
mod guard;
mod kept;
mod limits;
mod searches;
mod waiting;
mod webdav;
