//! The annotations of a game, by their position in the game.

use std::collections::BTreeMap;

use super::Characters;
use super::items::{self, Item, Said, SaidBy};
use crate::board::Position;
use crate::game::Tags;
use crate::problem::{Problem, ProblemKind};
use crate::replay::{Fault, Origin, Replay, Sink, State};

/// The position number of annotations of the whole game.
const WHOLE_GAME: i32 = -1;

/// Maximum number of items of a game that are kept, the same as the maximum number of moves.
const MOST_ITEMS: usize = 1_000_000;

/// The items of a game that are shown, in the order of their positions.
#[derive(Clone, Debug)]
pub(in crate::formats) struct Annotations<'a> {
    items: Vec<Item<'a>>,
    /// True if one of the items is a text before a move.
    has_text_before: bool,
    /// Number of items that were read, shown or not.
    read: usize,
    /// The items that are not shown but that a user may miss, by kind.
    missing: BTreeMap<u8, Missing>,
    /// The items of shown kinds whose data cannot be read.
    unread: BTreeMap<u8, Missing>,
    /// Where the first item is that was not kept.
    beyond: Option<u64>,
    said: SaidBy,
    origin: Origin<'a>,
    characters: Characters,
    /// Medals from the game's record. An item may repeat them.
    medals: u16,
    /// The glyph of a line from the game's record; 0 for none.
    glyph: u8,
    /// Damage of the record and of its items, with its place.
    damage: Vec<(u64, String)>,
    /// Problems without a remark.
    problems: Vec<Problem>,
}

impl<'a> Annotations<'a> {
    /// Annotations with nothing but medals. `said` decodes the data of an item.
    pub(in crate::formats) fn none(
        origin: Origin<'a>,
        characters: Characters,
        medals: u16,
        said: SaidBy,
    ) -> Annotations<'a> {
        Annotations {
            items: Vec::new(),
            has_text_before: false,
            read: 0,
            missing: BTreeMap::new(),
            unread: BTreeMap::new(),
            beyond: None,
            said,
            origin,
            characters,
            medals,
            glyph: 0,
            damage: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Adds items. The items of each position keep their order. Items of kinds that are never shown are not stored.
    pub(in crate::formats) fn extend(&mut self, items: impl Iterator<Item = Item<'a>>) {
        for item in items {
            self.read += 1;
            self.has_text_before |= item.kind == items::TEXT_BEFORE;
            if items::is_missing(item.kind) {
                add(&mut self.missing, &item);
            } else if items::is_shown(item.kind) {
                match (self.said)(item.kind, item.data) {
                    None => add(&mut self.unread, &item),
                    Some(said) if said.is_unknown() => add(&mut self.missing, &item),
                    Some(_) => {}
                }
                if self.items.len() < MOST_ITEMS {
                    self.items.push(item);
                } else {
                    self.beyond = self.beyond.or(Some(item.at));
                }
            }
        }
        if !self.items.is_sorted_by_key(|item| item.position) {
            self.items.sort_by_key(|item| item.position);
        }
    }

    /// Sets the glyph of a game that is a line without a result. The game's record has it.
    pub(in crate::formats) fn set_glyph_of_line(&mut self, glyph: u8) {
        self.glyph = glyph;
    }

    /// Adds the glyph of a line to the last move. Call it at the end of a complete main line.
    pub(in crate::formats) fn judge<S: Sink, T: State>(&self, replay: &mut Replay<'_, S, T>) {
        replay.nag(self.glyph);
    }

    /// Adds damage at a place.
    pub(in crate::formats) fn damage(&mut self, at: u64, what: impl Into<String>) {
        self.damage.push((at, what.into()));
    }

    /// Adds a problem that costs no annotation.
    pub(in crate::formats) fn problem(&mut self, at: u64, what: impl Into<String>) {
        self.problems.push(Problem::damage(self.origin.file, at, what));
    }

    /// Number of items that were read, whether they are shown or not.
    pub(in crate::formats) fn count(&self) -> usize {
        self.read
    }

    pub(in crate::formats) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Reports the damage and the problems of the annotations.
    pub(in crate::formats) fn report<S: Sink, T: State>(&self, replay: &mut Replay<'_, S, T>) {
        for (at, what) in &self.damage {
            replay.fault_in(self.origin, *at, &Fault::damage(what.clone()), "");
        }
        for problem in &self.problems {
            replay.problem(problem.clone());
        }
        if let Some(at) = self.beyond {
            let what =
                format!("the game has more than {MOST_ITEMS} annotations, and only the first are shown");
            replay.problem(Problem::new(ProblemKind::Limit, self.origin.file, at, what));
        }
        let misplaced = self.items.partition_point(|item| item.position < WHOLE_GAME);
        self.report_misplaced(self.items.get(..misplaced), replay);
    }

    /// Adds the annotations of the whole game. Call it before the first move.
    pub(in crate::formats) fn begin<S: Sink, T: State>(&self, replay: &mut Replay<'_, S, T>) {
        if !S::WHOLE {
            return;
        }
        self.report(replay);
        if let Some(medals) = self.medals_of_record() {
            replay.comment(&medals);
        }
        self.add(Some(self.of_whole_game()), replay, |_| true);
    }

    /// Medals of the record that no item repeats.
    fn medals_of_record(&self) -> Option<String> {
        let has_medals = self.items.iter().any(|item| item.kind == items::MEDALS);
        (self.medals != 0 && !has_medals).then(|| items::medals(self.medals.into()))
    }

    fn of_whole_game(&self) -> &[Item<'a>] {
        let end = self.items.partition_point(|item| item.position <= WHOLE_GAME);
        self.items.get(..end).unwrap_or_default()
    }

    /// Adds the annotations before a move, if the move can be played in the position.
    #[inline(always)]
    pub(in crate::formats) fn before_move<S: Sink, T: State>(
        &self,
        number: u32,
        replay: &mut Replay<'_, S, T>,
        can_be_played: impl FnOnce(&Position) -> bool,
    ) {
        if self.has_text_before && self.has_text_before_move(number) && can_be_played(replay.position()) {
            self.add_of_move(number, replay, |kind| kind == items::TEXT_BEFORE);
        }
    }

    #[inline(never)]
    fn has_text_before_move(&self, number: u32) -> bool {
        let items = self.of_move(number).unwrap_or_default();
        items.iter().any(|item| item.kind == items::TEXT_BEFORE)
    }

    /// Adds the annotations after a move.
    #[inline(always)]
    pub(in crate::formats) fn after_move<S: Sink, T: State>(
        &self,
        number: u32,
        replay: &mut Replay<'_, S, T>,
    ) {
        if !self.items.is_empty() {
            self.add_of_move(number, replay, |kind| kind != items::TEXT_BEFORE);
        }
    }

    /// Adds the annotations of missing moves, from a number on, and reports them as misplaced.
    pub(in crate::formats) fn after<S: Sink, T: State>(&self, number: u32, replay: &mut Replay<'_, S, T>) {
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        let start = self.items.partition_point(|item| item.position < number);
        self.report_misplaced(self.items.get(start..), replay);
        self.add(self.items.get(start..), replay, |_| true);
    }

    /// Reports items of moves that the game does not have.
    fn report_misplaced<S: Sink, T: State>(&self, items: Option<&[Item<'a>]>, replay: &mut Replay<'_, S, T>) {
        let items = items.unwrap_or_default();
        let Some(first) = items.first() else { return };
        let what = match items.len() {
            1 => format!("an annotation is of move {}, which is not there", first.position),
            more => format!("{more} annotations are of moves that are not there"),
        };
        replay.problem(Problem::damage(self.origin.file, first.at, what));
    }

    /// Reports annotations that are not shown, once for each kind.
    pub(in crate::formats) fn end<S: Sink, T: State>(&self, replay: &mut Replay<'_, S, T>) {
        if !S::WHOLE {
            return;
        }
        let kinds = [
            (&self.missing, ProblemKind::Unsupported, "is not shown"),
            (&self.unread, ProblemKind::Damage, "cannot be read"),
        ];
        for (items, problem, state) in kinds {
            for (kind, missing) in items {
                let what = match missing.count {
                    1 => format!("{} {state}", items::name(*kind)),
                    more => format!("{} {state}, {more} times", items::name(*kind)),
                };
                let (_, at) = missing.first;
                replay.problem(Problem::new(problem, self.origin.file, at, what));
            }
        }
    }

    /// Appends the comments on the whole game, for a game whose moves PGN cannot represent.
    pub(in crate::formats) fn append_comments_of_game(&self, out: &mut String) {
        if let Some(medals) = self.medals_of_record() {
            append_comment(&medals, out);
        }
        self.append_all(self.of_whole_game(), out);
    }

    /// Appends the comments on a move that is not played.
    pub(in crate::formats) fn append_comments(&self, number: u32, out: &mut String) {
        self.append_all(self.of_move(number).unwrap_or_default(), out);
    }

    fn append_all(&self, items: &[Item<'a>], out: &mut String) {
        let said = items.iter().filter_map(|item| (self.said)(item.kind, item.data));
        for text in said.filter_map(|said| said.comment(self.characters)) {
            append_comment(&text, out);
        }
    }

    // Not inlined, because most games have no annotations.
    #[inline(never)]
    fn add_of_move<S: Sink, T: State>(
        &self,
        number: u32,
        replay: &mut Replay<'_, S, T>,
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

    fn add<S: Sink, T: State>(
        &self,
        items: Option<&[Item<'a>]>,
        replay: &mut Replay<'_, S, T>,
        is_wanted: impl Fn(u8) -> bool,
    ) {
        let items = items.unwrap_or_default().iter();
        for item in items.filter(|item| is_wanted(item.kind)) {
            match (self.said)(item.kind, item.data) {
                Some(Said::Symbols(nags)) => nags.iter().take(3).for_each(|&nag| replay.nag(nag)),
                Some(said) => {
                    if let Some(text) = said.comment(self.characters) {
                        replay.comment(&text);
                    }
                }
                None => {}
            }
        }
    }
}

/// The items of a kind that is not shown.
#[derive(Clone, Copy, Debug)]
struct Missing {
    /// Position and place of the first such item.
    first: (i32, u64),
    count: usize,
}

impl Missing {
    fn new(item: &Item<'_>) -> Missing {
        Missing {
            first: (item.position, item.at),
            count: 1,
        }
    }

    fn add(&mut self, item: &Item<'_>) {
        self.first = self.first.min((item.position, item.at));
        self.count += 1;
    }
}

/// Adds an item to the others of its kind.
fn add(missing: &mut BTreeMap<u8, Missing>, item: &Item<'_>) {
    missing
        .entry(item.kind)
        .and_modify(|missing| missing.add(item))
        .or_insert(Missing::new(item));
}

/// Appends a comment after a blank.
fn append_comment(text: &str, out: &mut String) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(text);
}

/// Sets the tags that are annotations of the whole game: clocks and time controls. If there are several of a kind, the
/// first counts.
pub(in crate::formats) fn set_tags<'a>(items: impl Iterator<Item = Item<'a>>, said: SaidBy, tags: &mut Tags) {
    const NAMES: [&str; 3] = ["WhiteClock", "BlackClock", "TimeControl"];
    let kinds = [items::WHITE_CLOCK, items::BLACK_CLOCK, items::TIME_CONTROL];
    let mut is_set = [false; 3];
    for item in items.filter(|item| item.position < 0) {
        let Some(number) = kinds.iter().position(|kind| *kind == item.kind) else {
            continue;
        };
        let value = said(item.kind, item.data).and_then(|said| said.tag());
        if let Some((is_set, name)) = is_set.get_mut(number).zip(NAMES.get(number))
            && let Some(value) = value
            && !std::mem::replace(is_set, true)
        {
            tags.set_str(*name, &value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Move, Square};
    use crate::game::Token;
    use crate::replay::{Limits, Tree};

    fn said(kind: u8, data: &[u8]) -> Option<Said<'_>> {
        match kind {
            items::TEXT => data.get(2..).map(Said::Text),
            items::SYMBOLS => Some(Said::Symbols(data)),
            _ => None,
        }
    }

    #[test]
    fn items_that_cannot_be_read_are_a_problem_of_their_kind() {
        let origin = Origin {
            file: "a.cba",
            ..Origin::default()
        };
        let characters = Characters::choose(None, &mut Vec::new());
        let mut annotations = Annotations::none(origin, characters, 0, said);
        let items = [
            (items::TEXT, &b"x"[..], 70),
            (items::TEXT, b"__yes", 80),
            (items::TEXT, b"", 30),
            (items::LINK, b"", 40),
            (0x14, b"", 50),
        ];
        annotations.extend(items.into_iter().map(|(kind, data, at)| Item {
            position: 0,
            kind,
            data,
            at,
        }));
        let start = Position::initial();
        let mut replay = Replay::new(Tree::beginning(&start, 1, 0), start, (), Limits::NONE, origin);
        annotations.end(&mut replay);
        let (_, problems) = replay.finish();
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "a.cba: byte 30 (0x1e): a text (annotation 02) cannot be read, 2 times",
                "a.cba: byte 40 (0x28): a link (annotation 1c) cannot be read",
            ]
        );
    }

    /// One of the move, one of the position and one of the prefix.
    #[test]
    fn a_move_has_three_symbols() {
        let characters = Characters::choose(None, &mut Vec::new());
        let mut annotations = Annotations::none(Origin::default(), characters, 0, said);
        annotations.extend(std::iter::once(Item {
            position: 0,
            kind: items::SYMBOLS,
            data: &[1, 14, 140, 141],
            at: 0,
        }));
        let start = Position::initial();
        let tree = Tree::beginning(&start, 1, 0);
        let mut replay = Replay::new(tree, start, (), Limits::NONE, Origin::default());
        replay.play(Move::normal(Square::E2, Square::E4)).unwrap();
        annotations.after_move(0, &mut replay);
        let (movetext, _) = replay.finish();
        let nags = [1, 14, 140].map(Token::Nag);
        assert_eq!(movetext.tokens().get(1..), Some(&nags[..]));
    }
}
