//! Finds where the games of a file begin and end.

use std::io;
use std::ops::Range;

use super::head::{self, MOST_HEAD};
use super::scan::{MOST_UNCLOSED, Scanner};
use super::shares::{Shares, find_tags, sound};
use super::source::Source;

/// Number of bytes that are examined to determine the line end of a file.
const SAMPLE: u64 = 64 << 10;

/// Receives games in ascending order: the offsets of some games, and the end of the last of them.
pub(super) type Each<'a> = &'a mut dyn FnMut(&[u64], u64) -> io::Result<()>;

/// The byte that ends the lines of a file: a carriage return if the file has no line feeds.
pub(super) fn line_end(source: &dyn Source) -> u8 {
    let sample = source.read(0..SAMPLE.min(source.len()));
    if sample.contains(&b'\r') && !sample.contains(&b'\n') {
        b'\r'
    } else {
        b'\n'
    }
}

/// Finds all games and passes them to `each`. Skips gaps, as if a new file began after each. Returns the offsets
/// of games that begin inside an unclosed comment.
///
/// # Errors
/// Returns the errors of `each`.
pub(super) fn find(
    source: &dyn Source,
    line_end: u8,
    shares: &Shares<'_>,
    each: Each<'_>,
) -> io::Result<Vec<u64>> {
    let mut unclosed = Vec::new();
    for part in parts(source) {
        let first = Scanner::new(line_end);
        unclosed.extend(find_in_part(source, &part, first, shares, each)?);
    }
    Ok(unclosed)
}

/// Like [`find`], from the game that starts with the tag at `start`. The source has no gaps.
///
/// # Errors
/// Returns the errors of `each`.
pub(super) fn find_from(
    source: &dyn Source,
    start: u64,
    line_end: u8,
    shares: &Shares<'_>,
    each: Each<'_>,
) -> io::Result<Vec<u64>> {
    let first = Scanner::at_game(line_end, sound(start));
    find_in_part(source, &(start..source.len()), first, shares, each)
}

/// Finds the games of a range. `first` is the scanner at its start.
fn find_in_part(
    source: &dyn Source,
    part: &Range<u64>,
    first: Scanner,
    shares: &Shares<'_>,
    each: Each<'_>,
) -> io::Result<Vec<u64>> {
    let line_end = first.line_end;
    let (mut scanner, mut at) = (first, part.start);
    let mut unclosed = Vec::new();
    loop {
        let until = at.saturating_add(shares.stretch);
        let begins_file = scanner.is_in_head();
        let (found, next) = find_tags(source, &(at..part.end), scanner, until, shares);
        let end = next.map_or(part.end, |next| next.place);
        let mut starts = Vec::new();
        let tagged = found.starts.first().copied().unwrap_or(end);
        let head = if begins_file {
            at..tagged.min(at + MOST_HEAD)
        } else {
            at..at
        };
        let untagged = head::games(&source.read(head.clone()), line_end);
        let untagged = untagged.into_iter().map(|game| head.start + game as u64);
        push_bounded(&mut starts, untagged.chain(found.starts), end);
        unclosed.extend(found.unclosed);
        each(&starts, end)?;
        let Some(next) = next else {
            unclosed.truncate(MOST_UNCLOSED);
            return Ok(unclosed);
        };
        (scanner, at) = (Scanner::at_game(line_end, next), next.place);
    }
}

/// Appends the offsets of games. A game that is too long is cut into several.
fn push_bounded(all: &mut Vec<u64>, starts: impl Iterator<Item = u64>, end: u64) {
    let mut starts = starts.peekable();
    while let Some(mut start) = starts.next() {
        let next = starts.peek().copied().unwrap_or(end);
        all.push(start);
        while next.saturating_sub(start) > LONGEST_GAME {
            start += LONGEST_GAME;
            all.push(start);
        }
    }
}

/// The ranges between the gaps.
fn parts(source: &dyn Source) -> Vec<Range<u64>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for gap in source.gaps() {
        parts.push(start..gap.start as u64);
        start = gap.end as u64;
    }
    parts.push(start..source.len());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Maximum length of a game in bytes (section 8). In UTF-8, such a game has less than 4 GiB. The rest of a longer game
/// becomes another game.
pub(super) const LONGEST_GAME: u64 = 1 << 30;

/// The range of the game that begins at `start`. It ends at the next game, at a gap, or at the end of the
/// source.
pub(super) fn range_of(source: &dyn Source, start: u64, next: Option<u64>) -> Range<u64> {
    let end = next.unwrap_or(source.len());
    let gaps = source.gaps();
    // A gap at the start itself is the border to the previous file.
    let after = gaps.partition_point(|gap| gap.start as u64 <= start);
    start..gaps.get(after).map_or(end, |gap| end.min(gap.start as u64))
}

#[cfg(test)]
mod tests {
    use super::super::shares::WINDOW;
    use super::*;
    use crate::bytes::index;
    use crate::files::{Bytes, Progress};
    use crate::packed::{Packed, Slices};
    use std::borrow::Cow;
    use std::sync::Arc;

    /// A source that is not in memory: bytes can only be read by ranges.
    #[derive(Debug)]
    struct Ranges(Vec<u8>);

    impl Source for Ranges {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }

        fn read(&self, range: Range<u64>) -> Cow<'_, [u8]> {
            Cow::Owned(self.0[index(range.start)..index(range.end)].to_vec())
        }
    }

    /// Lines that open and close comments, look like tags, and begin games.
    const LINES: [&str; 16] = [
        "[Event \"A\"]",
        "[Event \"A\"]\n[Site \"?\"]",
        "\n[Event \"A\"]\n[Site \"?\"]\n[Result \"1-0\"]\n",
        "\n[Event \"A\"]\n[Site \"?\"]\n",
        "[Site \"?\"]",
        "[White \"open",
        "[White",
        "\"W\"]",
        "",
        "1. e4 { comment",
        "} e5",
        "; {",
        "% {",
        " [Site \"?\"]",
        "1-0",
        "{ a } { b }",
    ];

    /// The games of a source, and the games that begin inside unclosed comments.
    fn found(source: &dyn Source, shares: &Shares<'_>) -> [Vec<u64>; 2] {
        let mut starts: Vec<u64> = Vec::new();
        let mut ends = Vec::new();
        let each = &mut |more: &[u64], end| {
            // The previous games end where these begin.
            assert!(
                ends.last()
                    .is_none_or(|end| more.first().is_none_or(|start| end == start))
            );
            starts.extend(more);
            ends.push(end);
            Ok(())
        };
        let unclosed = find(source, b'\n', shares, each).unwrap();
        assert!(ends.last().is_none_or(|&end| end == source.len()));
        [starts, unclosed]
    }

    fn numbers() -> impl FnMut() -> usize {
        let mut number = 1u64;
        move || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (number >> 33) as usize
        }
    }

    #[test]
    fn pieces_are_scanned_as_the_whole_is() {
        let mut next = numbers();
        for round in 0..3000 {
            let lines: Vec<&str> = (0..next() % 60).map(|_| LINES[next() % LINES.len()]).collect();
            let separator = ["\n", "\r\n", "\n\r"][round % 3];
            let text = lines.join("\n").replace('\n', separator).into_bytes();
            let piece = 1 + next() as u64 % 200;
            let progress = &Progress::default();
            let whole = Shares {
                threads: 1,
                piece: u64::MAX,
                stretch: u64::MAX,
                progress,
                turn: None,
            };
            let bytes: Arc<dyn Bytes> = Arc::new(text.clone());
            let expected = found(&bytes, &whole);
            let pieces = Shares {
                threads: 2,
                piece,
                stretch: [u64::MAX, 1 + next() as u64 % 500][next() % 2],
                progress,
                turn: None,
            };
            assert_eq!(
                found(&bytes, &pieces),
                expected,
                "{piece}: {}",
                text.escape_ascii()
            );
            assert_eq!(found(&Ranges(text), &pieces), expected);
        }
    }

    #[test]
    fn windows_do_not_show() {
        let mut next = numbers();
        let mut text = String::new();
        while text.len() as u64 <= 2 * WINDOW {
            text.push_str(LINES[next() % LINES.len()]);
            text.push_str(["\n", "\n\0", "\n  "][next() % 3]);
        }
        let progress = Progress::default();
        let whole = Shares {
            threads: 1,
            piece: u64::MAX,
            stretch: u64::MAX,
            progress: &progress,
            turn: None,
        };
        let bytes: Arc<dyn Bytes> = Arc::new(text.clone().into_bytes());
        let expected = found(&bytes, &whole);
        assert!(expected[0].len() > 1000);
        let scanned = text.len() as u64;
        progress.expect(2 * scanned);
        assert_eq!(progress.bytes(), (scanned, 2 * scanned));
        assert_eq!(found(&Ranges(text.into_bytes()), &whole), expected);
        assert_eq!(progress.bytes(), (2 * scanned, 2 * scanned));
    }

    #[test]
    fn packed_bytes_are_unpacked_once() {
        let game = "[Event \"A\"]\n[Site \"?\"]\n\n1. e4 { a comment } e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n";
        let text = game.repeat((20 << 20) / game.len());
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
        let bytes: Arc<dyn Bytes> = Arc::new(packed.finish().unwrap());
        // Less is kept than the file has.
        let slices = Arc::new(Slices::new(10 << 20));
        let packed = Arc::new(Packed::open(bytes, None).unwrap().with_slices(&slices));
        let learnt = packed.unpacked();
        let shares = Shares {
            threads: 1,
            piece: u64::MAX,
            stretch: 3 << 20,
            progress: &Progress::default(),
            turn: None,
        };
        let mut games = 0;
        let each = &mut |starts: &[u64], end: u64| {
            for (n, &start) in starts.iter().enumerate() {
                let end = starts.get(n + 1).copied().unwrap_or(end);
                assert_eq!(*packed.read(start..end), *game.as_bytes());
            }
            games += starts.len();
            Ok(())
        };
        find(&packed, b'\n', &shares, each).unwrap();
        assert_eq!(games * game.len(), text.len());
        assert_eq!(packed.unpacked() - learnt, text.len() as u64);
    }
}
