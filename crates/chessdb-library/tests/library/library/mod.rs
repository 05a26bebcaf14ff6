//! Finding databases in folders.

mod archive;
mod errors;
mod exchanged;
mod holes;
mod joined;
mod links;
mod opening;
mod reopen;
mod scan;
mod selection;
mod source;
