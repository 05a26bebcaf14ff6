//! SimpleCDb: `.dci .dcg .dcn .dcs .dce`.

use super::{Database, Files, Format, NotADatabase, Options, by_stem};

/// The format's row.
pub const FORMAT: Format = Format {
    name: "simplecdb",
    title: "SimpleCDb",
    find: |directory| by_stem(directory, &["dci", "dcg"], &["dcn", "dcs", "dce"]),
    open,
};

fn open(_files: Files, _options: &Options) -> Result<Box<dyn Database>, NotADatabase> {
    Err(NotADatabase("not yet read".to_owned()))
}
