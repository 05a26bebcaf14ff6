//! Annotations: records of the `.cba` (section 9).
//!
//! | bytes | part |
//! |---|---|
//! | 3 | number of the game |
//! | 4 | `01 00 0E 0E` |
//! | 3 | number of items + 1 |
//! | 4 | size of the record with these 14 bytes |
//! | | items: position of 24 bits, kind, size of 16 bits with these 6, data |

use super::characters::Characters;
use super::items;
use super::pieces::Pieces;
use crate::bytes::{be_u16, be_u32, index, slice};
use crate::formats::{Problem, ProblemKind};
use crate::replay::{Fault, Origin, Replay, Sink};

const HEAD: usize = 14;
const ITEM_HEAD: usize = 6;
/// Stands in the head of a record.
const MAGIC: [u8; 4] = [1, 0, 14, 14];
/// The position of what is said of the whole game.
const WHOLE_GAME: i32 = -1;

/// The items of a game, in the order of their positions.
#[derive(Clone, Debug)]
pub(super) struct Annotations<'a> {
    items: Vec<Item<'a>>,
    origin: Origin<'a>,
    characters: Characters,
    /// Medals of the game's header, which an item may repeat.
    medals: u16,
    damage: Option<(u64, &'static str)>,
    /// Where the record has another number of items than it says, and that number.
    miscount: Option<(u64, usize)>,
}

/// An item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    /// Number of the move that it is about, in stored order.
    pub(super) position: i32,
    pub(super) kind: u8,
    pub(super) data: &'a [u8],
    at: u64,
}

impl<'a> Annotations<'a> {
    /// No annotations but medals.
    pub(super) fn none(origin: Origin<'a>, characters: Characters, medals: u16) -> Annotations<'a> {
        Annotations {
            items: Vec::new(),
            origin,
            characters,
            medals,
            damage: None,
            miscount: None,
        }
    }

    /// Reads the record at a place of the `.cba`.
    pub(super) fn read(&mut self, cba: &'a [u8], at: u64) {
        let Some(items) = Items::at(cba, at) else {
            self.damage = Some((at, "there are no annotations at the place of this game's"));
            return;
        };
        let mut items = items;
        self.items.extend(&mut items);
        self.damage = items.damage;
        if items.damage.is_none() && items.count != self.items.len() {
            self.miscount = Some((at, items.count));
        }
        if !self.items.is_sorted_by_key(|item| item.position) {
            self.items.sort_by_key(|item| item.position);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What is said of the whole game.
    pub(super) fn begin<S: Sink>(&self, replay: &mut Replay<'_, S, Pieces>) {
        if !S::WHOLE {
            return;
        }
        if let Some((at, what)) = self.damage {
            replay.fault_in(self.origin, at, &Fault::damage(what), "");
        }
        let has_medals = self.items.iter().any(|item| item.kind == items::MEDALS);
        if self.medals != 0 && !has_medals {
            replay.comment(&items::medals(self.medals.into()));
        }
        if let Some((at, count)) = self.miscount {
            let what = format!(
                "there are {} annotations, of which their record counts {count}",
                self.items.len()
            );
            replay.problem(Problem::damage(self.origin.file, at, what));
        }
        let end = self.items.partition_point(|item| item.position <= WHOLE_GAME);
        let misplaced = self.items.partition_point(|item| item.position < WHOLE_GAME);
        self.report_misplaced(self.items.get(..misplaced), replay);
        self.add(self.items.get(..end), replay, |_| true);
    }

    /// What precedes a move.
    #[inline(always)]
    pub(super) fn before_move<S: Sink>(&self, number: u32, replay: &mut Replay<'_, S, Pieces>) {
        if !self.items.is_empty() {
            self.add_of_move(number, replay, |kind| kind == items::TEXT_BEFORE);
        }
    }

    /// What follows a move.
    #[inline(always)]
    pub(super) fn after_move<S: Sink>(&self, number: u32, replay: &mut Replay<'_, S, Pieces>) {
        if !self.items.is_empty() {
            self.add_of_move(number, replay, |kind| kind != items::TEXT_BEFORE);
        }
    }

    /// What is said of moves from a number on.
    pub(super) fn after<S: Sink>(&self, number: u32, replay: &mut Replay<'_, S, Pieces>) {
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        let start = self.items.partition_point(|item| item.position < number);
        self.report_misplaced(self.items.get(start..), replay);
        self.add(self.items.get(start..), replay, |_| true);
    }

    /// Reports items of moves that are not there.
    fn report_misplaced<S: Sink>(&self, items: Option<&[Item<'a>]>, replay: &mut Replay<'_, S, Pieces>) {
        let items = items.unwrap_or_default();
        let Some(first) = items.first() else { return };
        let what = match items.len() {
            1 => format!("an annotation is of move {}, which is not there", first.position),
            more => format!("{more} annotations are of moves that are not there"),
        };
        replay.problem(Problem::damage(self.origin.file, first.at, what));
    }

    /// Tells what is not shown, once a kind.
    pub(super) fn end<S: Sink>(&self, replay: &mut Replay<'_, S, Pieces>) {
        if !S::WHOLE || !self.items.iter().any(|item| items::is_missing(item.kind)) {
            return;
        }
        for kind in (0..=u8::MAX).filter(|kind| items::is_missing(*kind)) {
            let mut found = self.items.iter().filter(|item| item.kind == kind);
            let Some(first) = found.next() else { continue };
            let what = match found.count() {
                0 => format!("{} is not shown", items::name(kind)),
                more => format!("{} is not shown, {} times", items::name(kind), more + 1),
            };
            let problem = Problem::new(ProblemKind::Unsupported, self.origin.file, first.at, what);
            replay.problem(problem);
        }
    }

    // Not inlined: most games have no annotations.
    #[inline(never)]
    fn add_of_move<S: Sink>(
        &self,
        number: u32,
        replay: &mut Replay<'_, S, Pieces>,
        is_wanted: impl Fn(u8) -> bool,
    ) {
        self.add(self.of_move(number), replay, is_wanted);
    }

    fn of_move(&self, number: u32) -> Option<&[Item<'a>]> {
        let number = i32::try_from(number).ok()?;
        let start = self.items.partition_point(|item| item.position < number);
        let rest = self.items.get(start..)?;
        let len = rest.iter().take_while(|item| item.position == number).count();
        rest.get(..len)
    }

    fn add<S: Sink>(
        &self,
        items: Option<&[Item<'a>]>,
        replay: &mut Replay<'_, S, Pieces>,
        is_wanted: impl Fn(u8) -> bool,
    ) {
        let items = items.unwrap_or_default().iter();
        for item in items.filter(|item| is_wanted(item.kind)) {
            if item.kind == items::SYMBOLS {
                item.data.iter().take(3).for_each(|&nag| replay.nag(nag));
            } else if let Some(text) = items::comment(item, self.characters) {
                replay.comment(&text);
            }
        }
    }
}

/// The items of a record.
#[derive(Clone, Debug)]
pub(super) struct Items<'a> {
    /// What is left of the record.
    rest: &'a [u8],
    at: u64,
    /// Their number as the record has it.
    count: usize,
    /// What is wrong, and where.
    damage: Option<(u64, &'static str)>,
}

impl<'a> Items<'a> {
    /// The record at a place; none where none begins there.
    pub(super) fn at(cba: &'a [u8], at: u64) -> Option<Items<'a>> {
        let start = index(at);
        let head = slice(cba, start, HEAD)?;
        if slice(head, 3, 4) != Some(&MAGIC) {
            return None;
        }
        let size = usize::try_from(be_u32(head, 10)?).ok()?;
        // 24 bits: the first of these bytes is the last one of the magic.
        let count = index((be_u32(head, 6)? & 0xff_ffff).into());
        let record = cba.get(start..)?;
        let (rest, damage) = match slice(record, HEAD, size.checked_sub(HEAD)?) {
            Some(rest) => (rest, None),
            None => (
                record.get(HEAD..)?,
                Some((at, "the file ends inside the annotations")),
            ),
        };
        Some(Items {
            rest,
            at: at + HEAD as u64,
            count: count.saturating_sub(1),
            damage,
        })
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let head = be_u32(self.rest, 0);
        let size = be_u16(self.rest, 4).map(usize::from);
        let item = size.and_then(|size| self.rest.split_at_checked(size));
        let Some((item, rest)) = item.filter(|(item, _)| item.len() >= ITEM_HEAD) else {
            self.damage = self
                .damage
                .or(Some((self.at, "the size of an annotation is impossible")));
            self.rest = &[];
            return None;
        };
        let [a, b, c, kind] = head.unwrap_or_default().to_be_bytes();
        let at = self.at;
        self.rest = rest;
        self.at += item.len() as u64;
        Some(Item {
            // 24 bits with a sign.
            position: i32::from_be_bytes([a, b, c, 0]) >> 8,
            kind,
            data: item.get(ITEM_HEAD..)?,
            at,
        })
    }
}
