//! Move numbers, which show whether a word that cannot be read was meant as a move (section 5.5).

use crate::text::Charset;

use super::characters::decode;
use super::form::has_form;
use super::items::{Item, Items};
use super::results::movetext_result;
use super::values::with_plain_signs;
use super::words::LONGEST;
use crate::text::utf8;

/// Number of words that are searched for the next number.
const MOST_WORDS: u32 = 64;

/// Minimum number of points after a move number of Black.
const BLACK: u64 = 3;

/// A move number as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MoveNumber {
    value: u64,
    /// Number of points after it.
    points: u64,
}

impl MoveNumber {
    /// Reads the move number at the start of a word: digits, and points in the word or after it. Returns the rest of
    /// the word, which must not be another number, as in `3.2`.
    fn read<'w>(word: &'w [u8], after: Items<'_>, encoding: Charset) -> Option<(MoveNumber, &'w [u8])> {
        let digits = word.iter().take_while(|c| c.is_ascii_digit()).count();
        let (digits, rest) = word.split_at_checked(digits)?;
        let value: u32 = utf8(digits).ok()?.parse().ok().filter(|value| *value > 0)?;
        let (mut points, rest) = split_points(rest);
        let is_number = match rest.first() {
            None => true,
            Some(_) if points == 0 => false,
            Some(c) if c.is_ascii_digit() => {
                is_move(rest, encoding) || movetext_result(rest, encoding).is_some()
            }
            Some(_) => true,
        };
        if rest.is_empty() {
            points += points_after(after);
        }
        let value = u64::from(value);
        is_number.then_some((MoveNumber { value, points }, rest))
    }

    /// Number of half-moves before White's move with this number.
    fn plies(self) -> u64 {
        2 * (self.value - 1)
    }
}

/// Counts and splits off the points at the start of a word.
fn split_points(word: &[u8]) -> (u64, &[u8]) {
    let (mut points, mut rest) = (0, word);
    loop {
        (points, rest) = match rest {
            [b'.', rest @ ..] => (points + 1, rest),
            // An ellipsis, in UTF-8 and in windows-1252.
            [0xe2, 0x80, 0xa6, rest @ ..] | [0x85, rest @ ..] => (points + 3, rest),
            _ => return (points, rest),
        }
    }
}

/// Number of points at the start of the next words, up to a word with anything else.
fn points_after(items: Items<'_>) -> u64 {
    let (mut items, mut all) = (items, 0);
    while all < BLACK
        && let Some(Item::Word(word)) = items.next()
    {
        let (points, rest) = split_points(word);
        all += points;
        if points == 0 || !rest.is_empty() {
            break;
        }
    }
    all
}

/// True for a word with the form of a move, which its first bytes show.
pub(super) fn is_move(word: &[u8], encoding: Charset) -> bool {
    let word = word.get(..LONGEST).unwrap_or(word);
    let may_be = word.iter().any(u8::is_ascii_digit)
        || matches!(
            word.first(),
            Some(b'O' | b'o' | b'-' | b'n' | b'@' | b'<' | b'p' | 0x80..)
        );
    may_be && has_form(&with_plain_signs(&decode(word, encoding)))
}

/// The count of half-moves in a line: its last number, and the moves since then.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveCount {
    /// Number of half-moves before the next move.
    plies: u64,
    /// The last number that counted.
    last: Option<MoveNumber>,
    /// Words since then that are not moves.
    skipped: u64,
    /// True if Black's moves have the same numbers as White's: `1. e4 1. e5`.
    is_doubled: bool,
    /// True if the last word is not a move and ends with a point, like `p.`.
    is_abbreviation: bool,
    encoding: Charset,
}

/// What move numbers show about a word that is not a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It was not meant as a move, and neither were the other such words of the line up to this offset.
    NoMove(usize),
    /// It was meant as a move. `is_numbered` if it comes between a number with a point and the next one, which a move
    /// follows.
    Move { is_numbered: bool },
    /// No number follows, or the number fits both possibilities.
    Unknown,
}

impl MoveCount {
    /// The count at the start of a main line with these items, after `plies` half-moves.
    pub(super) fn new(plies: u64, items: Items<'_>, encoding: Charset) -> MoveCount {
        MoveCount {
            plies,
            last: None,
            skipped: 0,
            is_doubled: is_doubled(items, encoding),
            is_abbreviation: false,
            encoding,
        }
    }

    /// The count at the start of a variation on the last move.
    pub(super) fn of_variation(self) -> MoveCount {
        MoveCount {
            plies: self.plies.saturating_sub(1),
            is_abbreviation: false,
            ..self
        }
    }

    /// Reads a number at the start of a word, if it has one; `after` are the items after the word. Returns the word
    /// without number and points.
    pub(super) fn word<'w>(&mut self, word: &'w [u8], after: Items<'_>) -> &'w [u8] {
        self.number(word, after).1
    }

    /// [`MoveCount::word`], and the number if it counts.
    fn number<'w>(&mut self, word: &'w [u8], after: Items<'_>) -> (Option<MoveNumber>, &'w [u8]) {
        let is_abbreviation = std::mem::take(&mut self.is_abbreviation);
        let Some((number, rest)) = MoveNumber::read(word, after, self.encoding) else {
            return (None, split_points(word).1);
        };
        let agrees = self.plies / 2 == number.value - 1;
        let counts = match self.last {
            None => number.points > 0 || agrees,
            // The number is too large to be reached in a few words: perhaps it is a year.
            Some(last) if number.value > last.value + u64::from(MOST_WORDS) => false,
            // In a game that writes points, and in `p. 123`, a number without points is not the number of a move.
            Some(last) => number.points > 0 || last.points == 0 && !is_abbreviation,
        };
        if !counts {
            return (None, rest);
        }
        self.last = Some(number);
        self.skipped = 0;
        if number.points >= BLACK {
            self.plies = number.plies() + 1;
        } else if !agrees {
            self.plies = number.plies();
        }
        (Some(number), rest)
    }

    /// The move number after the next move.
    pub(super) fn number_after_next(self) -> u64 {
        self.plies.div_ceil(2) + 1
    }

    /// Counts a move.
    pub(super) fn play(&mut self) {
        self.plies += 1;
    }

    /// Records a word that is not a move.
    pub(super) fn skip(&mut self, word: &[u8]) {
        self.skipped += 1;
        self.is_abbreviation = word.ends_with(b".");
    }

    /// Compares the count after a word that is not a move with the next number in `items`, which follow the word. Reads
    /// at most `budget` bytes, and subtracts what it has read.
    pub(super) fn judge(self, items: Items<'_>, is_main_line: bool, budget: &mut usize) -> Verdict {
        let (mut count, mut items) = (self, items);
        let start = items.at;
        let mut verdict = Verdict::Unknown;
        let (mut words, mut depth) = (0, 0u32);
        while let Some(item) = items.next()
            && items.at - start <= *budget
        {
            match item {
                Item::Open => depth += 1,
                Item::Close if depth > 0 => depth -= 1,
                Item::Close | Item::Bracket => break,
                Item::Word(_) if depth > 0 => {}
                Item::Word(word) => {
                    words += 1;
                    let plies = count.plies;
                    let (number, rest) = count.number(word, items);
                    if let Some(number) = number {
                        verdict = match self.is_count(plies, number) {
                            None => Verdict::Unknown,
                            Some(true) => Verdict::NoMove(items.start),
                            Some(false) => Verdict::Move {
                                is_numbered: self.is_numbered(number, words, rest, items),
                            },
                        };
                        break;
                    }
                    let is_over = is_main_line && movetext_result(rest, self.encoding).is_some();
                    if is_over || words == MOST_WORDS {
                        break;
                    }
                    if is_move(rest, self.encoding) {
                        count.play();
                    } else {
                        count.skip(rest);
                    }
                }
                _ => {}
            }
        }
        *budget = budget.saturating_sub(items.at - start);
        verdict
    }

    /// True if a number of half-moves fits the move number after it; `None` if one half-move more fits, too.
    fn is_count(self, plies: u64, number: MoveNumber) -> Option<bool> {
        let is_blacks = number.points >= BLACK;
        let fits = |plies: u64| match self.is_doubled {
            true if !is_blacks => plies / 2 == number.value - 1,
            _ => plies == number.plies() + u64::from(is_blacks),
        };
        let is_count = fits(plies);
        (!is_count || !self.is_doubled || !fits(plies + 1)).then_some(is_count)
    }

    /// True if `number`, in the `words`th word from here, comes next after the last number of the line, which has a point,
    /// with a word for each half-move between them, and a move follows it.
    fn is_numbered(self, number: MoveNumber, words: u32, rest: &[u8], after: Items<'_>) -> bool {
        let place = |number: MoveNumber| number.plies() + u64::from(number.points >= BLACK);
        let last = self.last.filter(|last| last.points > 0);
        let ahead = last.and_then(|last| place(number).checked_sub(place(last)));
        let mut after = after;
        let between = self.skipped + u64::from(words) - 1;
        matches!(ahead, Some(1..=2))
            && ahead == Some(between)
            && match (rest, after.next()) {
                ([], Some(Item::Word(word))) => is_move(word, self.encoding),
                ([], _) => false,
                _ => is_move(rest, self.encoding),
            }
    }
}

/// True if a main line has the same number twice, with one move in between.
fn is_doubled(items: Items<'_>, encoding: Charset) -> bool {
    let mut items = items;
    let (mut last, mut moves) = (None, 0);
    while let Some(item) = items.next() {
        match item {
            Item::Open => drop(items.skip_variation()),
            Item::Word(word) => {
                let rest = match MoveNumber::read(word, items, encoding) {
                    Some((number, rest)) => {
                        let value = Some(number.value).filter(|_| number.points < BLACK);
                        if value.is_some() && value == last && moves == 1 {
                            return true;
                        }
                        (last, moves) = (value, 0);
                        rest
                    }
                    None => split_points(word).1,
                };
                if is_move(rest, encoding) {
                    moves += 1;
                } else if !rest.is_empty() {
                    last = None;
                }
            }
            _ => {}
        }
    }
    false
}
