//! Libraries of databases: how they are found, opened, followed and searched.

mod deleted;
mod duplicates;
mod explorer;
mod groups;
mod guarded;
mod library;
mod lines;
mod player;
mod polyglot;
mod positions;
mod query;
mod repertoire;
mod repertoires_slow;
mod table;
mod table_values;
