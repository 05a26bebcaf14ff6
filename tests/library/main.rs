//! Finding databases in folders.

mod errors;
mod links;
mod scan;
mod selection;
mod source;
