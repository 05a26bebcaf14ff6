//! Archives, which may contain several databases (section 12.3).

use super::ChessBaseCbh;
use super::archive::{self, Unpacked};
use crate::formats::several::Several;
use crate::formats::{Database, Files, NotADatabase, Opened, Options, Part, Problem};

/// Opens a database, or an archive.
pub(super) fn open(files: Files, options: &Options) -> Opened {
    let Some(contents) = archive::unpack(&files, &options.passwords)? else {
        return Ok(Box::new(ChessBaseCbh::open(files, options)?));
    };
    let (mut parts, mut refused) = (Vec::new(), Vec::new());
    for database in contents.databases {
        let name = name_of(&database.name).to_owned();
        match open_unpacked(database, &files.warnings, options) {
            Ok(database) => parts.push((name, database)),
            Err(NotADatabase(reason)) => refused.push((name, reason)),
        }
    }
    let Some((_, first)) = parts.first_mut() else {
        let reasons = refused.into_iter().map(|(_, reason)| reason);
        return Err(NotADatabase(reasons.collect::<Vec<_>>().join("; ")));
    };
    // What belongs to no database is said once, because there may be thousands.
    let mut problems = files.holes();
    problems.extend(contents.problems);
    problems.extend(refused.into_iter().map(|(name, reason)| {
        let archive = files.files.first().map_or("", |(_, archive)| &archive.name);
        Problem::damage(archive, None, format!("{name} is left out: {reason}"))
    }));
    first.add_problems(problems);
    match parts.len() {
        1 => Ok(Box::new(parts.remove(0).1)),
        _ => {
            let part = |(name, database)| Part {
                name,
                database: Box::new(database) as Box<dyn Database>,
            };
            Ok(Box::new(Several::new(parts.into_iter().map(part))))
        }
    }
}

/// Opens a database from an archive, about whose names there are these warnings.
fn open_unpacked(
    database: Unpacked,
    warnings: &[String],
    options: &Options,
) -> Result<ChessBaseCbh, NotADatabase> {
    let row = ("archive", database.describe());
    let (mut files, problems) = (database.files, database.problems);
    files.warnings.extend_from_slice(warnings);
    let opened = ChessBaseCbh::open(files, options);
    let mut database = opened.map_err(|NotADatabase(reason)| {
        // What is wrong with the archive explains the rest.
        NotADatabase(match problems.as_slice() {
            [] => reason,
            [first] => first.to_string(),
            [first, more @ ..] => format!("{first}; {} more of its files are damaged or cut", more.len()),
        })
    })?;
    database.info.rows.insert(0, row);
    database.add_problems(problems);
    Ok(database)
}

/// The last part of a name in an archive, which may have folders before it.
fn name_of(name: &str) -> &str {
    name.rsplit('\\').next().unwrap_or(name)
}
