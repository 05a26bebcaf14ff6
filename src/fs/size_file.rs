//! The sizes and problems of a database's games in a file, from one mount to the next.
//!
//! All integers are little-endian.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `pgnfs sz` |
//! | 8 | 4 | version of this layout |
//! | 12 | 4 | *k*, bytes of the key |
//! | 16 | 4 | *g*, number of games |
//! | 20 | 4 | *l*, number of long games |
//! | 24 | *k* | the key |
//! | 24 + *k* | 2 *g* | size of each game; 0: unknown; 65535: it is among the long ones |
//! | | 4 *l* | sizes of the long games, in the order of games |
//! | | | for each game with problems, in their order: its number from 0 (4), the bytes of its rows (4), its rows, with line feeds between them; a row is the name of the file, a tab, and the rest of the line of `problems.txt` |
//! | the last 8 | 8 | XXH3-64 of all before |
//!
//! The key is [everything that the texts follow from](LibraryEntry::kept_key), so a file is right or it is not this
//! database's. The name of a size file is a hash of what stays when a database changes, so that its next size file takes
//! the place of this one.

use std::io;
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::sizes::Sizes;
use chessdb::bytes::{le_u32, slice};
use chessdb_library::library::LibraryEntry;
use chessdb_library::store::{Store, program_hash};

const MAGIC: &[u8; 8] = b"pgnfs sz";
const VERSION: u32 = 3;
const HEADER: usize = 24;

/// What stands for the size of a game that has its own among the long ones.
const LONG: u16 = u16::MAX;

/// The folder of size files, for databases that are read with one set of options.
#[derive(Clone, Debug)]
pub struct SizeFiles {
    store: Store,
    options: Arc<str>,
}

impl SizeFiles {
    /// Size files in a folder, which is made where it does not exist. `options` is whatever the user said that
    /// changes a text.
    ///
    /// # Errors
    /// Where the folder can neither be found nor made.
    pub fn open(folder: &Path, options: &str) -> io::Result<SizeFiles> {
        Ok(SizeFiles {
            store: Store::open(folder, "sizes")?,
            options: options.into(),
        })
    }

    /// The size file of a database.
    pub(super) fn of(&self, entry: &LibraryEntry) -> SizeFile {
        SizeFile {
            files: self.clone(),
            number: entry.kept_number(&self.options, ""),
        }
    }
}

/// The size file of one database, there or not.
pub(super) struct SizeFile {
    files: SizeFiles,
    number: u128,
}

impl SizeFile {
    /// Fills a table with what the file says, and gives the number of sizes that it has. Whatever is wrong with it,
    /// nothing is believed then.
    pub(super) fn load(&self, entry: &LibraryEntry, sizes: &Sizes) -> u32 {
        let loaded = self.try_load(entry, sizes);
        let (name, path) = (entry.name(), self.files.store.path(self.number));
        match &loaded {
            Ok(loaded) => log::debug!("{name}: {loaded} sizes from {}", path.display()),
            Err(why) => log::debug!("{name}: {}: not used: {why}", path.display()),
        }
        loaded.unwrap_or(0)
    }

    fn try_load(&self, entry: &LibraryEntry, sizes: &Sizes) -> Result<u32, String> {
        let bytes = self.files.store.read(self.number, most_bytes(sizes.games()));
        let bytes = bytes.map_err(|error| error.to_string())?;
        let key = self.key(entry).ok_or("the program cannot be read")?;
        let table = Table::read(&bytes, &key, sizes.games())?;
        if !sizes.fill(table.sizes(), &table.rows) {
            return Err("a game has another size".to_owned());
        }
        Ok(table.sizes().filter(|&size| size != 0).count() as u32)
    }

    /// Writes what a table knows. Where that fails, the next mount has to decode again, and that is all.
    pub(super) fn save(&self, entry: &LibraryEntry, sizes: &Sizes) {
        let Some(key) = self.key(entry) else { return };
        let bytes = table_bytes(&key, sizes);
        let path = self.files.store.path(self.number);
        let (name, path) = (entry.name(), path.display());
        if bytes.len() as u64 > most_bytes(sizes.games()) {
            return log::info!("{name}: sizes are not kept: too many problems");
        }
        match self.files.store.replace(self.number, &bytes) {
            Ok(()) => log::debug!("{name}: {} sizes are kept in {path}", sizes.known()),
            Err(error) => log::info!("{name}: sizes are not kept in {path}: {error}"),
        }
    }

    /// Removes the file.
    pub(super) fn remove(&self) {
        self.files.store.remove(self.number);
    }

    fn key(&self, entry: &LibraryEntry) -> Option<Vec<u8>> {
        Some(entry.kept_key(program_hash()?, &self.files.options, ""))
    }
}

/// No size file is longer than this: 6 bytes of sizes a game and ample room for problems.
fn most_bytes(games: u32) -> u64 {
    (1 << 20) + 256 * u64::from(games)
}

/// The bytes of a size file.
fn table_bytes(key: &[u8], sizes: &Sizes) -> Vec<u8> {
    let games = sizes.games();
    let mut short = Vec::with_capacity(2 * games as usize);
    let mut long = Vec::new();
    for game in 0..games {
        let size = sizes.get(game).unwrap_or(0);
        let of_two_bytes = u16::try_from(size).ok().filter(|&size| size != LONG);
        if of_two_bytes.is_none() {
            long.extend(size.to_le_bytes());
        }
        short.extend(of_two_bytes.unwrap_or(LONG).to_le_bytes());
    }
    let numbers = [VERSION, key.len() as u32, games, (long.len() / 4) as u32];
    let mut bytes = Vec::with_capacity(HEADER + key.len() + short.len() + long.len());
    bytes.extend(MAGIC);
    bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
    bytes.extend([key, &short, &long].concat());
    sizes.each_row(|game, rows| {
        bytes.extend(game.to_le_bytes());
        bytes.extend((rows.len() as u32).to_le_bytes());
        bytes.extend(rows.as_bytes());
    });
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// The content of a size file that was found to be good.
struct Table<'a> {
    short: &'a [u8],
    long: &'a [u8],
    /// The games with problems, and their rows.
    rows: Vec<(u32, &'a str)>,
}

impl<'a> Table<'a> {
    /// Takes a size file apart.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read(bytes: &'a [u8], key: &[u8], games: u32) -> Result<Table<'a>, &'static str> {
        let (content, hash) = bytes.split_last_chunk().ok_or("too short")?;
        if xxh3_64(content) != u64::from_le_bytes(*hash) {
            return Err("damaged");
        }
        if !content.starts_with(MAGIC) || le_u32(content, 8) != Some(VERSION) {
            return Err("another layout");
        }
        let number = |offset| le_u32(content, offset).map(|number| number as usize);
        let parts = || {
            let [key_len, games, longs] = [number(12)?, number(16)?, number(20)?];
            let short_at = HEADER.checked_add(key_len)?;
            let long_at = short_at.checked_add(games.checked_mul(2)?)?;
            let long_len = longs.checked_mul(4)?;
            Some((
                slice(content, HEADER, key_len)?,
                slice(content, short_at, long_at - short_at)?,
                slice(content, long_at, long_len)?,
                content.get(long_at + long_len..)?,
            ))
        };
        let (own_key, short, long, rows) = parts().ok_or("shorter than it says")?;
        if own_key != key || short.len() != 2 * games as usize {
            return Err("of another database, or this one as it was, or of another version of pgnfs");
        }
        let longs = short_sizes(short).filter(|&size| size == LONG).count();
        if longs != long.len() / 4 {
            return Err("long games do not add up");
        }
        let rows = read_rows(rows, games).ok_or("problems cannot be read")?;
        Ok(Table { short, long, rows })
    }

    /// The size of each game, 0 where it is unknown.
    fn sizes(&self) -> impl Iterator<Item = u32> + Clone {
        let mut long = self.long.chunks_exact(4).filter_map(|bytes| le_u32(bytes, 0));
        short_sizes(self.short).map(move |size| match size {
            LONG => long.next().unwrap_or(0),
            size => u32::from(size),
        })
    }
}

fn short_sizes(short: &[u8]) -> impl Iterator<Item = u16> + Clone {
    let (sizes, _) = short.as_chunks();
    sizes.iter().map(|&size| u16::from_le_bytes(size))
}

/// The rows of problems; none where they are no such rows.
fn read_rows(mut rest: &[u8], games: u32) -> Option<Vec<(u32, &str)>> {
    let mut rows: Vec<(u32, &str)> = Vec::new();
    while !rest.is_empty() {
        let game = le_u32(rest, 0)?;
        let len = le_u32(rest, 4)? as usize;
        let text = std::str::from_utf8(slice(rest, 8, len)?).ok()?;
        let is_next = rows.last().is_none_or(|&(last, _)| last < game);
        if !is_next || game >= games {
            return None;
        }
        rows.push((game, text));
        rest = rest.get(8 + len..)?;
    }
    Some(rows)
}
