//! Finding databases in folders.

mod errors;
mod links;
mod reopen;
mod scan;
mod selection;
mod source;
