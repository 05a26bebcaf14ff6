//! The terms of a query about positions, while it is parsed.

use super::group_order::GroupOrder;
use super::groups::MOST_PLIES_OF_LESS;
use super::{Mirror, Mover, PositionGroup, PositionQuery};

/// Maximum number of groups. It is limited because the progress in each group is kept wherever a variation begins.
const MOST_GROUPS: usize = 16;

/// The groups that were read so far. The last one is still being read.
pub(super) struct WrittenPositions {
    pub(super) groups: Vec<WrittenGroup>,
    pub(super) mirror: Option<Mirror>,
    /// `in:variations` is given.
    pub(super) in_variations: bool,
}

/// The terms of positions of one group.
#[derive(Default)]
pub(super) struct WrittenGroup {
    pub(super) group: PositionGroup,
    pub(super) excluded: Vec<PositionGroup>,
    /// The word that begins it.
    pub(super) order: GroupOrder,
    /// The number of plies, if the group has one.
    pub(super) for_plies: Option<u32>,
    /// The most half-moves after the group before it.
    pub(super) within: Option<u32>,
    /// The canonical texts of its terms.
    pub(super) texts: Vec<String>,
}

impl WrittenGroup {
    /// True if a position must be there.
    pub(super) fn asks(&self) -> bool {
        !self.group.terms.is_empty() || !self.group.ply.is_empty()
    }

    /// True if it says anything of positions.
    pub(super) fn has_positions(&self) -> bool {
        self.asks() || !self.excluded.is_empty()
    }

    /// True if `for:` says for how many half-moves a side has less. With `-sacrifice:` it does so only beside terms that
    /// hold for one half-move: `material:KRPkrp for:20 -sacrifice:3..` is about an ending of 20 half-moves.
    fn has_sacrifice(&self) -> bool {
        let mut excluded = self.excluded.iter();
        self.group.has_sacrifice() || self.group.is_of_moves() && excluded.any(PositionGroup::has_sacrifice)
    }

    /// Gives its groups what `for:` says.
    fn set_plies(&mut self) {
        let Some(plies) = self.for_plies else { return };
        if self.has_sacrifice() {
            let groups = self.excluded.iter_mut().chain([&mut self.group]);
            groups.for_each(|group| group.set_sacrificed_plies(plies));
        } else {
            self.group.for_plies = plies;
        }
    }

    /// The group, if it has a term.
    fn finish(self) -> Option<PositionGroup> {
        let asks = self.asks();
        let within = match self.order {
            GroupOrder::Then => self.within,
            GroupOrder::Next => Some(1),
        };
        asks.then_some(PositionGroup { within, ..self.group })
    }
}

impl Default for WrittenPositions {
    fn default() -> WrittenPositions {
        WrittenPositions {
            groups: vec![WrittenGroup::default()],
            mirror: None,
            in_variations: false,
        }
    }
}

impl WrittenPositions {
    /// Begins the next group.
    pub(super) fn begin(&mut self, order: GroupOrder) -> Result<(), String> {
        if !self.groups.last().is_some_and(WrittenGroup::asks) {
            return Err("needs a term for positions before it, as in played:O-O then played:Qxf7".to_owned());
        }
        if self.groups.len() == MOST_GROUPS {
            return Err(format!("a query has at most {MOST_GROUPS} groups"));
        }
        self.groups.push(WrittenGroup {
            order,
            ..WrittenGroup::default()
        });
        Ok(())
    }

    /// Adds the only term of `one` to the present group, or to its exclusions.
    pub(super) fn add(&mut self, is_negated: bool, one: PositionGroup) {
        let Some(present) = self.groups.last_mut() else {
            return;
        };
        if is_negated {
            present.excluded.push(one);
        } else {
            present.group.terms.extend(one.terms);
            present.group.ply.extend(one.ply);
        }
    }

    /// Adds the canonical text of a term to the present group.
    pub(super) fn add_text(&mut self, text: String) {
        if let Some(group) = self.groups.last_mut() {
            group.texts.push(text);
        }
    }

    /// Sets `by:` of the present group, and gives its canonical value.
    pub(super) fn set_mover(&mut self, text: &str) -> Result<String, String> {
        let mover = Mover::of_name(text).ok_or("expected white, black, player or opponent")?;
        let group = self.groups.last_mut();
        if group.is_some_and(|group| group.group.mover.replace(mover).is_some()) {
            return Err(
                "by: can be given once in a group: put what each side did, or did not do, in parentheses, as in \
                 ( played:O-O by:white ) -( played:O-O by:black )"
                    .to_owned(),
            );
        }
        Ok(mover.name().to_owned())
    }

    /// Sets `within:` of the present group, and gives its canonical value.
    pub(super) fn set_distance(&mut self, text: &str) -> Result<String, String> {
        let plies = half_moves(text)?;
        let (number, group) = (self.groups.len(), self.groups.last_mut());
        if number == 1 {
            return Err("needs a group before it, as in played:O-O then played:Qxf7 within:4".to_owned());
        }
        if let Some(group) = group {
            if group.order == GroupOrder::Next {
                return Err(
                    "is not needed after next, which is always one half-move: leave it out, or write then instead of next"
                        .to_owned(),
                );
            }
            if group.within.replace(plies).is_some() {
                return Err("within: can be given once in a group".to_owned());
            }
        }
        Ok(plies.to_string())
    }

    /// Sets `for:` of the present group, and gives its canonical value.
    pub(super) fn set_plies(&mut self, text: &str) -> Result<String, String> {
        let plies = half_moves(text)?;
        let group = self.groups.last_mut();
        if group.is_some_and(|group| group.for_plies.replace(plies).is_some()) {
            return Err("for: can be given once in a group".to_owned());
        }
        Ok(plies.to_string())
    }

    /// Sets `mirror:`, and gives its canonical value.
    pub(super) fn set_mirror(&mut self, text: &str) -> Result<String, String> {
        const MIRRORS: [(&str, Mirror); 3] = [
            ("colour", Mirror::Colour),
            ("side", Mirror::Side),
            ("both", Mirror::Both),
        ];
        let mirror = MIRRORS.iter().find(|(name, _)| text.eq_ignore_ascii_case(name));
        let (name, mirror) = mirror.ok_or("expected colour, side or both")?;
        if self.mirror.replace(*mirror).is_some() {
            return Err(
                "mirror: can be given once in a query: mirror:both finds all mirror images".to_owned(),
            );
        }
        Ok((*name).to_owned())
    }

    /// Sets `in:`, and gives its canonical value.
    pub(super) fn set_lines(&mut self, text: &str) -> Result<String, String> {
        const VARIATIONS: &str = "variations";
        if !text.eq_ignore_ascii_case(VARIATIONS) {
            return Err("expected variations: without in:, only main lines are searched".to_owned());
        }
        if std::mem::replace(&mut self.in_variations, true) {
            return Err("in: can be given once in a query".to_owned());
        }
        Ok(VARIATIONS.to_owned())
    }

    /// True if it depends on which side is the player.
    pub(super) fn has_player(&self) -> bool {
        let mut movers = self.groups.iter().filter_map(|group| group.group.mover);
        movers.any(Mover::is_of_player)
    }

    /// True if it says anything of positions.
    pub(super) fn has_positions(&self) -> bool {
        self.groups.iter().any(WrittenGroup::has_positions)
    }

    /// Terms that need other terms, and which ones. `asks` is true if the query or its choices have terms about
    /// positions.
    pub(super) fn fault(&self, asks: bool) -> Option<(&'static str, &'static str)> {
        let any = |is_wrong: fn(&WrittenGroup) -> bool| self.groups.iter().any(is_wrong);
        let ends_with = |order| {
            let last = self
                .groups
                .last()
                .filter(|last| self.groups.len() > 1 && !last.asks());
            last.is_some_and(|last| last.order == order)
        };
        let needs_terms = "needs a term for positions after it, as in played:O-O then played:Qxf7";
        let rules = [
            ("then", ends_with(GroupOrder::Then), needs_terms),
            ("next", ends_with(GroupOrder::Next), needs_terms),
            (
                "for",
                any(|group| group.for_plies.is_some() && !group.asks() && !group.has_sacrifice()),
                "needs a term for positions in its group, as in material:KRPkr for:4",
            ),
            (
                "for",
                any(|group| {
                    group.has_sacrifice() && group.for_plies.is_some_and(|plies| plies > MOST_PLIES_OF_LESS)
                }),
                "a sacrifice can be asked for at most 1000 half-moves",
            ),
            (
                "by",
                any(|group| group.group.mover.is_some() && !group.has_positions()),
                "needs a term for positions in its group, as in played:O-O-O by:white",
            ),
            (
                "by",
                any(|group| {
                    let is_long = group.for_plies.is_some_and(|plies| plies > 1);
                    group.group.mover.is_some() && is_long && !group.has_sacrifice()
                }),
                "the sides take turns, so no two consecutive half-moves match: leave out by: or for:",
            ),
            (
                "for",
                any(|group| {
                    let plies = group.for_plies.filter(|_| !group.has_sacrifice());
                    plies.is_some_and(|plies| group.group.leaves_repertoire_longer_than(plies))
                }),
                "a game leaves a repertoire with one move, so left: holds at one position: leave out for:",
            ),
            (
                "repertoire",
                any(|group| {
                    let mut groups = group.excluded.iter().chain([&group.group]);
                    group.group.mover.is_none() && groups.any(PositionGroup::follows_repertoire)
                }),
                "needs the side that plays its moves, as in repertoire:white.pgn by:white",
            ),
            (
                "mirror",
                self.mirror.is_some() && !asks,
                "needs a term for positions, as in pawns:8/8/8/3p4/3P4/8/8/8 mirror:colour",
            ),
            (
                "in",
                self.in_variations && !asks,
                "needs a term for positions, as in played:Bxh7+ in:variations",
            ),
        ];
        let wrong = rules.into_iter().find(|(_, is_wrong, _)| *is_wrong);
        wrong.map(|(name, _, what)| (name, what))
    }

    /// The position part of a query with or without a player, and the canonical texts of the terms of each group.
    pub(super) fn finish(self, has_player: bool) -> (PositionQuery, Vec<(GroupOrder, Vec<String>)>) {
        let mut positions = PositionQuery {
            mirror: self.mirror.unwrap_or_default(),
            in_variations: self.in_variations,
            ..PositionQuery::default()
        };
        let mut texts = Vec::new();
        for mut written in self.groups {
            written.set_plies();
            let (ply, mover) = (&written.group.ply, written.group.mover);
            let excluded = std::mem::take(&mut written.excluded).into_iter();
            positions.excluded.extend(excluded.map(|mut excluded| {
                excluded.ply.extend(ply.iter().cloned());
                excluded.mover = mover;
                excluded
            }));
            texts.push((written.order, std::mem::take(&mut written.texts)));
            positions.groups.extend(written.finish());
        }
        if !has_player {
            let groups = positions.groups.iter_mut().chain(&mut positions.excluded);
            groups.for_each(PositionGroup::set_no_player);
        }
        (positions, texts)
    }
}

/// A number of half-moves.
fn half_moves(text: &str) -> Result<u32, String> {
    let plies = text
        .parse()
        .ok()
        .filter(|&plies| plies > 0 && !text.starts_with('+'));
    plies.ok_or_else(|| "expected a number of half-moves, at least 1".to_owned())
}
