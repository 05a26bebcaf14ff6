//! Writing the main lines of a database while its games are read.

use parking_lot::Mutex;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use chessdb::Database;
use chessdb::board::Fen;
use rustc_hash::FxHashMap;

use super::packed::{KeptMove, LineSource, LineStart, PackedLine};
use super::store::{
    BLOCK, BLOCK_BYTES, GAMES, HAS_START, LONG, LinesSection, NOWHERE, START_BYTES, STARTS, UNPACKED,
};
use crate::kept::{NewKeptFile, Numbers, SectionId, begin, next_page};
use crate::task;

/// Start positions that are kept, each once. Chess960 has 960; games with others are read from the database.
const MOST_STARTS: usize = 1 << 16;

/// The main lines of some games.
#[derive(Debug, Default)]
pub(crate) struct PackedGames {
    first: u32,
    /// Where the moves of each end.
    ends: Vec<u32>,
    moves: Vec<KeptMove>,
    /// The games that begin elsewhere than in the usual position, in ascending order.
    starts: Vec<(u32, LineStart)>,
    /// The games that cannot be packed, in ascending order.
    unpacked: Vec<u32>,
}

impl PackedGames {
    /// Reads the main lines of some games.
    pub(crate) fn of(database: &dyn Database, games: Range<u32>) -> PackedGames {
        let mut packed = PackedGames {
            first: games.start,
            ..PackedGames::default()
        };
        let mut line = PackedLine::default();
        for game in games {
            task::check();
            if line.read(database, game) {
                packed.moves.extend_from_slice(&line.moves);
                if line.start != LineStart::Usual {
                    packed.starts.push((game, line.start));
                }
            } else {
                packed.unpacked.push(game);
            }
            packed.ends.push(packed.moves.len() as u32);
        }
        packed
    }

    fn moves_of(&self, game: u32) -> Option<&[KeptMove]> {
        let number = game.checked_sub(self.first)? as usize;
        let end = *self.ends.get(number)? as usize;
        let start = number
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        self.moves.get(start..end)
    }

    fn start_of(&self, game: u32) -> LineStart {
        let place = self.starts.binary_search_by_key(&game, |(game, _)| *game);
        place.map_or(LineStart::Usual, |place| self.starts[place].1)
    }
}

impl LineSource for PackedGames {
    fn read(&self, game: u32, line: &mut PackedLine) -> bool {
        let Some(moves) = self.moves_of(game) else {
            return false;
        };
        if self.unpacked.binary_search(&game).is_ok() {
            return false;
        }
        line.moves.clear();
        line.moves.extend_from_slice(moves);
        line.start = self.start_of(game);
        true
    }
}

/// A file of lines that is being written.
pub(crate) struct LineWriter {
    file: NewKeptFile,
    games: u32,
    state: Mutex<WriterState>,
}

struct WriterState {
    /// The first byte after the words.
    end: u64,
    /// Number of games that were added.
    added: u32,
    /// The first error. Threads add games at the same time, so it is returned at the end, by `finish`.
    error: Option<io::Error>,
    /// The number of each start position, as FEN.
    starts: FxHashMap<String, u32>,
}

impl LineWriter {
    /// Begins a file for this number of games.
    pub(super) fn new(file: NewKeptFile, games: u32) -> LineWriter {
        let numbers = LineWriter::numbers(&file, games);
        LineWriter {
            state: Mutex::new(WriterState {
                end: numbers.sections[LinesSection::Words.place()].0,
                added: 0,
                error: None,
                starts: FxHashMap::default(),
            }),
            file,
            games,
        }
    }

    /// The places of `ends`, and of the start of `words`.
    fn numbers(file: &NewKeptFile, games: u32) -> Numbers {
        let mut numbers = Numbers::default();
        numbers.own[GAMES] = games;
        let ends = begin(file.key());
        let len = u64::from(games.div_ceil(BLOCK)) * BLOCK_BYTES as u64;
        numbers.sections[LinesSection::Ends.place()] = (ends, len);
        numbers.sections[LinesSection::Words.place()] = (next_page(ends + len), 0);
        numbers
    }

    /// Adds games from a multiple of 64 on: a multiple of 64 games, or all to the last one.
    /// All games must be added once, in any order.
    pub(crate) fn add(&self, games: &PackedGames) {
        let mut words = StoredWords::default();
        let added = games.ends.len() as u32;
        let fills_blocks = games.first.is_multiple_of(BLOCK)
            && (added.is_multiple_of(BLOCK) || games.first + added == self.games);
        {
            let mut state = self.state.lock();
            if !fills_blocks {
                state
                    .error
                    .get_or_insert_with(|| io::ErrorKind::InvalidInput.into());
            }
            if state.error.is_some() {
                return;
            }
            // The lock is needed only to number start positions and to reserve a place for the words; writing them
            // takes longer.
            words.add(games, &mut state.starts);
            words.begin = state.end;
            state.end += 2 * words.words.len() as u64;
            state.added += added;
        }
        if let Err(error) = self.write(games.first, &words) {
            self.state.lock().error.get_or_insert(error);
        }
    }

    fn write(&self, first: u32, words: &StoredWords) -> io::Result<()> {
        let numbers = LineWriter::numbers(&self.file, self.games);
        let [(ends, _), (all, _)] =
            [LinesSection::Ends, LinesSection::Words].map(|section| numbers.sections[section.place()]);
        let mut place = (words.begin - all) / 2;
        let mut blocks = Vec::new();
        for lens in words.lens.chunks(BLOCK as usize) {
            blocks.extend(place.to_le_bytes());
            let mut bytes = [0; BLOCK_BYTES - 8];
            for (bytes, &(short, whole)) in bytes.as_chunks_mut::<2>().0.iter_mut().zip(lens) {
                *bytes = short.to_le_bytes();
                place += u64::from(whole);
            }
            blocks.extend(bytes);
        }
        let file: &File = self.file.file();
        file.write_all_at(&blocks, ends + u64::from(first / BLOCK) * BLOCK_BYTES as u64)?;
        let bytes: Vec<u8> = words.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        file.write_all_at(&bytes, words.begin)
    }

    /// Completes the file, and gives it its name. `None` if games are missing.
    ///
    /// # Errors
    /// If writing failed.
    pub(super) fn finish(self) -> io::Result<Option<File>> {
        let state = self.state.into_inner();
        if let Some(error) = state.error {
            return Err(error);
        }
        if state.added != self.games {
            return Ok(None);
        }
        let mut numbers = LineWriter::numbers(&self.file, self.games);
        let (words, len) = &mut numbers.sections[LinesSection::Words.place()];
        *len = state.end - *words;
        let at = next_page(state.end);
        let mut starts = vec![b' '; state.starts.len() * START_BYTES];
        for (fen, &number) in &state.starts {
            let slot = starts.get_mut(number as usize * START_BYTES..);
            let slot = slot.and_then(|rest| rest.get_mut(..fen.len()));
            slot.ok_or(io::ErrorKind::InvalidData)?
                .copy_from_slice(fen.as_bytes());
        }
        self.file.file().write_all_at(&starts, at)?;
        numbers.own[STARTS] = state.starts.len() as u32;
        numbers.sections[LinesSection::Starts.place()] = (at, starts.len() as u64);
        self.file.keep(&numbers).map(Some)
    }
}

/// The words of some games as they are stored.
#[derive(Default)]
struct StoredWords {
    begin: u64,
    words: Vec<u16>,
    /// For each game the number of words that is stored, and the real one with everything before it.
    lens: Vec<(u16, u32)>,
}

impl StoredWords {
    fn add(&mut self, games: &PackedGames, starts: &mut FxHashMap<String, u32>) {
        let mut start = 0;
        let mut own = Vec::new();
        for (game, &end) in (games.first..).zip(&games.ends) {
            own.clear();
            let number = match games.start_of(game) {
                _ if games.unpacked.binary_search(&game).is_ok() => Some(UNPACKED),
                LineStart::Usual => None,
                LineStart::Nowhere => Some(NOWHERE),
                LineStart::At(position) => {
                    let fen = position.fen();
                    let read = Fen::parse(&fen).map(|read| read.position);
                    let fits = fen.len() <= START_BYTES && read == Ok(position);
                    let next = starts.len() as u32;
                    let known = starts.get(&fen).copied();
                    Some(match known {
                        Some(number) => number,
                        None if fits && starts.len() < MOST_STARTS => *starts.entry(fen).or_insert(next),
                        None => UNPACKED,
                    })
                }
            };
            if let Some(number) = number {
                own.extend([HAS_START, number as u16, (number >> 16) as u16]);
            }
            let moves = games.moves.get(start as usize..end as usize).unwrap_or_default();
            own.extend(moves.iter().map(|mv| mv.0));
            start = end;
            let number = own.len() as u32;
            match u16::try_from(number) {
                Ok(short) if short < LONG => self.lens.push((short, number)),
                _ => {
                    self.words.extend([number as u16, (number >> 16) as u16]);
                    self.lens.push((LONG, number + 2));
                }
            }
            self.words.extend_from_slice(&own);
        }
    }
}
