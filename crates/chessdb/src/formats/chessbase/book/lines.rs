//! Lines of a book, each stored as the path from its last move back to the start (sections 14.2 and 14.3).

use super::{BookMove, MOST_PLIES};

/// How the flags of a book are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BookReading {
    /// A variation starts in the position before its first move, and its end leads back there.
    Tree,
    /// Every line begins in the start position.
    Flat,
}

impl BookReading {
    /// Name for display and in [`Options::reading`](crate::database::Options::reading).
    pub(super) fn name(self) -> &'static str {
        match self {
            BookReading::Tree => "tree",
            BookReading::Flat => "flat",
        }
    }

    pub(super) const ALL: [BookReading; 2] = [BookReading::Tree, BookReading::Flat];

    pub(super) fn of_name(name: &str) -> Option<BookReading> {
        BookReading::ALL
            .into_iter()
            .find(|reading| reading.name() == name)
    }

    /// Chooses `Flat` if every line starts directly after the end of the previous one, and the last one ends.
    pub(super) fn choose(moves: impl Iterator<Item = BookMove>) -> BookReading {
        let (mut starts, mut ends) = (0u64, 0u64);
        let mut after_end = true;
        let mut in_turn = true;
        for stored in moves {
            in_turn &= stored.starts() == after_end;
            after_end = stored.ends();
            starts += u64::from(stored.starts());
            ends += u64::from(stored.ends());
        }
        if in_turn && starts == ends {
            BookReading::Flat
        } else {
            BookReading::Tree
        }
    }
}

/// Means the start position, before any move.
const NO_MOVE: u32 = u32::MAX;

/// The moves of a book, each with the move before it.
pub(super) struct Lines {
    /// The move before each move, or [`NO_MOVE`]. For moves after the first ply that is not shown, it is this ply.
    parents: Vec<u32>,
    /// The last move of each line.
    ends: Vec<u32>,
    /// The last move of the book, if its line has no end.
    unended: Option<u32>,
}

impl Lines {
    pub(super) fn read(moves: impl Iterator<Item = BookMove>, reading: BookReading) -> Lines {
        /// A move and the number of plies up to it.
        type Point = (u32, usize);
        const NOWHERE: Point = (NO_MOVE, 0);

        let mut parents: Vec<u32> = Vec::with_capacity(moves.size_hint().0);
        let mut ends = Vec::new();
        let mut current = NOWHERE;
        let mut outer = Vec::new();
        let mut unended = None;
        for (number, stored) in (0..NO_MOVE).zip(moves) {
            match reading {
                BookReading::Flat if stored.starts() => current = NOWHERE,
                BookReading::Tree if stored.starts() => outer.push(current),
                _ => {}
            }
            let (parent, plies) = current;
            if plies > MOST_PLIES {
                let first_beyond = parents.get(parent as usize).copied();
                let is_first = plies == MOST_PLIES + 1;
                parents.push(if is_first {
                    parent
                } else {
                    first_beyond.unwrap_or(parent)
                });
                current = (number, MOST_PLIES + 2);
            } else {
                parents.push(parent);
                current = (number, plies + 1);
            }
            unended = Some(number);
            if stored.ends() {
                unended = None;
                ends.push(number);
                current = match reading {
                    BookReading::Tree => outer.pop().unwrap_or(NOWHERE),
                    BookReading::Flat => NOWHERE,
                };
            }
        }
        ends.extend(unended);
        Lines {
            parents,
            ends,
            unended,
        }
    }

    /// Number of lines.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    /// The last move of the book, if its line has no end.
    pub(super) fn unended(&self) -> Option<u32> {
        self.unended
    }

    /// The move before a move.
    pub(super) fn parent(&self, number: u32) -> Option<u32> {
        self.parents
            .get(number as usize)
            .copied()
            .filter(|&parent| parent != NO_MOVE)
    }

    /// Number of moves.
    pub(super) fn moves(&self) -> u32 {
        u32::try_from(self.parents.len()).unwrap_or(NO_MOVE)
    }

    /// The moves of a line in order, at most two more than the limit.
    pub(super) fn line(&self, line: u32) -> Vec<u32> {
        let last = self.ends.get(line as usize).copied();
        let mut moves: Vec<u32> = std::iter::successors(last, |&number| self.parent(number)).collect();
        moves.reverse();
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates moves from their flags: `s` starts, `e` ends a line.
    fn book(flags: &[&str]) -> Vec<BookMove> {
        let byte = |flags: &&str| {
            let starts = if flags.contains('s') { 0 } else { 0x40 };
            let ends = if flags.contains('e') { 0x80 } else { 0 };
            BookMove([starts | ends, 0])
        };
        flags.iter().map(byte).collect()
    }

    fn lines(flags: &[&str], reading: BookReading) -> Vec<Vec<u32>> {
        let lines = Lines::read(book(flags).into_iter(), reading);
        (0..lines.len()).map(|line| lines.line(line)).collect()
    }

    #[test]
    fn a_tree_goes_back_to_where_the_variant_began() {
        // 0 1 (2 3) (4) 5: three moves follow 1.
        let flags = ["", "", "s", "e", "se", "", "e"];
        assert_eq!(BookReading::choose(book(&flags).into_iter()), BookReading::Tree);
        assert_eq!(
            lines(&flags, BookReading::Tree),
            [vec![0, 1, 2, 3], vec![0, 1, 4], vec![0, 1, 5, 6]]
        );
    }

    #[test]
    fn flat_lines_begin_anew() {
        let flags = ["s", "", "e", "se", "s", "e"];
        assert_eq!(BookReading::choose(book(&flags).into_iter()), BookReading::Flat);
        assert_eq!(
            lines(&flags, BookReading::Flat),
            [vec![0, 1, 2], vec![3], vec![4, 5]]
        );
    }

    #[test]
    fn a_line_without_end_is_a_line() {
        assert_eq!(
            lines(&["s", "e", "", ""], BookReading::Tree),
            [vec![0, 1], vec![2, 3]]
        );
    }

    #[test]
    fn long_lines_keep_one_ply_beyond_what_is_shown() {
        let flags = vec![""; 3000];
        let [line] = &lines(&flags, BookReading::Tree)[..] else {
            panic!("one line")
        };
        assert_eq!(line.len(), MOST_PLIES + 2);
        assert_eq!(line[MOST_PLIES], 512);
        assert_eq!(line[MOST_PLIES + 1], 2999);
    }
}
