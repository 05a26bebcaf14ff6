//! Finding databases in folders.

mod errors;
mod links;
mod scan;
mod source;
