//! Reads the parts of a game from their files.

use std::ops::ControlFlow;

use super::annotations;
use super::decode::{self, Source};
use super::frame::{self, Frame};
use super::header::Header;
use super::setup::Start;
use super::walk::Words;
use super::words::is_move;
use super::{ChessBase2Cbh, Place};
use crate::board::Position;
use crate::files::SourceFile;
use crate::formats::chessbase_common::{Annotations, tags, values};
use crate::game::Tags;
use crate::problem::Problem;
use crate::replay::castling::castling_without_right;
use crate::replay::{Fault, Limits, MainLine, Origin, PlaceForm, Ply, Replay, Sink, Tree};

/// Maximum number of attempts to read a frame, because ChessBase may be moving it (section 14.2).
const TIMES: usize = 3;

/// The frame of a game's moves, with its flags for the start position.
#[derive(Clone, Debug)]
pub(super) struct Moves<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) start: Start,
    pub(super) is_sound: bool,
}

impl ChessBase2Cbh {
    /// The frame that a record refers to. If the frame is damaged, it is read again, because ChessBase may be writing
    /// it.
    fn frame<'a>(
        &'a self,
        file: &'a SourceFile,
        place: usize,
        at: impl Fn(&Header<'_>) -> i64,
    ) -> Result<(Frame<'a>, bool), &'static str> {
        let mut found = Err("its record is not there");
        for _ in 0..TIMES {
            let Some(header) = Header::at(&self.base.cbh.bytes, place) else {
                break;
            };
            found = Frame::at(&file.bytes, at(&header)).map(|frame| (frame, frame.is_sound(&file.bytes)));
            if found.is_ok_and(|(frame, is_sound)| is_sound && frame.has_end) {
                break;
            }
        }
        found
    }

    /// The moves of a game; `None` without a `.2cbg`.
    pub(super) fn moves(&self, place: &Place<'_>) -> Option<Result<Moves<'_>, &'static str>> {
        let file = self.base.cbg.as_ref()?;
        let found = self.frame(file, place.record, |header| header.moves_at());
        Some(found.map(|(frame, is_sound)| Moves {
            start: self.start(&frame),
            frame,
            is_sound,
        }))
    }

    /// The frame of a game's annotations; `None` without a `.2cba`.
    pub(super) fn annotations_of(&self, header: &Header<'_>) -> Option<Result<Frame<'_>, &'static str>> {
        let file = self.base.cba.as_ref()?;
        Some(Frame::at(&file.bytes, header.annotations_at()))
    }

    /// The start of a game. If the game castles without a stored right, the right is added, because readers of PGN
    /// would otherwise refuse the move.
    fn start(&self, frame: &Frame<'_>) -> Start {
        let start = Start::of(Words::new(frame.content), frame.tag);
        let rooks = start.rooks_without_right();
        let used = castling_without_right(rooks, start.position.turn(), || {
            let source = Source {
                frame,
                start: &start.with_rights(rooks),
                is_sound: true,
                origin: Origin::default(),
            };
            let none = self.no_annotations(Origin::default(), 0);
            Some(decode::replay(&source, &none, Tree::beginning).0)
        });
        if used.is_empty() {
            start
        } else {
            start.with_rights(used)
        }
    }

    /// Annotations with nothing but medals.
    fn no_annotations<'a>(&self, origin: Origin<'a>, medals: u16) -> Annotations<'a> {
        Annotations::none(origin, self.base.characters, medals, annotations::said)
    }

    /// All tags of a game, including the tags that follow from its moves.
    pub(super) fn all_tags(&self, place: &Place<'_>, moves: Option<&Moves<'_>>) -> Tags {
        let mut tags = self.tags_of(place);
        let Some(moves) = moves else { return tags };
        if !moves.has_game() {
            tags.set_no_start();
            return tags;
        }
        tags::set_start(&mut tags, moves.start.is_chess960, moves.start.fen());
        let plies = self.ply_count(place, moves).unwrap_or(0);
        tags::set_number(&mut tags, "PlyCount", plies);
        tags
    }

    /// Number of half-moves of the main line. The moves are played only if stored values contradict each other, because
    /// then illegal moves are likely.
    fn ply_count(&self, place: &Place<'_>, moves: &Moves<'_>) -> Option<u32> {
        let first = moves.start.moves?;
        let plies = Words::new(moves.frame.content).main_line_len(first, is_move);
        if moves.is_sound && place.header.full_moves() == Some(full_moves(plies, &moves.start)) {
            return Some(plies);
        }
        let mut legal = 0;
        let mut count = |_: &Ply<'_>| {
            legal += 1;
            ControlFlow::Continue(())
        };
        let none = self.no_annotations(Origin::default(), 0);
        decode::replay(&moves.source(Origin::default()), &none, |_, _, _| {
            MainLine(&mut count)
        });
        Some(legal)
    }

    /// Replays the moves of a game. `sink` creates the sink from the start position, the number of the first move and
    /// an estimate of the number of tokens.
    pub(super) fn replay<S: Sink>(
        &self,
        place: &Place<'_>,
        moves: Option<&Result<Moves<'_>, &'static str>>,
        sink: impl FnOnce(&Position, u32, usize) -> S,
    ) -> (S::Output, Vec<Problem>) {
        let origin = |file, extension| Origin {
            file,
            place: PlaceForm::Hexadecimal(extension),
        };
        let cbg = origin(&self.base.names.cbg, ".2cbg");
        let cba = origin(&self.base.names.cba, ".2cba");
        let mut annotations = self.no_annotations(cba, place.header.medals());
        if S::WHOLE {
            self.read_annotations(place, &mut annotations);
        }
        let why = match moves {
            Some(Ok(moves)) => return decode::replay(&moves.source(cbg), &annotations, sink),
            Some(Err(why)) => format!("the moves cannot be read: {why}"),
            None => format!("the moves are missing: they are in {}", self.base.names.cbg),
        };
        let start = Position::initial();
        let mut replay = Replay::new(sink(&start, 1, 1), start, (), Limits::NONE, cbg);
        let at = u64::try_from(place.header.moves_at()).unwrap_or(0);
        replay.fault(at, &Fault::damage(why));
        annotations.begin(&mut replay);
        annotations.after(0, &mut replay);
        annotations.end(&mut replay);
        replay.finish()
    }

    fn read_annotations<'a>(&'a self, place: &Place<'_>, annotations: &mut Annotations<'a>) {
        let Some(file) = &self.base.cba else { return };
        let at = place.header.annotations_at();
        let (frame, is_sound) = match self.frame(file, place.record, |header| header.annotations_at()) {
            Ok(found) => found,
            Err(why) => {
                let at = u64::try_from(at).unwrap_or(0);
                return annotations.damage(at, format!("the annotations cannot be read: {why}"));
            }
        };
        if frame.tag != frame::ANNOTATIONS {
            let what = format!(
                "the frame of the annotations has the unknown kind {:04x}",
                frame.tag.swap_bytes()
            );
            return annotations.damage(frame.at, what);
        }
        if frame.is_cut {
            annotations.damage(frame.at, "the file ends inside of the annotations");
        } else if !is_sound {
            annotations.damage(
                frame.at,
                "the checksum of the annotations is wrong: some of them may be",
            );
        }
        if !frame.has_end && !frame.is_cut {
            annotations.problem(frame.at, "the length at the end of the frame is wrong");
        }
        annotations::read(annotations, frame.content, frame.content_at());
    }
}

impl Moves<'_> {
    /// True if the frame has a game that can be played from its start.
    fn has_game(&self) -> bool {
        matches!(self.frame.tag, frame::GAME | frame::CHESS960) && self.start.flaw.is_none()
    }

    pub(super) fn source<'a>(&'a self, origin: Origin<'a>) -> Source<'a> {
        Source {
            frame: &self.frame,
            start: &self.start,
            is_sound: self.is_sound,
            origin,
        }
    }
}

/// Full moves of the main line as a record counts them.
pub(super) fn full_moves(plies: u32, start: &Start) -> u32 {
    values::full_moves(plies, start.position.turn().is_black())
}
