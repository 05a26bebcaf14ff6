//! The eight readings of the ambiguous description, and the vote that chooses one for a file (section 4).

use super::codes::Notation;
use super::items::{Item, Items};
use super::numbers::Numbers;
use crate::board::{Position, Undo};

/// How pieces are numbered (section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbering {
    /// A piece keeps its number throughout the game.
    Identity,
    /// The number is the place of the piece among the pieces of its kind on the board, by file, then by rank.
    Order,
}

/// The direction in which a black pawn captures "to its right" (section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Right {
    /// Its own right, towards file a.
    Own,
    /// The right of the diagram, towards file h.
    Diagram,
}

/// One of the eight readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HalfMoveReading {
    pub(super) notation: Notation,
    pub(super) numbering: Numbering,
    pub(super) right: Right,
}

/// All readings with their names, in the order of preference (section 4.4).
pub(super) const READINGS: [(&str, HalfMoveReading); 8] = {
    use Notation::{Alternate, Main};
    use Numbering::{Identity, Order};
    use Right::{Diagram, Own};
    [
        ("main/identity/own", HalfMoveReading::new(Main, Identity, Own)),
        (
            "main/identity/diagram",
            HalfMoveReading::new(Main, Identity, Diagram),
        ),
        ("main/order/own", HalfMoveReading::new(Main, Order, Own)),
        ("main/order/diagram", HalfMoveReading::new(Main, Order, Diagram)),
        (
            "alternate/identity/own",
            HalfMoveReading::new(Alternate, Identity, Own),
        ),
        (
            "alternate/identity/diagram",
            HalfMoveReading::new(Alternate, Identity, Diagram),
        ),
        ("alternate/order/own", HalfMoveReading::new(Alternate, Order, Own)),
        (
            "alternate/order/diagram",
            HalfMoveReading::new(Alternate, Order, Diagram),
        ),
    ]
};

impl HalfMoveReading {
    const fn new(notation: Notation, numbering: Numbering, right: Right) -> HalfMoveReading {
        HalfMoveReading {
            notation,
            numbering,
            right,
        }
    }

    /// The reading with this name.
    pub(super) fn named(name: &str) -> Option<HalfMoveReading> {
        let found = READINGS.iter().find(|(known, _)| *known == name);
        found.map(|(_, reading)| *reading)
    }

    pub(super) fn name(self) -> &'static str {
        let found = READINGS.iter().find(|(_, reading)| *reading == self);
        found.map_or("", |(name, _)| name)
    }
}

/// Minimum number of half-move bytes of a record that counts as long in the vote.
const LONG: usize = 10;
/// Number of long records that is enough for the vote.
const LONG_RECORDS: usize = 64;
/// If there are fewer long records, this many records of any length are used.
const ANY_RECORDS: usize = 4096;

/// The records that vote, collected one by one (section 4.5).
#[derive(Default)]
pub(super) struct Sample {
    long: Vec<(usize, usize)>,
    any: Vec<(usize, usize)>,
}

impl Sample {
    /// Adds a record if it has half-moves and more records are needed.
    pub(super) fn offer(&mut self, start: usize, end: usize, halfmoves: usize) {
        if halfmoves >= LONG && self.long.len() < LONG_RECORDS {
            self.long.push((start, end));
        }
        if halfmoves > 0 && self.any.len() < ANY_RECORDS && self.long.len() < LONG_RECORDS {
            self.any.push((start, end));
        }
    }

    fn records(&self) -> &[(usize, usize)] {
        match self.long.len() {
            LONG_RECORDS.. => &self.long,
            _ => &self.any,
        }
    }
}

/// Result of a reading in the vote.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    /// Number of records that replay to their end.
    whole: usize,
    /// Number of half-moves replayed in all records.
    halfmoves: usize,
    /// Number of half-moves of the longest record that replays to its end.
    longest: usize,
}

/// The reading of a file and the vote for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vote {
    pub(super) reading: HalfMoveReading,
    sampled: usize,
    score: Score,
}

impl Vote {
    /// Replays the sample in one reading after another until one replays all of it.
    pub(super) fn take(bytes: &[u8], sample: &Sample) -> Vote {
        let records = sample.records();
        let mut best: Option<Vote> = None;
        for (_, reading) in READINGS {
            let vote = Vote {
                reading,
                sampled: records.len(),
                score: score(bytes, records, reading),
            };
            let is_better = |best: &Vote| {
                (vote.score.whole, vote.score.halfmoves) > (best.score.whole, best.score.halfmoves)
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some(vote);
            }
            if vote.is_unanimous() {
                break;
            }
        }
        best.unwrap_or(Vote {
            reading: READINGS[0].1,
            sampled: 0,
            score: Score::default(),
        })
    }

    /// True if the whole sample replays.
    pub(super) fn is_unanimous(&self) -> bool {
        self.score.whole == self.sampled
    }

    /// True if the longest game that replays is too long for a coincidence (section 4.7).
    pub(super) fn is_convincing(&self) -> bool {
        self.is_unanimous() && self.score.longest >= LONG
    }

    /// The description for display.
    pub(super) fn describe(&self) -> String {
        let Vote {
            reading,
            sampled,
            score,
        } = self;
        match sampled {
            0 => format!("{} (no moves to choose by)", reading.name()),
            _ => format!(
                "{} ({} of {sampled} sampled games replay)",
                reading.name(),
                score.whole
            ),
        }
    }
}

fn score(bytes: &[u8], records: &[(usize, usize)], reading: HalfMoveReading) -> Score {
    let mut score = Score::default();
    for &(start, end) in records {
        let record = bytes.get(start..end).unwrap_or_default();
        let (halfmoves, is_whole) = replay(record, reading);
        score.halfmoves += halfmoves;
        if is_whole {
            score.whole += 1;
            score.longest = score.longest.max(halfmoves);
        }
    }
    score
}

/// Plays the moves of a record. Returns how many moves could be played, and whether all could.
fn replay(record: &[u8], reading: HalfMoveReading) -> (usize, bool) {
    let mut replay = Numbers::new(reading);
    let mut position = Position::initial();
    let mut undo = Undo::default();
    let mut halfmoves = 0;
    for item in Items::new(record) {
        let played = match item {
            Item::Byte(byte @ (4 | 5 | 8..)) => replay.read(&position, byte),
            Item::Byte(_) | Item::Text(_) => replay.interrupt("another item").map(|()| None),
        };
        match played {
            Ok(None) => {}
            Ok(Some(mv)) if position.play_legal(mv, &mut undo).is_ok() => halfmoves += 1,
            Ok(Some(_)) | Err(_) => return (halfmoves, false),
        }
    }
    (halfmoves, replay.interrupt("the end").is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_have_names() {
        for (name, reading) in READINGS {
            assert_eq!(HalfMoveReading::named(name), Some(reading));
            assert_eq!(reading.name(), name);
        }
        assert_eq!(HalfMoveReading::named("main"), None);
    }

    #[test]
    fn enough_long_records_replace_the_short_ones() {
        let mut sample = Sample::default();
        sample.offer(0, 1, 0);
        sample.offer(1, 2, 9);
        (0..63).for_each(|n| sample.offer(10 * n, 10 * n + 10, 10));
        assert_eq!(sample.records().len(), 64);
        assert_eq!(sample.records()[0], (1, 2));
        (63..80).for_each(|n| sample.offer(10 * n, 10 * n + 10, 10));
        assert_eq!(sample.records().len(), 64);
        assert_eq!(sample.records()[0], (0, 10));
    }

    #[test]
    fn the_test_vectors_replay_under_their_reading() {
        let both = [
            (
                &b"\x2c\x2c\x61\x17\xdb\x1e\x06\x06\x53\x02"[..],
                &b"\x34\x34\xcc\x17\x5b\x1e\x06\x06\xda\x02"[..],
                7,
            ),
            (
                b"\x2c\x20\x24\x2b\x3c\x34\x1b\xcd\xcb\x1e\x04\x04\xcc\xcc",
                b"\x34\x28\x2c\x33\x3c\x24\x1b\x69\x59\x1e\x04\x04\xa9\xa9",
                14,
            ),
            (
                b"\x28\x29\x30\x20\x38\x8d\x30\x17\x42\x38\x13\x42\x4f",
                b"\x30\x31\x20\x28\x38\x61\x20\x17\xd0\x38\x13\xd0\xf9",
                11,
            ),
            (
                b"\x2b\x2c\x33\x5f\x6a\x3a\x23\x0c\x23\x0d\x40\x23",
                b"\x33\x34\x23\xfb\xd5\x3a\x2b\x0c\x2b\x0d\xc0\x2b",
                11,
            ),
        ];
        let [main, alternate] =
            ["main/identity/own", "alternate/identity/own"].map(|name| HalfMoveReading::named(name).unwrap());
        for (in_main, in_alternate, halfmoves) in both {
            assert_eq!(replay(in_main, main), (halfmoves, true));
            assert_eq!(replay(in_alternate, alternate), (halfmoves, true));
        }
        let other = |name, bytes: &[u8]| replay(bytes, HalfMoveReading::named(name).unwrap());
        assert_eq!(
            other(
                "main/order/own",
                b"\x28\x29\x30\x20\x39\x8d\x30\x17\x40\x39\x13\x4f"
            ),
            (11, true)
        );
        assert_eq!(
            other("main/identity/diagram", b"\x2c\x20\x24\x2b\x3c\x3c\x1b"),
            (7, true)
        );
    }
}
