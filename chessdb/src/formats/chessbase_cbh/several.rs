//! Archives, which may contain several databases (section 12.3).

use super::ChessBaseCbh;
use super::archive::{self, Unpacked};
use crate::formats::several::Several;
use crate::formats::{Database, Files, NotADatabase, Opened, Options, Part};

/// Opens a database, or an archive.
pub(super) fn open(files: Files, options: &Options) -> Opened {
    let Some(databases) = archive::unpack(&files, &options.passwords)? else {
        return Ok(Box::new(ChessBaseCbh::open(files, options)?));
    };
    let (mut parts, mut refused) = (Vec::new(), Vec::new());
    for database in databases {
        let name = name_of(&database.name).to_owned();
        match open_unpacked(database, &files, options) {
            Ok(database) => parts.push((name, database)),
            Err(NotADatabase(reason)) => refused.push((name, reason)),
        }
    }
    for (_, database) in &mut parts {
        let refused = refused.iter();
        let warnings = refused.map(|(name, reason)| format!("{name} is left out: {reason}"));
        database.info.warnings.extend(warnings);
    }
    if parts.len() > 1 {
        let part = |(name, database)| Part {
            name,
            database: Box::new(database) as Box<dyn Database>,
        };
        return Ok(Box::new(Several::new(parts.into_iter().map(part))));
    }
    match parts.pop() {
        Some((_, database)) => Ok(Box::new(database)),
        None => {
            let reasons = refused.into_iter().map(|(_, reason)| reason);
            Err(NotADatabase(reasons.collect::<Vec<_>>().join("; ")))
        }
    }
}

/// Opens a database from an archive; `archive` are the files of the archive.
fn open_unpacked(
    database: Unpacked,
    archive: &Files,
    options: &Options,
) -> Result<ChessBaseCbh, NotADatabase> {
    let row = ("archive", database.describe());
    let mut files = database.files;
    files.warnings.extend_from_slice(&archive.warnings);
    let mut database = ChessBaseCbh::open(files, options)?;
    database.info.rows.insert(0, row);
    let mut problems = archive.holes();
    problems.append(&mut database.problems);
    database.problems = problems;
    Ok(database)
}

/// The last part of a name in an archive, which may have folders before it.
fn name_of(name: &str) -> &str {
    name.rsplit('\\').next().unwrap_or(name)
}
