//! The words of a game in the order of PGN (sections 4.1, 6).
//!
//! The main line is stored first, then the alternatives: the later their move, the earlier they come. But PGN, and the
//! numbers of annotated moves, need an alternative directly after the move that it replaces. Following the marks from
//! the first word on shows where each alternative begins ([`Outline`]).
//!
//! Words:
//!
//! ```text
//! 0001 to c02c  moves (4.2)
//! fffa          null move
//! fffb          the start position follows, up to fffc
//! fffc          the moves follow
//! fffd          the move before it has an alternative, which comes later
//! ffff          the line ends
//! others        not moves
//! ```

use crate::bytes::index;

/// The move before this word has an alternative.
pub(super) const ALTERNATIVE: u16 = 0xfffd;
/// The line ends.
pub(super) const END: u16 = 0xffff;

/// Maximum number of marks that are followed. It is also the maximum number of moves of a game.
pub(super) const MOST_MARKS: usize = 1_000_000;

/// The words of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a>(&'a [[u8; 2]]);

impl<'a> Words<'a> {
    /// The words of a frame's content. An odd byte at the end does not count.
    pub(super) fn new(content: &'a [u8]) -> Words<'a> {
        let (words, _) = content.as_chunks();
        Words(words)
    }

    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> Option<u16> {
        self.0.get(number).map(|word| u16::from_le_bytes(*word))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The words from a place on.
    fn from(&self, first: usize) -> impl Iterator<Item = u16> {
        let words = self.0.get(first..).unwrap_or_default();
        words.iter().map(|word| u16::from_le_bytes(*word))
    }

    /// Number of half-moves of the main line, starting at a word, up to the first word that is not a move. Stops at a
    /// mark without a move.
    pub(super) fn main_line_len(&self, first: usize, is_move: impl Fn(u16) -> bool) -> u32 {
        let (mut at, mut len) = (first, 0);
        loop {
            let moves = self.from(at).take_while(|word| is_move(*word)).count();
            len += moves;
            at += moves;
            if len == 0 || self.get(at) != Some(ALTERNATIVE) {
                return u32::try_from(len).unwrap_or(u32::MAX);
            }
            at += 1;
        }
    }
}

/// The next event in the order of PGN. Places are numbers of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A word that is not a mark, and its place.
    Move(u16, usize),
    /// A variation on the last move of the line begins, at a place.
    Open(usize),
    /// The line ends at a place without its mark.
    Broken(Broken, usize),
    /// The variation ends.
    Close,
}

/// Why a line ends without its mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// The words end without an end mark.
    NoEnd,
    /// A mark of an alternative does not follow a move.
    Mark,
    /// There are too many marks.
    Limit,
}

/// Where the lines of a game begin.
#[derive(Clone, Debug, Default)]
struct Outline {
    /// The places of the marks and of the alternatives that they announce; `None` for a missing alternative.
    alternatives: Vec<(usize, Option<usize>)>,
    /// The place where reading ends.
    end: usize,
    broken: Option<Broken>,
    /// True if words follow the end of the game.
    has_rest: bool,
}

impl Outline {
    fn read(words: Words<'_>, first: usize) -> Outline {
        let mut outline = Outline::default();
        // Most games have no alternatives.
        let mut marks = words
            .from(first)
            .zip(first..)
            .filter(|(word, _)| *word >= ALTERNATIVE);
        if let Some((END, at)) = marks.next() {
            return Outline {
                end: at,
                has_rest: at + 1 < words.len(),
                ..outline
            };
        }
        // Marks whose alternatives have not been reached yet.
        let mut open = Vec::new();
        let mut has_move = false;
        let mut at = first;
        loop {
            match words.get(at) {
                None => outline.broken = Some(Broken::NoEnd),
                Some(ALTERNATIVE) if !has_move => outline.broken = Some(Broken::Mark),
                Some(ALTERNATIVE) if outline.alternatives.len() >= MOST_MARKS => {
                    outline.broken = Some(Broken::Limit);
                }
                Some(ALTERNATIVE) => {
                    open.push(outline.alternatives.len());
                    outline.alternatives.push((at, None));
                }
                Some(END) => match open
                    .pop()
                    .and_then(|mark: usize| outline.alternatives.get_mut(mark))
                {
                    Some((_, line)) => {
                        *line = Some(at + 1);
                        has_move = false;
                    }
                    None => {
                        outline.has_rest = at + 1 < words.len();
                        break;
                    }
                },
                Some(_) => has_move = true,
            }
            if outline.broken.is_some() {
                break;
            }
            at += 1;
        }
        outline.end = at;
        outline
    }

    /// The alternatives of the marks in a range of places, in reverse order of storage.
    fn of(&self, marks: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
        let start = self.alternatives.partition_point(|(at, _)| *at < marks.start);
        let found = self.alternatives.get(start..).unwrap_or_default().iter();
        found
            .take_while(move |(at, _)| *at < marks.end)
            .filter_map(|(_, line)| *line)
    }
}

/// A part to be read after the current line.
#[derive(Clone, Copy, Debug)]
enum Pending {
    /// A variation on the last move of the outer line.
    Variation(usize),
    /// The rest of the outer line.
    Rest(usize),
}

/// Goes through the words of a game in the order of PGN.
#[derive(Clone, Debug)]
pub(super) struct Walk<'a> {
    words: Words<'a>,
    outline: Outline,
    at: usize,
    pending: Vec<Pending>,
    /// Number of open variations.
    depth: usize,
    has_move: bool,
    /// True if the next line must be taken from `pending`.
    is_between: bool,
    /// True if the line ends without a mark and this has been reported.
    is_broken: bool,
    is_over: bool,
}

impl<'a> Walk<'a> {
    /// The words from `first` on.
    pub(super) fn new(words: Words<'a>, first: usize) -> Walk<'a> {
        Walk {
            words,
            outline: Outline::read(words, first),
            at: first,
            pending: Vec::new(),
            depth: 0,
            has_move: false,
            is_between: false,
            is_broken: false,
            is_over: false,
        }
    }

    /// The words of a game without alternatives, and their places; `None` if the game has alternatives or damage.
    pub(super) fn only_line(&self) -> Option<impl Iterator<Item = (u16, usize)> + use<'a>> {
        let outline = &self.outline;
        let is_only = outline.alternatives.is_empty() && outline.broken.is_none();
        let line = self.words.0.get(self.at..outline.end).filter(|_| is_only)?;
        Some(line.iter().map(|word| u16::from_le_bytes(*word)).zip(self.at..))
    }

    /// Skips the rest of the game.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }

    /// The place of the first word after the end of the game, if there is one.
    pub(super) fn rest(&self) -> Option<usize> {
        self.outline.has_rest.then_some(self.outline.end + 1)
    }

    /// The alternatives of a move whose word is before the current place.
    fn alternatives(&mut self) {
        let marks = self.at;
        while self.at < self.outline.end && self.words.get(self.at) == Some(ALTERNATIVE) {
            self.at += 1;
        }
        if self.at == marks {
            return;
        }
        // An alternative to the first move of a variation becomes another variation of the same move.
        let is_first = self.depth > 0 && !self.has_move;
        if !is_first {
            self.pending.push(Pending::Rest(self.at));
            self.is_between = true;
        }
        let lines = self.outline.of(marks..self.at);
        self.pending.extend(lines.map(Pending::Variation));
    }

    fn end_line(&mut self) -> Option<Event> {
        self.is_broken = false;
        match self.depth.checked_sub(1) {
            None => {
                self.is_over = true;
                None
            }
            Some(depth) => {
                self.depth = depth;
                self.is_between = true;
                Some(Event::Close)
            }
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if std::mem::take(&mut self.is_between) {
            match self.pending.pop() {
                Some(Pending::Variation(at)) => {
                    self.at = at;
                    self.depth += 1;
                    self.has_move = false;
                    return Some(Event::Open(at));
                }
                Some(Pending::Rest(at)) => {
                    self.at = at;
                    self.has_move = true;
                }
                None => self.is_over = true,
            }
        }
        if self.is_over {
            return None;
        }
        if self.is_broken {
            return self.end_line();
        }
        let place = self.at;
        if let Some(broken) = self.outline.broken.filter(|_| place >= self.outline.end) {
            self.is_broken = true;
            return Some(Event::Broken(broken, place));
        }
        match self.words.get(place) {
            None | Some(END) => self.end_line(),
            Some(word) => {
                self.at += 1;
                self.alternatives();
                self.has_move = true;
                Some(Event::Move(word, place))
            }
        }
    }
}

/// The offset in the file of a word, given the offset of the content.
pub(super) fn place_of(content_at: u64, word: usize) -> u64 {
    content_at
        .saturating_add(2 * word as u64)
        .min(index(u64::MAX) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(words: &[u16]) -> String {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let walk = Walk::new(Words::new(&bytes), 0);
        let rest = walk.rest();
        let mut text = String::new();
        for event in walk {
            text += &match event {
                Event::Move(word, _) => format!("{word} "),
                Event::Open(_) => "( ".to_owned(),
                Event::Close => ") ".to_owned(),
                Event::Broken(broken, place) => format!("{broken:?}@{place} "),
            };
        }
        if let Some(rest) = rest {
            text += &format!("rest@{rest}");
        }
        text.trim_end().to_owned()
    }

    const M: u16 = ALTERNATIVE;
    const E: u16 = END;

    #[test]
    fn lines_come_in_the_order_of_pgn() {
        assert_eq!(walked(&[E]), "");
        assert_eq!(walked(&[1, 2, E]), "1 2");
        // The game of section 4.1.
        let game = [1, 2, M, 7, 8, M, 11, E, 10, 12, E, 3, M, 4, 5, E, 9, 6, E];
        assert_eq!(walked(&game), "1 2 ( 3 4 5 ) ( 9 6 ) 7 8 ( 10 12 ) 11");
    }

    #[test]
    fn alternatives_of_a_first_move_are_beside_it() {
        // The result is not 1 (2 (4 5)) but 1 (2 3) (4 5).
        assert_eq!(walked(&[1, M, E, 2, M, 3, E, 4, 5, E]), "1 ( 2 3 ) ( 4 5 )");
        // Two marks after one move are two alternatives, too, in stored order.
        assert_eq!(walked(&[1, M, M, 9, E, 2, 3, E, 4, E]), "1 ( 2 3 ) ( 4 ) 9");
    }

    #[test]
    fn lines_that_do_not_end_are_broken() {
        assert_eq!(walked(&[]), "NoEnd@0");
        assert_eq!(walked(&[1, 2]), "1 2 NoEnd@2");
        assert_eq!(walked(&[1, M, 2, E, 3]), "1 ( 3 NoEnd@5 ) 2");
        assert_eq!(walked(&[1, M, 2, E]), "1 ( NoEnd@4 ) 2");
        // The alternative is missing.
        assert_eq!(walked(&[1, M, 2]), "1 2 NoEnd@3");
    }

    #[test]
    fn a_mark_without_a_move_ends_reading() {
        assert_eq!(walked(&[M, 1, E]), "Mark@0");
        assert_eq!(walked(&[1, M, M, 2, E, M, 3, E, 4, E]), "1 ( Mark@5 ) 2");
    }

    #[test]
    fn words_behind_the_end_are_noticed() {
        assert_eq!(walked(&[1, E, 2, E]), "1rest@2".replace("1rest", "1 rest"));
    }

    #[test]
    fn nesting_needs_no_recursion() {
        // Every move has an alternative. All alternatives come after the main line.
        let main = (0..60_000u16).flat_map(|_| [1, M]);
        let words: Vec<u16> = main
            .chain([E])
            .chain((0..60_000u16).flat_map(|_| [2, E]))
            .collect();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut deepest = 0;
        let mut walk = Walk::new(Words::new(&bytes), 0);
        let mut events = 0;
        while let Some(event) = walk.next() {
            assert!(!matches!(event, Event::Broken(..)));
            deepest = deepest.max(walk.depth);
            events += 1;
        }
        assert_eq!((deepest, events), (1, 4 * 60_000));
    }

    #[test]
    fn main_lines_end_at_the_first_word_that_is_no_move() {
        let len = |words: &[u16]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            Words::new(&bytes).main_line_len(0, |word| word < 100)
        };
        assert_eq!(len(&[1, M, 2, E, 3]), 2);
        assert_eq!(len(&[1, 500, 2, E]), 1);
        assert_eq!(len(&[]), 0);
        assert_eq!(len(&[M, 1, 2, E]), 0);
    }
}
