//! Libraries of databases: how they are found, opened, followed and searched.

mod library;
mod positions;
