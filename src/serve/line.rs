//! A position in a request: a FEN, and moves from this position.

use chessdb::board::{Counters, Fen, Move, Position, Setup, Uci, Undo};
use chessdb_library::openings::OpeningName;
use chessdb_library::positions::{Pattern, Rights};

/// Maximum number of moves.
const MOST_PLIES: usize = 1000;

/// The position after some moves.
#[derive(Clone, Debug)]
pub(super) struct PlayedLine {
    pub(super) position: Position,
    /// The rights of the position that the FEN has; the others match any.
    rights: Rights,
    counters: Counters,
    /// The moves in SAN, and in the notation of UCI.
    pub(super) sans: Vec<String>,
    pub(super) ucis: Vec<String>,
    /// The opening of the last position of the line that has a name.
    pub(super) opening: Option<OpeningName>,
}

impl PlayedLine {
    /// Reads a position, by default the usual start position, and moves in the notation of UCI, separated by commas.
    ///
    /// # Errors
    /// The name of the invalid parameter, and the reason.
    pub(super) fn read(fen: Option<&str>, play: Option<&str>) -> Result<PlayedLine, (&'static str, String)> {
        let moves = play.unwrap_or_default().split(',');
        PlayedLine::played(fen, "play", moves, Position::read_uci)
    }

    /// Reads a position, and moves in SAN, with or without move numbers.
    ///
    /// # Errors
    /// The name of the invalid parameter, and the reason.
    pub(super) fn read_moves(fen: Option<&str>, moves: &str) -> Result<PlayedLine, (&'static str, String)> {
        let moves = moves.split_whitespace().map(without_number);
        PlayedLine::played(fen, "moves", moves, |position, text| {
            let read = position.read_move(text.trim_end_matches(['!', '?'])).ok();
            read.filter(|&mv| mv != Move::Null)
        })
    }

    fn played<'a>(
        fen: Option<&str>,
        parameter: &'static str,
        moves: impl Iterator<Item = &'a str>,
        read: impl Fn(&Position, &str) -> Option<Move>,
    ) -> Result<PlayedLine, (&'static str, String)> {
        let (mut position, mut counters, rights) = match fen.filter(|fen| !fen.trim().is_empty()) {
            Some(fen) => {
                let (position, counters) = read_fen(fen).map_err(|what| ("fen", what))?;
                let rights = match fen
                    .split(|c: char| c.is_whitespace() || c == '_')
                    .filter(|field| !field.is_empty())
                    .count()
                {
                    0..=2 => Rights::None,
                    3 => Rights::Castling,
                    _ => Rights::All,
                };
                (position, counters, rights)
            }
            None => (Position::initial(), Counters::default(), Rights::All),
        };
        let mut opening = OpeningName::of(&position);
        let (mut sans, mut ucis) = (Vec::new(), Vec::new());
        let moves = moves.filter(|text| !text.is_empty());
        for (text, number) in moves.zip(0..) {
            if number == MOST_PLIES {
                return Err((parameter, format!("there are more than {MOST_PLIES} moves")));
            }
            let wrong = || {
                let what = format!(
                    "move {}, {text}, is not legal in {}",
                    number + 1,
                    self::fen(&position, &counters)
                );
                (parameter, what)
            };
            let mv = read(&position, text).ok_or_else(wrong)?;
            let mut after = position;
            let played = after.play_legal(mv, &mut Undo::default());
            sans.push(played.map_err(|_| wrong())?.to_string());
            ucis.push(uci(&position, mv));
            counters.follow(&position, mv);
            position = after;
            opening = OpeningName::of(&position).or(opening);
        }
        Ok(PlayedLine {
            position,
            rights,
            counters,
            sans,
            ucis,
            opening,
        })
    }

    /// The FEN of the position, with the en passant square only if a capture is legal.
    pub(super) fn fen(&self) -> String {
        fen(&self.position, &self.counters)
    }

    /// The pattern of the position. Rights that the FEN leaves out may be anything.
    pub(super) fn pattern(&self) -> Pattern {
        Pattern::new(self.position).with_rights(self.rights)
    }

    /// The counters of the position.
    pub(super) fn counters(&self) -> Counters {
        self.counters
    }
}

/// A move without the move number in front of it.
fn without_number(text: &str) -> &str {
    match text.rsplit_once(['.', '…']) {
        Some((number, mv))
            if number
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '.' | '…')) =>
        {
            mv
        }
        _ => text,
    }
}

/// A move in the notation of UCI.
pub(super) fn uci(position: &Position, mv: Move) -> String {
    let is_chess960 = position.is_chess960();
    let uci = Uci {
        position,
        mv,
        is_chess960,
    };
    uci.to_string()
}

/// The FEN of a position.
pub(super) fn fen(position: &Position, counters: &Counters) -> String {
    let setup = Setup {
        ep_square: position.legal_en_passant(),
        ..counters.setup(position)
    };
    Fen::text(&setup)
}

/// Reads a FEN. Its last fields may be missing, and it may have `_` instead of blanks.
pub(super) fn read_fen(text: &str) -> Result<(Position, Counters), String> {
    let text = text.replace('_', " ");
    let given: Vec<&str> = text.split_whitespace().take(6).collect();
    let usual = ["", "w", "-", "-", "0", "1"].into_iter().zip(0..);
    let fields = usual.map(|(usual, n)| given.get(n).copied().unwrap_or(usual));
    let fen = fields.collect::<Vec<_>>().join(" ");
    let read = Fen::parse(&fen).map_err(|error| {
        let why = Fen::flaw(&fen).map_or_else(|| error.to_string(), |flaw| flaw.to_string());
        format!("'{text}' is not a position: {why}")
    })?;
    let number = |n: usize| given.get(n).and_then(|text| text.parse().ok());
    let counters = Counters {
        halfmoves: number(4).unwrap_or(0),
        fullmoves: read
            .first_move
            .try_into()
            .unwrap_or(Counters::default().fullmoves),
    };
    Ok((read.position, counters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_that_are_left_out_match_any() {
        let board = "r4rk1/pppppppp/8/8/8/8/PPPPPPPP/R4RK1";
        let with = |fen: &str| PlayedLine::read(Some(fen), None).unwrap();
        let castled = with(&format!("{board} w - -"));
        assert!(castled.pattern().is_exact());
        assert!(with(&format!("{board} w")).pattern().matches(&castled.position));
        let initial = Position::initial();
        for (fields, is_found) in [
            ("", true),
            (" w", true),
            (" w KQkq", true),
            (" w KQ", false),
            (" w - -", false),
        ] {
            let line = with(&format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR{fields}"));
            assert_eq!(line.pattern().matches(&initial), is_found, "{fields}");
        }
    }

    #[test]
    fn positions_are_read_leniently() {
        let initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for fen in [None, Some(""), Some(initial), Some(&*initial.replace(' ', "_"))] {
            assert_eq!(PlayedLine::read(fen, None).unwrap().fen(), initial, "{fen:?}");
        }
        let bare = PlayedLine::read(Some("4k3/8/8/8/8/8/8/4K3"), None).unwrap();
        assert_eq!(bare.fen(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        let line = PlayedLine::read(None, Some("e2e4,c7c5,g1f3")).unwrap();
        assert_eq!(
            line.fen(),
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
        );
        assert_eq!(line.opening.unwrap().name, "Sicilian Defense");
    }

    #[test]
    fn moves_are_read_as_games_have_them() {
        for (moves, ucis) in [
            ("1. e4 e5 2. Nf3", "e2e4 e7e5 g1f3"),
            ("1.e4 e5!? 2.Nf3", "e2e4 e7e5 g1f3"),
            ("e4 e5", "e2e4 e7e5"),
            (
                "1. e4 1... e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0",
                "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1",
            ),
            ("1. e4 1… e5", "e2e4 e7e5"),
            ("", ""),
        ] {
            let line = PlayedLine::read_moves(None, moves).unwrap();
            assert_eq!(line.ucis.join(" "), ucis, "{moves}");
            let same = PlayedLine::read(None, Some(&line.ucis.join(","))).unwrap();
            assert_eq!((same.sans, same.ucis), (line.sans, line.ucis), "{moves}");
        }
        let (name, what) = PlayedLine::read_moves(None, "1. e4 e5 2. Ke3").unwrap_err();
        assert!(
            name == "moves" && what.starts_with("move 3, Ke3, is not legal in "),
            "{what}"
        );
        let line = PlayedLine::read_moves(Some("4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"), "7... Ke7").unwrap();
        assert_eq!(line.ucis, ["e8e7"]);
    }

    #[test]
    fn at_most_a_thousand_moves_are_played() {
        let knights = ["g1f3", "g8f6", "f3g1", "f6g8"];
        let line = |moves: usize| {
            let moves: Vec<&str> = knights.into_iter().cycle().take(moves).collect();
            PlayedLine::read(None, Some(&moves.join(",")))
        };
        assert!(line(MOST_PLIES).unwrap().fen().ends_with("1000 501"));
        assert_eq!(line(MOST_PLIES + 1).unwrap_err().0, "play");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |fen, play| PlayedLine::read(fen, play).unwrap_err();
        assert_eq!(wrong(Some("x"), None).0, "fen");
        assert_eq!(
            wrong(None, Some("e2e4,e2e4")),
            (
                "play",
                "move 2, e2e4, is not legal in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
                    .to_owned()
            )
        );
    }
}
