//! PGN: text files of games, as people and programs write them.
//!
//! | part of a file | read by |
//! |---|---|
//! | bytes, by ranges | [`source`]; [`packed`]; [`many`] |
//! | where games begin | [`scan`], [`roster`], [`head`], [`boundaries`], [`shares`] |
//! | tags and movetext | [`pgn_common`](super::pgn_common) |
//! | data stored for each game | [`make_index`], [`index`], [`row`], [`names`] |
//! | files that grow at their end | [`grown`] |
//! | the text as it is shown | [`clean`] |
//!
//! Section numbers in this module refer to `docs/formats/pgn.md`.

mod boundaries;
mod clean;
mod grown;
mod head;
mod in_parallel;
mod index;
mod make_index;
mod many;
mod names;
mod packed;
mod roster;
mod row;
mod scan;
mod shares;
mod source;

use std::borrow::Cow;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};

use encoding_rs::UTF_8;

use self::grown::Grown;
use self::head::MOST_HEAD;
use self::index::Index;
use self::make_index::Scope;
use self::packed::Contents;
use self::row::Row;
use self::source::Source;
use crate::board::ByColor;
use crate::bytes;
use crate::database::{
    AsFiles, Database, Decoded, Format, Info, Keys, Member, NotADatabase, Options, PgnForm, TextId,
};
use crate::files::{Files, Kept};
use crate::formats::pgn_common::Stored;
use crate::formats::pgn_common::characters;
use crate::game::Tags;
use crate::problem::Problem;
use crate::replay::{Ply, main_line_or};
use crate::text::TextEncoding;

/// The format's row.
pub const FORMAT: Format = Format {
    name: "pgn",
    title: "PGN",
    find: packed::find,
    by_content: None,
    small_files: Some(many::SMALL_FILES),
    readings: Vec::new,
    open: packed::open,
};

/// Extension of files.
const KIND: &str = "pgn";

/// Set in numbers of names that come from a second scan.
const AGAIN: u32 = 1 << 31;

/// Opens the stored index, or makes one and stores it.
fn kept_index(file: &make_index::File<'_>, kept: Option<&dyn Kept>) -> Option<Index> {
    let (kept, len) = (kept?, file.source.len());
    let make = |scope: Scope<'_>| {
        let mut bytes = None;
        for width in make_index::WIDTHS {
            let mut is_too_narrow = false;
            bytes = kept.put(INDEX, &mut |out| {
                make_index::write(file, scope, width, out).inspect_err(|error| {
                    is_too_narrow = make_index::is_too_narrow(error);
                })
            });
            // With another error, such as a full disk, a second scan would fail, too.
            if !is_too_narrow {
                break;
            }
        }
        Index::open(bytes?, len)
    };
    let found = kept.get(INDEX).and_then(|bytes| Index::open(bytes, len));
    found
        .or_else(|| {
            let earlier = Index::of_any(kept.earlier(INDEX)?)?;
            make(Scope::Appended(&Grown::since(
                &earlier,
                file.source,
                file.line_end,
            )?))
        })
        .or_else(|| make(Scope::Whole))
}

/// Minimum number of bytes of a file whose index is stored. Scanning a shorter file takes less time than storing its
/// index.
const LEAST_KEPT: u64 = 256 << 10;

/// Name of the stored index.
const INDEX: &str = "index";

/// Name of the file with the text before the first game.
const HEAD: &str = "head.txt";

/// The name of a form for display.
fn form_name(form: PgnForm) -> &'static str {
    match form {
        PgnForm::Cleaned => "shown as they are written, cleaned",
        PgnForm::Export => "read and written again",
        PgnForm::Verbatim => "shown byte for byte",
    }
}

/// True if there is more than blanks and bytes without meaning.
fn has_text(bytes: &[u8]) -> bool {
    let is_text = |c: &u8| !c.is_ascii_whitespace() && !matches!(c, 0 | 0x1a | 0xef | 0xbb | 0xbf);
    bytes.iter().any(is_text)
}

/// Number of bytes of comments at the start of a game without tags.
fn comments_at(source: &dyn Source, game: Range<u64>, line_end: u8) -> u64 {
    let part = |len: u64| source.read(game.start..game.end.min(game.start + len));
    match part(1).first() {
        Some(b'{' | b';') => head::moves_of(&part(MOST_HEAD), line_end) as u64,
        _ => 0,
    }
}

/// An open PGN file, or many small ones.
struct PgnFile {
    name: String,
    source: Box<dyn Source>,
    line_end: u8,
    characters: TextEncoding,
    index: Index,
    /// The index of a second scan, used for damaged rows of the first one.
    again: OnceLock<Option<Index>>,
    /// Where the index is kept, if the file is long enough.
    kept: Option<Arc<dyn Kept>>,
    form: PgnForm,
    /// Number of bytes before the first game.
    head: u64,
    info: Info,
    problems: Vec<Problem>,
}

/// True if an uncompressed PGN file that begins with these bytes is converted to UTF-8 when it is opened, as files in
/// UTF-16 are. Then the offsets of its problems count bytes of UTF-8, and not of the file.
///
/// ```
/// use chessdb::{Options, formats::is_converted};
///
/// let (usual, mut japanese) = (Options::default(), Options::default());
/// japanese.encoding = Some("shift_jis".to_owned());
/// assert!(is_converted(b"\xff\xfe[\0", &usual) && is_converted(b"[Event", &japanese));
/// assert!(!is_converted(b"[Event", &usual));
/// ```
pub fn is_converted(first: &[u8], options: &Options) -> bool {
    let characters = characters::choose(options.encoding.as_deref(), &mut Vec::new());
    source::converted_from(first, characters.forced).is_some()
}

impl PgnFile {
    fn open(contents: Contents, files: &Files, options: &Options) -> Result<PgnFile, NotADatabase> {
        let Contents {
            name,
            mut source,
            packed,
            is_converted,
        } = contents;
        let mut warnings = files.warnings.clone();
        let mut characters = characters::choose(options.encoding.as_deref(), &mut warnings);
        let mut encoding = characters.describe("game");
        if is_converted {
            characters.forced = characters.forced.and(Some(UTF_8));
        } else if let Some(from) = source::converted_from(&source.read(0..2), characters.forced) {
            source = source::converted(&*source, from, options.pgn)?;
            characters.forced = Some(UTF_8);
            encoding = format!("{}, converted to UTF-8", source::encoding_name(from));
        }
        let line_end = boundaries::line_end(&*source);
        let scanned = make_index::File {
            source: &*source,
            characters,
            line_end,
            progress: Arc::clone(&files.progress),
        };
        let kept = files.kept.clone().filter(|_| source.len() >= LEAST_KEPT);
        let index = kept_index(&scanned, kept.as_deref())
            .or_else(|| Index::of_memory(make_index::in_memory(&scanned)))
            .ok_or_else(|| NotADatabase::new("the file has too many games"))?;
        let mut problems = files.holes();
        problems.extend(index.unclosed().into_iter().map(|start| {
            let what = "a comment is not closed: a game begins here in spite of it";
            let (file, offset) = source.file_at(start).unwrap_or((&name, start));
            Problem::damage(file, offset, what)
        }));
        if !index.unclosed().is_empty() {
            warnings.push(format!(
                "{} comments are not closed: each ends where the next game begins",
                index.unclosed().len()
            ));
        }
        if index.len() == 0 && has_text(&source.read(0..source.len().min(MOST_HEAD))) {
            problems.push(Problem::damage(&name, 0, "no game is found in this text"));
        }
        let first = index.row(0).map_or(source.len(), |first| first.start);
        let head = match options.pgn {
            // Comments in front of a game without tags belong to the head.
            PgnForm::Verbatim => {
                let next = index.row(1).map_or(source.len(), |next| next.start);
                first + comments_at(&*source, first..next, line_end)
            }
            _ => first,
        };
        let is_one_file = source.file_at(0).is_none();
        if is_one_file && options.pgn != PgnForm::Verbatim && has_text(&source.read(0..head.min(MOST_HEAD))) {
            warnings.push(format!(
                "the {head} bytes before the first game are not shown: the form verbatim shows them as {HEAD}"
            ));
        }
        let mut rows = Vec::new();
        if let Some((packed, file)) = packed {
            rows.push(("packed", packed.describe()));
            if let Some(kept) = files.kept.as_deref().filter(|_| packed.has_found_damage()) {
                // The scan may have found damage. It is stored, because the next opening unpacks nothing.
                packed::keep(&packed, kept);
            }
            warnings.extend(packed.slowness().map(|warning| format!("{file}: {warning}")));
            let damage = packed.damage().into_iter();
            problems.extend(damage.map(|damage| Problem::damage(&file, damage.offset, damage.what)));
        }
        let ends = match line_end {
            b'\r' => "carriage returns",
            _ => "line feeds",
        };
        rows.extend([
            ("games are", form_name(options.pgn).to_owned()),
            ("characters", encoding),
            ("lines end with", ends.to_owned()),
        ]);
        Ok(PgnFile {
            name,
            form: options.pgn,
            head,
            line_end,
            characters,
            index,
            again: OnceLock::new(),
            kept,
            info: Info { rows, warnings },
            problems,
            source,
        })
    }

    /// The bytes of a game.
    fn text_of(&self, game: u32) -> Option<(Row, Cow<'_, [u8]>)> {
        let row = self.row(game)?;
        let range = self.range_of(game, &row);
        Some((row, self.source.read(range)))
    }

    /// The row of a game. If it is damaged in a stored index, the file is scanned again.
    #[inline]
    fn row(&self, game: u32) -> Option<Row> {
        self.index.row(game).or_else(|| self.row_again(game))
    }

    #[cold]
    fn row_again(&self, game: u32) -> Option<Row> {
        if game >= self.index.len() {
            return None;
        }
        let again = self.again.get_or_init(|| {
            if let Some(kept) = &self.kept {
                kept.remove(INDEX);
            }
            let file = make_index::File {
                source: &*self.source,
                characters: self.characters,
                line_end: self.line_end,
                progress: Arc::default(),
            };
            Index::of_memory(make_index::in_memory(&file))
        });
        let row = again.as_ref()?.row(game)?;
        Some(row.with_names(|number| number | AGAIN))
    }

    /// The range of a game in the file.
    fn range_of(&self, game: u32, row: &Row) -> Range<u64> {
        let next = game.checked_add(1).and_then(|next| self.row(next));
        boundaries::range_of(&*self.source, row.start, next.map(|next| next.start))
    }

    /// The name of the file that has a game, and the offset of the game in it.
    fn place_of(&self, row: &Row) -> (&str, u64) {
        let place = self.source.file_at(row.start);
        place.unwrap_or((&self.name, row.start))
    }

    fn stored<'a>(&self, row: &Row, text: &'a [u8]) -> Stored<'a> {
        Stored::new(text, self.place_of(row).1, self.characters, self.line_end)
    }
}

impl Database for PgnFile {
    fn len(&self) -> u32 {
        self.index.len()
    }

    fn keys(&self, game: u32) -> Keys {
        self.row(game).map_or(Keys::UNKNOWN, |row| row.keys)
    }

    fn text(&self, id: TextId) -> String {
        let name = match id.0 & AGAIN {
            0 => self.index.name(id.0),
            _ => self
                .again
                .get()
                .and_then(|again| again.as_ref()?.name(id.0 & !AGAIN)),
        };
        name.unwrap_or_else(|| "?".to_owned())
    }

    fn tags(&self, game: u32) -> Tags {
        let found = self.text_of(game);
        found.map_or_else(Tags::default, |(row, text)| self.stored(&row, &text).tags())
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        let found = self.text_of(game);
        found.map_or_else(ByColor::default, |(row, text)| self.stored(&row, &text).ratings())
    }

    fn game(&self, game: u32) -> Decoded {
        let found = self.text_of(game);
        found.map_or_else(Decoded::default, |(row, text)| {
            let (game, problems) = self.stored(&row, &text).game(self.place_of(&row).0);
            Decoded { game, problems }
        })
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        if let Some((row, text)) = self.text_of(game) {
            let stored = self.stored(&row, &text);
            main_line_or(
                each,
                |line| stored.main_line(line),
                || stored.game(self.place_of(&row).0).0,
            );
        }
    }

    fn has_only_moves(&self, game: u32) -> bool {
        let found = self.text_of(game);
        found.is_some_and(|(row, text)| self.stored(&row, &text).has_only_moves())
    }

    fn info(&self) -> Info {
        self.info.clone()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn as_files(&self) -> &dyn AsFiles {
        self
    }
}

impl AsFiles for PgnFile {
    fn record_len(&self, game: u32) -> Option<u64> {
        let next = game.checked_add(1).and_then(|next| self.row(next));
        let end = next.map_or_else(|| self.source.len(), |next| next.start);
        Some(end.saturating_sub(self.row(game)?.start))
    }

    fn stored_len(&self, game: u32) -> Option<u32> {
        match self.form {
            PgnForm::Export => None,
            PgnForm::Cleaned => Some(self.row(game).map_or(0, |row| row.size)),
            PgnForm::Verbatim => {
                let range = self.row(game).map(|row| self.range_of(game, &row));
                let len = range.map_or(0, |range| range.end - range.start.max(self.head));
                Some(u32::try_from(len).unwrap_or(u32::MAX))
            }
        }
    }

    fn append_stored(&self, game: u32, out: &mut Vec<u8>) -> bool {
        if self.form == PgnForm::Export {
            return false;
        }
        let Some((row, text)) = self.text_of(game) else {
            return true;
        };
        match self.form {
            PgnForm::Verbatim => {
                let head = bytes::index(self.head.saturating_sub(row.start));
                out.extend_from_slice(text.get(head..).unwrap_or_default());
            }
            _ if row.is_plain => clean::append_plain(out, &text, bytes::index(row.size.into())),
            _ => clean::append_cleaned(out, &text, self.line_end, self.characters.charset_of(&text)),
        }
        true
    }

    fn members(&self) -> Vec<Member> {
        let is_shown = self.form == PgnForm::Verbatim && self.head > 0;
        let head = Member {
            directory: "",
            name: HEAD.to_owned(),
            size: self.head,
        };
        is_shown.then_some(head).into_iter().collect()
    }

    fn read_member(&self, _: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let end = offset.saturating_add(buffer.len() as u64).min(self.head);
        let bytes = self.source.read(offset.min(end)..end);
        let read = buffer.iter_mut().zip(bytes.iter());
        Ok(read.map(|(to, from)| *to = *from).count())
    }
}
