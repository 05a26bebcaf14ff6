//! Reads the parts of a game from their files.

use std::ops::ControlFlow;

use super::codes::{Mode, main_line_len};
use super::record::Record;
use super::setup::Start;
use super::{ChessBaseCbh, Place, annotations, decode, items};
use crate::board::Position;
use crate::files::SourceFile;
use crate::formats::chessbase_common::{Annotations, tags, values};
use crate::game::Tags;
use crate::problem::Problem;
use crate::replay::castling::castling_without_right;
use crate::replay::{self, Fault, Limits, MainLine, Origin, Ply, Replay, Sink, Tree};

/// In files above this size, places do not fit into the 32 bits of the `.cbh`, so they come from the `.cbj`, which has
/// 64 bits.
const LARGE: u64 = 1 << 32;

impl ChessBaseCbh {
    /// The place of a game's moves, or of a guiding text, in the `.cbg`.
    pub(super) fn moves_at(&self, cbg: &SourceFile, place: &Place) -> u64 {
        let short = u64::from(place.header.moves_at());
        if cbg.bytes.len() as u64 > LARGE {
            self.extended.get(place.record).moves_at().unwrap_or(short)
        } else {
            short
        }
    }

    /// The place of a game's annotations in the `.cba`; `None` if it has no annotations.
    pub(super) fn annotations_of(&self, place: &Place) -> Option<(&SourceFile, u64)> {
        let cba = self.base.cba.as_ref()?;
        let short = u64::from(place.header.annotations_at());
        let long = if cba.bytes.len() as u64 > LARGE {
            self.extended.get(place.record).annotations_at()
        } else {
            None
        };
        Some((cba, long.unwrap_or(short))).filter(|(_, at)| *at != 0)
    }

    /// Annotations that are empty except for the medals, which the record of the `.cbh` has.
    fn no_annotations<'a>(&self, origin: Origin<'a>, medals: u16) -> Annotations<'a> {
        Annotations::none(origin, self.base.characters, medals, items::said)
    }

    pub(super) fn record(&self, place: &Place) -> Option<Record<'_>> {
        let cbg = self.base.cbg.as_ref()?;
        let at = usize::try_from(self.moves_at(cbg, place)).ok()?;
        Record::at(&cbg.bytes, at)
    }

    /// The start of a record's game. If the game castles without a stored right, the right is added (section 7.2),
    /// because readers of PGN would otherwise refuse the move.
    pub(super) fn start(&self, record: &Record<'_>) -> Start {
        let start = Start::of(record);
        let rooks = start.rooks_without_right(record);
        let used = castling_without_right(rooks, start.position.turn(), || {
            let (start, none) = (
                start.with_rights(rooks),
                self.no_annotations(Origin::default(), 0),
            );
            Some(decode::replay(record, &start, &none, Origin::default(), Tree::beginning).0)
        });
        if used.is_empty() {
            start
        } else {
            start.with_rights(used)
        }
    }

    /// All tags of a game. `record` and `start` are its moves, if they can be read.
    pub(super) fn all_tags(&self, place: &Place, record: Option<&Record<'_>>, start: Option<&Start>) -> Tags {
        let mut tags = self.tags_of(place);
        if let (Some(record), Some(start)) = (record, start) {
            tags::set_start(&mut tags, record.is_chess960(), start.fen());
            if start.flaw.is_some() {
                tags.set_no_start();
            }
            if let Some(plies) = self.ply_count(place, record, start) {
                tags.set_number("PlyCount", plies);
            }
        }
        tags
    }

    /// Number of half-moves in the main line (section 13.3). The moves are played only if the stored data contradict
    /// each other, because then some moves are likely to be illegal and do not count.
    fn ply_count(&self, place: &Place, record: &Record<'_>, start: &Start) -> Option<u32> {
        let plies = match Mode::numbered(record.mode)? {
            Mode::Before(encoding, _) => main_line_len(&encoding, record.moves),
            Mode::After(encoding, _) => main_line_len(&encoding, record.moves),
            Mode::Simple(encoding) => main_line_len(&encoding, record.moves),
        };
        let full_moves = values::full_moves(plies, start.position.turn().is_black()).min(255);
        if full_moves == u32::from(place.header.full_moves()) && !start.has_wrong_rooks {
            return Some(plies);
        }
        let mut legal = 0;
        let mut count = |_: &Ply<'_>| {
            legal += 1;
            ControlFlow::Continue(())
        };
        let none = self.no_annotations(Origin::default(), 0);
        decode::replay(record, start, &none, Origin::default(), |_, _, _| {
            MainLine(&mut count)
        });
        Some(legal)
    }

    /// Replays the moves of a game. `sink` makes the sink from the start position, the number of the first move, and an
    /// estimate of the number of tokens.
    pub(super) fn replay<S: Sink>(
        &self,
        place: &Place,
        record: Option<&Record<'_>>,
        start: Option<&Start>,
        sink: impl FnOnce(&Position, u32, usize) -> S,
    ) -> (S::Output, Vec<Problem>) {
        let origin = |file| Origin {
            file,
            place: replay::PlaceForm::Hexadecimal(".cbg"),
        };
        let (Some(record), Some(start)) = (record, start) else {
            return self.without_record(place, origin(&self.base.names.cbg), sink);
        };
        let cba = Origin {
            file: &self.base.names.cba,
            place: replay::PlaceForm::Hexadecimal(".cba"),
        };
        let mut annotations = self.no_annotations(cba, place.header.medals());
        if S::WHOLE
            && let Some((cba, at)) = self.annotations_of(place)
        {
            annotations::read(&mut annotations, &cba.bytes, at);
        }
        annotations.set_glyph_of_line(place.header.glyph_of_line());
        decode::replay(record, start, &annotations, origin(&self.base.names.cbg), sink)
    }

    /// An empty game, with the problem that its moves are missing.
    fn without_record<S: Sink>(
        &self,
        place: &Place,
        origin: Origin<'_>,
        sink: impl FnOnce(&Position, u32, usize) -> S,
    ) -> (S::Output, Vec<Problem>) {
        let start = Position::initial();
        let mut replay = Replay::new(sink(&start, 1, 1), start, (), Limits::NONE, origin);
        let (at, what) = match &self.base.cbg {
            Some(cbg) => (
                self.moves_at(cbg, place),
                "the record of the game is not there".to_owned(),
            ),
            None => (
                place.header.moves_at().into(),
                format!("the moves are missing: they are in {}", self.base.names.cbg),
            ),
        };
        replay.fault(at, &Fault::damage(what));
        replay.finish()
    }
}
