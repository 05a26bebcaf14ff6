//! Decoding a game: tokens to movetext, and the handling of damage (sections 3.6 to 3.10, 12).

use super::codes::{Coded, Effect, Impossible, coded, is_possible, recovered};
use super::pieces::PieceLists;
use super::steps::step;
use super::tokens::{Cursor, MoveToken, Tokens, Variation};
use super::variations::Frame;
use crate::board::{Illegal, Move, Position};
use crate::problem::Problem;
use crate::replay::{self, Fault, Limits, Notation, Origin, Replay, Sink, Unplayed};

/// The limits of section 3.10.
pub(super) const LIMITS: Limits = Limits {
    depth: 4096,
    moves: u32::MAX,
};

/// The place of the move data.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveDataPlace<'a> {
    pub(super) file: &'a str,
    /// Offset of the first byte of the move data; `None` if their row is in several pieces.
    pub(super) data: Option<u64>,
    /// Offset of the row.
    pub(super) row: u64,
}

impl<'a> MoveDataPlace<'a> {
    pub(super) fn origin(&self) -> Origin<'a> {
        Origin {
            file: self.file,
            place: replay::PlaceForm::Decimal,
        }
    }

    /// The offset in the file of byte `at` of the move data, or the offset of their row if that is unknown.
    fn offset(&self, at: usize) -> u64 {
        self.data.map_or(self.row, |data| data + at as u64)
    }
}

/// The result of decoding a game.
pub(super) struct DecodedMoves<O> {
    pub(super) output: O,
    pub(super) problems: Vec<Problem>,
    pub(super) findings: Findings,
}

/// Findings of a replay.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Findings {
    /// Number of moves in the main line.
    pub(super) plies: u32,
    /// True if the end of the data was reached.
    pub(super) is_finished: bool,
    /// True if a move could not be played at all.
    pub(super) has_undecodable: bool,
    /// True if a move broke a rule.
    pub(super) has_illegal: bool,
}

/// A game being decoded.
pub(super) struct Decoder<'a, S> {
    pub(super) tokens: Tokens<'a>,
    place: MoveDataPlace<'a>,
    pub(super) cursor: Cursor,
    /// The parts to be read after the cursor's range, the next one last.
    pub(super) frames: Vec<Frame>,
    pub(super) replay: Replay<'a, S, PieceLists>,
    /// True if there may be variations.
    keeps_before: bool,
    /// Variations before the first move of their line, with the depth of the line (section 3.5).
    pub(super) early: Vec<(usize, Cursor)>,
    /// All variations, computed when one comes before the first move of its line.
    pub(super) variations: Option<Vec<Variation>>,
    pub(super) findings: Findings,
    lacks_texts: bool,
    pub(super) is_too_deep: bool,
    pub(super) has_stray_end: bool,
}

impl<'a, S: Sink> Decoder<'a, S> {
    /// A decoder at the start of a game.
    pub(super) fn new(
        tokens: Tokens<'a>,
        place: MoveDataPlace<'a>,
        position: Position,
        sink: S,
    ) -> Decoder<'a, S> {
        let lists = if position == Position::initial() {
            PieceLists::initial()
        } else {
            PieceLists::new(&position)
        };
        Decoder {
            tokens,
            place,
            cursor: tokens.start(),
            frames: Vec::new(),
            replay: Replay::new(sink, position, lists, LIMITS, place.origin()),
            keeps_before: S::WHOLE && tokens.may_have_variations(),
            early: Vec::new(),
            variations: None,
            findings: Findings::default(),
            lacks_texts: false,
            is_too_deep: false,
            has_stray_end: false,
        }
    }

    /// Decodes the game.
    pub(super) fn decode(mut self) -> DecodedMoves<S::Output> {
        loop {
            self.play_steps();
            if self.replay.is_done() {
                break;
            }
            let at = self.cursor.at;
            match self.tokens.next(&mut self.cursor) {
                Some(MoveToken::Move { code, second }) => self.play(code, second, at),
                Some(MoveToken::Nag(nag)) => self.replay.nag(nag),
                Some(MoveToken::Text(byte, text)) => self.comment(byte, text),
                Some(MoveToken::Start) => self.start_variation(at),
                Some(MoveToken::End) => self.end_variation(at),
                Some(MoveToken::Result(_) | MoveToken::Nothing) => {}
                Some(MoveToken::Finish) => {
                    self.findings.is_finished = true;
                    break;
                }
                Some(MoveToken::Cut) => {
                    self.fault(at, &Fault::damage("the second byte of a code is cut off"))
                }
                None if !self.next_frame() => break,
                None => {}
            }
        }
        if self.replay.depth() > 0 {
            self.fault(self.cursor.at, &Fault::OpenVariations);
        }
        while self.replay.depth() > 0 {
            self.close_line();
        }
        self.show_early();
        if !self.findings.is_finished {
            let what = "the move data has no end mark";
            self.fault(self.tokens.bin.len(), &Fault::damage(what));
        }
        self.finish()
    }

    /// Writes a game into a remark, because no game can be played from its start position.
    pub(super) fn describe(mut self, position: Position, reason: String) -> DecodedMoves<S::Output> {
        let mut cursor = self.cursor;
        let rest = self.unplayed(position, &mut cursor, Notation::Long, false);
        let offset = self.place.offset(0);
        let detail = format!("; the stored line goes on {rest}");
        self.replay.fault_with(offset, &Fault::damage(reason), &detail);
        self.finish()
    }

    fn finish(self) -> DecodedMoves<S::Output> {
        let (output, problems) = self.replay.finish();
        DecodedMoves {
            output,
            problems,
            findings: self.findings,
        }
    }

    /// A fast path for legal moves of pieces in lists, which nearly all codes of most games are. Stops at the first
    /// other code.
    fn play_steps(&mut self) {
        if self.keeps_before || !self.early.is_empty() {
            return;
        }
        let codes = self.tokens.bin.get(..self.cursor.end).unwrap_or_default();
        let is_main_line = self.replay.depth() == 0;
        while let Some(&code) = codes.get(self.cursor.at)
            && !self.replay.is_done()
        {
            let position = self.replay.position();
            let us = position.turn();
            let Some((place, from, to)) = step(self.replay.state(), us, code) else {
                return;
            };
            let taken = position.capture_square(from, to);
            let takes = position.occupied().contains(taken);
            if self.replay.play(Move::normal(from, to)).is_err() {
                return;
            }
            let lists = self.replay.state_mut();
            lists.step_and_take(us, place, to, taken, takes);
            self.findings.plies += u32::from(is_main_line);
            self.cursor.at += 1;
        }
    }

    fn play(&mut self, code: u8, second: u8, at: usize) {
        let position = self.replay.position();
        let Some(coded) = coded(position, self.replay.state(), code, second) else {
            return self.play_doubtful(code, second, at);
        };
        let effect = coded.effect(position);
        match self.replay.play(coded.mv) {
            Ok(()) => self.played(effect),
            Err(_) => self.play_doubtful(code, second, at),
        }
    }

    fn played(&mut self, effect: Effect) {
        if self.keeps_before {
            self.replay.keep_state();
        }
        effect.apply(self.replay.state_mut());
        if self.replay.depth() == 0 {
            self.findings.plies += 1;
        }
        if !self.early.is_empty() {
            self.replay_early();
        }
    }

    /// Handles a code whose move is not legal by its rule (section 3.6).
    #[cold]
    fn play_doubtful(&mut self, code: u8, second: u8, at: usize) {
        let position = *self.replay.position();
        match choose(&position, self.replay.state(), code, second) {
            Ok((coded, None)) => match self.replay.play(coded.mv) {
                Ok(()) => self.played(coded.effect(&position)),
                Err(Unplayed::Illegal(illegal)) => self.undecodable(code, at, Impossible::Rule(illegal)),
                Err(limit) => self.fault(at, &limit.into()),
            },
            Ok((_, Some(illegal))) => {
                self.findings.has_illegal = true;
                let has_outer = self.replay.depth() > 0;
                self.cursor.at = at;
                let mut cursor = self.cursor;
                let rest = self.unplayed(position, &mut cursor, Notation::Long, has_outer);
                self.cursor = cursor;
                let detail = format!("; the stored line goes on {rest}");
                let offset = self.place.offset(at);
                self.replay.fault_with(offset, &Fault::Illegal(illegal), &detail);
            }
            Err(impossible) => self.undecodable(code, at, impossible),
        }
    }

    /// Handles a code after which the line cannot be read (section 12.1).
    fn undecodable(&mut self, code: u8, at: usize, impossible: Impossible) {
        self.findings.has_undecodable = true;
        let what = format!("move code 0x{code:02x} cannot be played, {impossible}");
        self.fault(at, &Fault::damage(what));
        let has_outer = self.replay.depth() > 0;
        self.tokens.skip_line(&mut self.cursor, has_outer);
    }

    pub(super) fn comment(&mut self, byte: u8, text: Option<&[u8]>) {
        if !S::WHOLE {
            return;
        }
        if let Some(comment) = self.tokens.comment(byte, text) {
            self.replay.comment(&comment);
        }
        if text.is_none() {
            self.miss_text();
        }
    }

    /// Reports missing texts, once for each game (section 4.4).
    pub(super) fn miss_text(&mut self) {
        if !self.lacks_texts {
            self.lacks_texts = true;
            self.row_fault(self.place, "texts of comments are missing");
        }
    }

    /// Reports a fault at an offset in the move data.
    pub(super) fn fault(&mut self, at: usize, fault: &Fault) {
        self.replay.fault(self.place.offset(at), fault);
    }

    /// Reports a fault in a row.
    pub(super) fn row_fault(&mut self, place: MoveDataPlace<'_>, what: &str) {
        let fault = Fault::damage(what.to_owned());
        self.replay.fault_in(place.origin(), place.row, &fault, "");
    }
}

/// The move of a code: legal by its rule or recovered, otherwise pseudo-legal, with the rule that it breaks.
#[cold]
pub(super) fn choose(
    position: &Position,
    lists: &PieceLists,
    code: u8,
    second: u8,
) -> Result<(Coded, Option<Illegal>), Impossible> {
    let by_rule = coded(position, lists, code, second);
    let illegal = match by_rule {
        Some(coded) => match position.test(coded.mv) {
            Ok(()) => return Ok((coded, None)),
            Err(illegal) => Some(illegal),
        },
        None => None,
    };
    if let Some(recovered) = recovered(position, lists, code) {
        return Ok((recovered, None));
    }
    match (by_rule, illegal) {
        (Some(coded), Some(illegal)) if is_possible(position, coded.mv, illegal) => {
            Ok((coded, Some(illegal)))
        }
        (_, Some(illegal)) => Err(Impossible::Rule(illegal)),
        _ => Err(Impossible::NoTarget),
    }
}

#[cfg(test)]
mod tests {
    use super::super::myisam::Charset;
    use super::super::text::TextDecoder;
    use super::super::tokens::{TextSource, ZeroNag};
    use super::*;
    use crate::board::San;
    use crate::game::{Game, Tags};
    use crate::pgn::to_text;
    use crate::replay::{MainLine, Ply, Tree};
    use crate::text::utf8;

    const PLACE: MoveDataPlace<'_> = MoveDataPlace {
        file: "IO_Game.MYD",
        data: None,
        row: 0,
    };

    fn tokens(bin: &[u8]) -> Tokens<'_> {
        Tokens {
            bin,
            source: TextSource::Inline,
            charset: Charset::Utf8,
            texts: TextDecoder::default(),
            zero_nag: ZeroNag::WithValue,
        }
    }

    /// The moves of the main line, and the findings.
    fn main_line(bin: &[u8]) -> (Vec<String>, Findings) {
        let mut sans = Vec::new();
        let mut each = |ply: &Ply<'_>| {
            let san: San = ply.before().play_legal(ply.mv, &mut Default::default()).unwrap();
            sans.push(san.to_string());
            std::ops::ControlFlow::Continue(())
        };
        let decoder = Decoder::new(tokens(bin), PLACE, Position::initial(), MainLine(&mut each));
        let findings = decoder.decode().findings;
        (sans, findings)
    }

    /// The movetext of a game on one line. If it is `unplayed`, the moves are in a remark.
    fn movetext(bin: &[u8], is_unplayed: bool) -> String {
        let start = Position::initial();
        let decoder = Decoder::new(tokens(bin), PLACE, start, Tree::beginning(&start, 1, 0));
        let decoded = match is_unplayed {
            true => decoder.describe(start, "no".to_owned()),
            false => decoder.decode(),
        };
        let game = Game {
            tags: Tags::default(),
            movetext: decoded.output,
        };
        let text = utf8(&to_text(&game)).unwrap();
        let (_, movetext) = text.split_once("\n\n").unwrap();
        movetext.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// A variation without moves keeps only its comments (section 3.5).
    #[test]
    fn variations_before_the_first_move_keep_their_moves_and_comments() {
        for (bin, shown) in [
            (&b"\xf0\xf1\xff"[..], "*"),
            (b"\xf0\xe0cmt\0\xf1\xff", "{cmt} *"),
            (b"\xf0\x13\xf1\xff", "{(e4)} *"),
            (b"\xf0\x13\xf0\xe0cmt\0\xf1\xf1\xff", "{(e4 \"cmt\")} *"),
            (
                b"\x13\xf0\xf0\xf0\x13\xf1\xf1\xf1\x17\xff",
                "1. e4 {((e4))} 1... f5 *",
            ),
        ] {
            assert_eq!(movetext(bin, false), shown);
        }
        let rest = movetext(b"\x00\xf0\xf0\x18\xf1\xe0cmt\0\x18\xf1\x0c\xff", true);
        assert!(
            rest.contains("goes on a2a3 ((g2g3) \"cmt\" g2g3) d7d6} *"),
            "{rest}"
        );
    }

    #[test]
    fn a_captured_piece_is_no_longer_that_of_its_pawn() {
        // White's h-pawn becomes a queen, which is captured. Then the b-pawn does, and gets the vacant entry.
        let codes = b"\x1f\x00\x1c\x00\x1c\x00\x1e\x00\xa7\x27\x4e\x06\x47\x04\x1c\x04\x1c\x04\x1c\x05\x1c";
        let second = b"\xa1\x2b\x08";
        let sans = "h4 a6 h5 a5 h6 a4 hxg7 a3 gxh8=Q Bg7 bxa3 Bxh8 a4 h6 a5 h5 a6 h4 axb7 h3 bxa8=Q c6";
        let sans: Vec<_> = sans.split(' ').collect();

        // Along the eighth rank to file c, where a bishop is.
        let of_second = main_line(&[codes, &second[..], b"\xa9\x39\x0c\xa9\x3a\xff"].concat());
        let goes_on: Vec<_> = sans.iter().copied().chain(["Qxb8", "d6", "Qxc8"]).collect();
        assert_eq!(of_second.0, goes_on);
        assert!(of_second.1.is_finished && !of_second.1.has_undecodable);

        let of_first = main_line(&[codes, &second[..], b"\xa9\x39\x0c\xaf\x3a\xff"].concat());
        assert_eq!(of_first.0, goes_on.split_last().unwrap().1);
        assert!(of_first.1.has_undecodable);

        // Before the second promotion the entry is vacant.
        let vacant = main_line(&[&codes[..13], b"\xaf\x30\xff"].concat());
        assert_eq!(vacant.0, sans.get(..12).unwrap());
        assert!(vacant.1.has_undecodable);
    }
}
