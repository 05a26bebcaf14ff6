//! The sizes and problems of a database's games in a [kept file](chessdb_library::kept), from one mount to the next.
//!
//! | section | what |
//! |---|---|
//! | short | size of each game in 2 bytes; 0: unknown; 65535: it is among the long ones |
//! | long | sizes of the long games, in the order of games: 4 bytes |
//! | rows | for each game with problems, in their order: its number from 0 (4), the bytes of its rows (4), its rows, with line feeds between them; a row is the name of the file, a tab, and the rest of the line of `problems.txt` |
//! The first number in the header is the number of games.

use std::io;

use super::sizes::Sizes;
use chessdb::bytes::{le_u32, slice};
use chessdb_library::kept::{KeptFile, KeptFiles, KeptKind, Numbers, SectionId, Sections};
use chessdb_library::library::LibraryEntry;

/// Stored in place of a size that does not fit into 16 bits; that size is in the list of long ones.
const LONG: u16 = u16::MAX;

#[derive(Clone, Copy, Debug)]
enum SizeSection {
    Short,
    Long,
    Rows,
}

impl SectionId for SizeSection {
    fn place(self) -> usize {
        self as usize
    }

    fn are_valid(numbers: &Numbers) -> bool {
        numbers.sections[SizeSection::Short.place()].1 == 2 * u64::from(numbers.own[0])
    }
}

/// The size file of a database, which need not exist.
pub(super) struct SizeFile(KeptFile);

impl SizeFile {
    /// The size file of a database.
    pub(super) fn of(files: &KeptFiles, entry: &LibraryEntry) -> SizeFile {
        SizeFile(files.file(KeptKind::Sizes, "", &[entry.origin()]))
    }

    /// Fills a table with the contents of the file, and returns the number of sizes in it. If anything in the file is
    /// wrong, the whole file is ignored.
    pub(super) fn load(&self, sizes: &Sizes) -> u32 {
        let Some(sections) = self.0.read(most_bytes(sizes.games())) else {
            return 0;
        };
        fill(sizes, &sections).unwrap_or_else(|why| {
            log::debug!("{}: not used: {why}", self.0.path().display());
            0
        })
    }

    /// Writes the known sizes. If that fails, the next mount has to decode again.
    pub(super) fn save(&self, entry: &LibraryEntry, sizes: &Sizes) {
        let sections = sections(sizes);
        let name = entry.name();
        if sections.bytes() as u64 > most_bytes(sizes.games()) {
            return log::info!("{name}: sizes are not kept: too many problems");
        }
        let saved = self
            .0
            .write(|file, key| -> io::Result<()> { sections.write(file, key) });
        if let Err(error) = saved {
            log::info!(
                "{name}: cannot keep sizes in {}: {error}",
                self.0.path().display()
            );
        }
    }

    /// Removes the file.
    pub(super) fn remove(&self) {
        self.0.remove();
    }
}

/// No size file is longer than this: 6 bytes of sizes a game and ample room for problems.
fn most_bytes(games: u32) -> u64 {
    (2 << 20) + 256 * u64::from(games)
}

/// The sections that contain everything known.
fn sections(sizes: &Sizes) -> Sections<SizeSection> {
    let games = sizes.games();
    let mut short = Vec::with_capacity(2 * games as usize);
    let (mut long, mut rows) = (Vec::new(), Vec::new());
    for game in 0..games {
        let size = sizes.get(game).unwrap_or(0);
        let of_two_bytes = u16::try_from(size).ok().filter(|&size| size != LONG);
        if of_two_bytes.is_none() {
            long.extend(size.to_le_bytes());
        }
        short.extend(of_two_bytes.unwrap_or(LONG).to_le_bytes());
    }
    sizes.each_row(|game, of_game| {
        rows.extend(game.to_le_bytes());
        rows.extend((of_game.len() as u32).to_le_bytes());
        rows.extend(of_game.as_bytes());
    });
    let mut numbers = Numbers::default();
    numbers.own[0] = games;
    let mut sections = Sections::in_memory(Vec::new(), numbers);
    sections.append(SizeSection::Short, short);
    sections.append(SizeSection::Long, long);
    sections.append(SizeSection::Rows, rows);
    sections
}

/// Fills a table, and returns the number of sizes.
///
/// # Errors
/// If the sections are invalid.
fn fill(sizes: &Sizes, sections: &Sections<SizeSection>) -> Result<u32, String> {
    let section = |section| sections.all(section).map_err(|error| error.to_string());
    let [short, long, rows] = [
        section(SizeSection::Short)?,
        section(SizeSection::Long)?,
        section(SizeSection::Rows)?,
    ];
    let (short, _) = short.as_chunks();
    let short = short.iter().map(|&size| u16::from_le_bytes(size));
    let longs = short.clone().filter(|&size| size == LONG).count();
    if short.len() != sizes.games() as usize || 4 * longs != long.len() {
        return Err("of another number of games".to_owned());
    }
    let mut long = long.chunks_exact(4).filter_map(|bytes| le_u32(bytes, 0));
    let all = short.map(move |size| match size {
        LONG => long.next().unwrap_or(0),
        size => u32::from(size),
    });
    let rows = read_rows(rows, sizes.games()).ok_or("problems cannot be read")?;
    if !sizes.fill(all.clone(), &rows) {
        return Err("a game has another size".to_owned());
    }
    Ok(all.filter(|&size| size != 0).count() as u32)
}

/// The rows of problems; `None` if they are invalid.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_at_the_border_of_two_bytes_come_back() {
        let lens = [1, 65_534, 65_535, 65_536, 0, 65_535, 131_071, 7];
        let sizes = Sizes::new(lens.len() as u32);
        for (game, &len) in lens.iter().enumerate().filter(|&(_, &len)| len > 0) {
            assert!(sizes.record(game as u32, len, &[]));
        }
        let kept = Sizes::new(lens.len() as u32);
        assert_eq!(fill(&kept, &sections(&sizes)), Ok(7));
        let read = (0..kept.games()).map(|game| kept.get(game).unwrap_or(0) as usize);
        assert_eq!(read.collect::<Vec<_>>(), lens);
    }
}
