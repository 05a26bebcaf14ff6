//! Finding databases in folders.

mod errors;
mod exchanged;
mod links;
mod reopen;
mod scan;
mod selection;
mod source;
