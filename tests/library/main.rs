//! Libraries of databases: how they are found, opened, followed and searched.

mod groups;
mod library;
mod positions;
mod query;
