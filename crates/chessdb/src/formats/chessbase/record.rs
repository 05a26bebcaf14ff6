//! A record in the `.cbf`: header, texts, moves, comments, position (section 3).

use super::coding::{self, Moves};
use super::header::{Header, SIZE};
use super::setup;

/// The parts of a record; shorter if the file ends earlier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// Where it begins in the file.
    pub(super) start: usize,
    pub(super) header: Header,
    /// Players and source, coded.
    texts: &'a [u8],
    /// The move area, coded.
    moves: &'a [u8],
    pub(super) comments: &'a [u8],
    /// The set-up position: 33 bytes, or fewer if the record is cut; `None` if the game starts from the usual one.
    pub(super) position: Option<&'a [u8]>,
    /// True if the file ends inside the record.
    pub(super) is_cut: bool,
}

impl<'a> Record<'a> {
    /// The record at an offset; `None` if its header exceeds the file.
    pub(super) fn at(file: &'a [u8], start: usize) -> Option<Record<'a>> {
        let bytes = file.get(start..)?;
        let header = Header::new(*bytes.first_chunk::<SIZE>()?);
        let mut rest = bytes.get(SIZE..)?;
        let mut is_cut = false;
        let mut part = |len: usize| {
            is_cut |= rest.len() < len;
            let (part, tail) = rest.split_at(len.min(rest.len()));
            rest = tail;
            part
        };
        let texts = part(header.players_len() + header.source_len());
        let moves = part(header.moves_len());
        let comments = part(usize::from(header.clen));
        let position = header.is_set_up().then(|| part(setup::SIZE));
        Some(Record {
            start,
            header,
            texts,
            moves,
            comments,
            position,
            is_cut,
        })
    }

    /// The same record without its comments and with at most `len` bytes of moves.
    pub(super) fn without_comments(self, len: usize) -> Record<'a> {
        Record {
            moves: self.moves.get(..len).unwrap_or(self.moves),
            comments: &[],
            ..self
        }
    }

    /// Appends the texts of players and source, decoded but not yet converted to Unicode.
    pub(super) fn texts(&self, players: &mut Vec<u8>, source: &mut Vec<u8>) {
        let players_len = self.header.players_len();
        let mut bytes = coding::texts(self.texts, players_len + self.header.source_len());
        players.extend(bytes.by_ref().take(players_len));
        source.extend(bytes);
    }

    /// The bytes of the move area.
    pub(super) fn moves(&self) -> Moves<'a> {
        Moves::new(self.moves, self.header.mlen)
    }

    /// Number of bytes of the move area in the file.
    pub(super) fn moves_len(&self) -> usize {
        self.moves.len()
    }

    /// Offset of the move area in the file.
    pub(super) fn moves_at(&self) -> usize {
        self.start + SIZE + self.header.players_len() + self.header.source_len()
    }

    /// Offset of the position in the file.
    pub(super) fn position_at(&self) -> usize {
        self.moves_at() + self.header.moves_len() + usize::from(self.header.clen)
    }
}
