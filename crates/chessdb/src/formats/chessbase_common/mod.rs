//! Code shared by the databases of ChessBase since 1997 (`.cbh`) and since version 17 (`.2cbh`).
//!
//! The two formats store the same information in different bytes. Each format decodes its own bytes; the meaning of the
//! values, and their form in PGN, are here.

mod annotations;
pub(super) mod archive;
pub(super) mod base;
mod characters;
pub(super) mod companions;
mod doubts;
pub(super) mod items;
pub(super) mod nations;
mod numbering;
mod quotation;
pub(super) mod records;
pub(super) mod setup;
pub(super) mod tags;
mod texts;
pub(super) mod values;

pub(super) use annotations::{Annotations, set_tags};
pub(super) use base::{Base, Based, GuidingText};
pub(super) use characters::Characters;
pub(super) use doubts::Doubts;
pub(super) use numbering::{Kind, Numbering};
pub(super) use quotation::Quotation;
pub(super) use records::file_name;
pub(super) use texts::Texts;
