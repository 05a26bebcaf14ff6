//! One game: items to tokens, and what to do about damage (sections 6.6 to 7.5).

use std::borrow::Cow;
use std::fmt::Write;

use super::SimpleCdb;
use super::body::{Item, Items, StoredMove};
use super::promotion::Promotions;
use super::record::{Damage, Record};
use crate::board::{Fen, Illegal, Move, Position, Square};
use crate::formats::{Decoded, Problem};
use crate::game::{Game, Movetext, MovetextBuilder};
use crate::text::utf8_line;

/// Most variations that are open at once (section 7.5).
const DEEPEST: usize = 255;
/// Most moves of a game, all lines together.
const MOST_MOVES: u32 = 65_535;
/// Most remarks of a game. Each costs many times the bytes that it is about.
const MOST_REMARKS: usize = 4096;

/// Decodes a game under a reading of the promotion codes.
pub(super) fn game(database: &SimpleCdb, game: u32, promotions: Promotions) -> Decoded {
    let entry = database.entry(game);
    let mut tags = database.header(&entry);
    let mut problems = Vec::new();
    if !matches!(entry.status, 0 | 0xff) {
        problems.push(Problem {
            file: database.index.file_name().to_owned(),
            offset: Some(entry.at as u64),
            what: format!("unknown status {:02x}", entry.status),
        });
    }
    let file = database.records.file_name();
    let decoded = database.records.record(entry.offset).and_then(|record| {
        let parts = record.parts()?;
        if let Some(fen) = &parts.fen {
            tags.set_str("SetUp", "1");
            tags.set_str("FEN", fen);
        }
        let (position, first_move) = match &parts.fen {
            None => (Position::initial(), 1),
            Some(fen) => {
                let fen = Fen::parse(fen).map_err(|error| Damage::new(record.start, error.to_string()))?;
                (fen.position, fen.first_move)
            }
        };
        let mut body = Body::new(record, parts.body, position, first_move, promotions, file);
        body.decode();
        Ok((body.builder.finish(), body.problems))
    });
    let (movetext, rest) = decoded.unwrap_or_else(|damage| without_moves(&damage, file));
    problems.extend(rest);
    Decoded {
        game: Game { tags, movetext },
        problems,
    }
}

/// Movetext that only says why there are no moves.
fn without_moves(damage: &Damage, file: &str) -> (Movetext, Vec<Problem>) {
    let mut builder = MovetextBuilder::new(Position::initial(), 1);
    let mut problems = Vec::new();
    remark(&mut builder, &mut problems, damage, "", file);
    (builder.finish(), problems)
}

/// Puts a remark on the current move, and a row into the problems. What the `rest` of the line was stands in the
/// remark alone: it may be megabytes, and the problems of all games are kept.
fn remark(
    builder: &mut MovetextBuilder,
    problems: &mut Vec<Problem>,
    damage: &Damage,
    rest: &str,
    file: &str,
) {
    let Damage { offset, reason } = damage;
    builder.comment(&format!("pgnfs: {reason}{rest} at .dcg offset 0x{offset:x}"));
    problems.push(Problem {
        file: file.to_owned(),
        offset: Some(*offset),
        what: reason.clone().into_owned(),
    });
}

/// A body being decoded.
struct Body<'a> {
    record: Record<'a>,
    items: Items<'a>,
    builder: MovetextBuilder,
    promotions: Promotions,
    problems: Vec<Problem>,
    file: &'a str,
}

/// Whether reading goes on.
#[derive(PartialEq, Eq)]
enum Next {
    Item,
    End,
}

impl<'a> Body<'a> {
    fn new(
        record: Record<'a>,
        body: usize,
        position: Position,
        first_move: u32,
        promotions: Promotions,
        file: &'a str,
    ) -> Body<'a> {
        let mut builder = MovetextBuilder::new(position, first_move);
        builder.reserve((record.bytes.len() / 2).min(256));
        Body {
            record,
            items: Items::new(record.bytes, body),
            builder,
            promotions,
            problems: Vec::new(),
            file,
        }
    }

    fn decode(&mut self) {
        loop {
            let at = self.items.at;
            if let Some(stored) = self.items.next_move() {
                if self.play_stored(stored, at) == Next::End {
                    return;
                }
                continue;
            }
            let next = match self.items.next() {
                Ok(Some(item)) => self.item(item, at),
                Ok(None) => self.end(),
                Err(bad) => self.stop(bad.at, bad.reason),
            };
            if next == Next::End {
                return;
            }
        }
    }

    fn item(&mut self, item: Item<'a>, at: usize) -> Next {
        match item {
            Item::Move(stored) => self.play_stored(stored, at),
            Item::NullMove => self.play(Move::Null, at),
            Item::Text(text) => {
                self.builder.comment(&utf8_line(text));
                Next::Item
            }
            Item::Nags(nags) => {
                nags.iter().for_each(|&nag| self.builder.nag(nag));
                Next::Item
            }
            Item::Start => self.start_variation(at),
            Item::End => {
                if self.builder.end_variation() {
                    Next::Item
                } else {
                    self.stop(at, "a variation ends that did not begin")
                }
            }
        }
    }

    /// Plays the move that a stored one means. A king's step of two files from its home square is castling.
    #[inline(always)]
    fn play_stored(&mut self, stored: StoredMove, at: usize) -> Next {
        let (from, to) = (stored.from(), stored.to());
        if let Some(side) = stored.castling_step()
            && self.is_king_of_mover(from)
        {
            return self.play(Move::Castle(side), at);
        }
        match self.promotions.role(stored.promotion_code()) {
            Some(promotion) => self.play(Move::Normal { from, to, promotion }, at),
            None => self.illegal(Illegal::Promotion, at),
        }
    }

    fn is_king_of_mover(&self, square: Square) -> bool {
        let position = self.builder.position();
        position.king(position.turn()) == Some(square)
    }

    #[inline(always)]
    fn play(&mut self, mv: Move, at: usize) -> Next {
        if self.builder.moves() >= MOST_MOVES {
            return self.stop(at, "the game has more than 65535 moves");
        }
        match self.builder.play(mv) {
            Ok(()) => Next::Item,
            Err(illegal) => self.illegal(illegal, at),
        }
    }

    /// An illegal move ends its line; what the file has behind it is told in the remark (section 7.2).
    #[cold]
    fn illegal(&mut self, illegal: Illegal, at: usize) -> Next {
        if self.has_enough_remarks() {
            return self.stop_for_remarks(at);
        }
        let line = stored_line(Items::new(self.record.bytes, at));
        self.remark(
            at,
            format!("illegal move: {illegal}"),
            &format!("; the stored line goes on {line}"),
        );
        if self.builder.depth() == 0 {
            return Next::End;
        }
        let next = self.skip_variation();
        if next == Next::Item {
            self.builder.end_variation();
        }
        next
    }

    fn start_variation(&mut self, at: usize) -> Next {
        if self.builder.has_move() && self.builder.depth() >= DEEPEST {
            if self.has_enough_remarks() {
                return self.stop_for_remarks(at);
            }
            self.remark(at, "variations are nested deeper than 255 levels", "");
            return self.skip_variation();
        }
        match self.builder.start_variation() {
            Ok(()) => Next::Item,
            Err(_) => self.stop(at, "a variation begins where no move stands that it replaces"),
        }
    }

    /// Passes over all items up to the end of the variation that is being read.
    fn skip_variation(&mut self) -> Next {
        let mut depth = 1u32;
        loop {
            match self.items.next() {
                Ok(Some(Item::Start)) => depth += 1,
                Ok(Some(Item::End)) => depth -= 1,
                Ok(Some(_)) => {}
                Ok(None) => return self.end_inside_variation(),
                Err(bad) => return self.stop(bad.at, bad.reason),
            }
            if depth == 0 {
                return Next::Item;
            }
        }
    }

    fn end(&mut self) -> Next {
        match self.record.cut {
            Some(reason) => self.stop(self.record.bytes.len(), reason),
            None if self.builder.depth() > 0 => self.end_inside_variation(),
            None => Next::End,
        }
    }

    fn end_inside_variation(&mut self) -> Next {
        let reason = self.record.cut.unwrap_or("the game ends inside a variation");
        self.stop(self.record.bytes.len(), reason)
    }

    #[cold]
    fn stop(&mut self, at: usize, reason: &'static str) -> Next {
        self.remark(at, reason, "");
        Next::End
    }

    fn has_enough_remarks(&self) -> bool {
        self.problems.len() >= MOST_REMARKS
    }

    fn stop_for_remarks(&mut self, at: usize) -> Next {
        self.stop(
            at,
            "more than 4096 places of the game cannot be read: it ends here",
        )
    }

    fn remark(&mut self, at: usize, reason: impl Into<Cow<'static, str>>, rest: &str) {
        let damage = Damage::new(self.record.start + at as u64, reason);
        remark(&mut self.builder, &mut self.problems, &damage, rest, self.file);
    }
}

/// The moves of the current line as they are stored, up to its end or to the first byte that cannot be read.
fn stored_line(mut items: Items<'_>) -> String {
    let mut line = String::new();
    let mut depth = 0u32;
    while let Ok(Some(item)) = items.next() {
        match item {
            Item::Start => depth += 1,
            Item::End if depth == 0 => break,
            Item::End => depth -= 1,
            Item::Move(stored) if depth == 0 => {
                let blank = if line.is_empty() { "" } else { " " };
                let code = stored.promotion_code();
                let promotion = if code == 0 {
                    String::new()
                } else {
                    format!("={code}")
                };
                // Writing to a string cannot fail.
                let _ = write!(line, "{blank}{}{}{promotion}", stored.from(), stored.to());
            }
            Item::NullMove if depth == 0 => line.push_str(if line.is_empty() { "--" } else { " --" }),
            _ => {}
        }
    }
    line
}
