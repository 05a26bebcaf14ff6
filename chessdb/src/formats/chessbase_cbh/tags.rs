//! The tags of a game, as ChessBase exports them (section 13).

use super::annotations::Items;
use super::entities::{Entity, append_player, append_title};
use super::header::{Header, date};
use super::setup::Start;
use super::{ChessBaseCbh, Place, items, nations};
use crate::game::{Date, Tags};

/// Kinds of tournaments.
const KINDS: [&str; 9] = [
    "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
];

/// Bits of the kind, with what they add to its name.
const SPEEDS: [(u8, &str); 3] = [(0x20, " (blitz)"), (0x40, " (rapid)"), (0x80, " (corr)")];

impl ChessBaseCbh {
    /// All tags of a game but those of its start position and its length.
    pub(super) fn tags_of(&self, place: &Place) -> Tags {
        let header = &place.header;
        let mut tags = Tags::new(header.outcome());
        self.tournament_tags(header, &mut tags);
        for (name, id) in [("White", header.white()), ("Black", header.black())] {
            if let Some(player) = self.entity(&self.players, id) {
                let name_of = |out: &mut String| append_player(&player, out);
                set_text(&mut tags, name, name_of);
            }
        }
        tags.set_date("Date", header.date());
        match header.round() {
            (0, 0) => {}
            (0, board) => tags.set_number("Board", board.into()),
            (round, 0) => tags.set_number("Round", round.into()),
            (round, subround) => tags.set("Round", format_args!("{round}.{subround}")),
        }
        for (name, elo) in ["WhiteElo", "BlackElo"].into_iter().zip(header.elo()) {
            if elo != 0 {
                tags.set_number(name, elo.into());
            }
        }
        if let Some((eco, sub_code)) = header.eco() {
            tags.set_str("ECO", eco.as_str());
            if sub_code != 0 {
                tags.set("ECOSub", format_args!("{sub_code:02}"));
            }
        }
        if let Some(annotator) = self.entity(&self.annotators, header.annotator()) {
            set_text(&mut tags, "Annotator", |out| annotator.append(0, 45, out));
        }
        self.source_tags(header, &mut tags);
        self.team_tags(place, &mut tags);
        self.annotation_tags(place, &mut tags);
        if header.is_deleted() {
            tags.set_str("Deleted", "1");
        }
        tags
    }

    fn tournament_tags(&self, header: &Header, tags: &mut Tags) {
        let Some(tournament) = self.entity(&self.tournaments, header.tournament()) else {
            return;
        };
        set_text(tags, "Event", |out| append_title(&tournament, out));
        set_text(tags, "Site", |out| tournament.append(40, 30, out));
        set_date(tags, "EventDate", date(tournament.u32(70)));
        set_text(tags, "EventType", |out| append_kind(&tournament, out));
        set_number(tags, "EventRounds", tournament.byte(80));
        set_number(tags, "EventCategory", tournament.byte(78));
        if let Some(country) = nations::code(tournament.byte(76)) {
            tags.set_str("EventCountry", country);
        }
    }

    fn source_tags(&self, header: &Header, tags: &mut Tags) {
        let Some(source) = self.entity(&self.sources, header.source()) else {
            return;
        };
        set_text(tags, "SourceTitle", |out| source.append(0, 25, out));
        set_number(tags, "SourceVersion", source.byte(49));
        set_date(tags, "SourceVersionDate", date(source.u32(45)));
        set_number(tags, "SourceQuality", source.byte(50));
    }

    fn team_tags(&self, place: &Place, tags: &mut Tags) {
        const NAMES: [[&str; 2]; 2] = [
            ["WhiteTeam", "WhiteTeamCountry"],
            ["BlackTeam", "BlackTeamCountry"],
        ];
        let teams = self.extended.get(place.record).teams();
        for ([name, country], id) in NAMES.into_iter().zip(teams) {
            let Some(team) = id.and_then(|id| self.entity(&self.teams, id)) else {
                continue;
            };
            set_text(tags, name, |out| append_team(&team, out));
            if let Some(code) = nations::code(team.byte(54)) {
                tags.set_str(country, code);
            }
        }
    }

    /// Clocks and time controls, which are annotations of the whole game.
    fn annotation_tags(&self, place: &Place, tags: &mut Tags) {
        let Some((cba, at)) = self.annotations_of(place) else {
            return;
        };
        let items = Items::at(&cba.bytes, at).into_iter().flatten();
        let mut is_set = [false; 3];
        for item in items.filter(|item| item.position < 0) {
            let [white, black] = items::CLOCKS;
            let (number, name, value) = match item.kind {
                kind if kind == white => (0, "WhiteClock", items::clock(item.data)),
                kind if kind == black => (1, "BlackClock", items::clock(item.data)),
                items::TIME_CONTROL => (2, "TimeControl", items::time_control(item.data)),
                _ => continue,
            };
            if let Some(is_set) = is_set.get_mut(number)
                && let Some(value) = value
                && !std::mem::replace(is_set, true)
            {
                tags.set_str(name, &value);
            }
        }
    }
}

/// The tags of a start position.
pub(super) fn set_start(tags: &mut Tags, start: &Start, is_chess960: bool) {
    if is_chess960 {
        tags.set_str("Variant", "chess 960");
    }
    if let Some(fen) = start.fen() {
        tags.set_str("SetUp", "1");
        tags.set_str("FEN", fen);
    }
}

/// Sets a tag to a text, if it is not empty.
#[inline]
fn set_text(tags: &mut Tags, name: &'static str, append: impl FnOnce(&mut String)) {
    let mut text = String::new();
    append(&mut text);
    if !text.is_empty() {
        tags.set_str(name, &text);
    }
}

fn set_date(tags: &mut Tags, name: &'static str, date: Date) {
    if date != Date::default() {
        tags.set_date(name, date);
    }
}

fn set_number(tags: &mut Tags, name: &'static str, number: u8) {
    if number != 0 {
        tags.set_number(name, number.into());
    }
}

/// The kind of a tournament: `team-swiss (rapid)`.
fn append_kind(tournament: &Entity<'_>, out: &mut String) {
    let kind = tournament.byte(74);
    let name = KINDS.get(usize::from(kind & 0x1f)).copied().unwrap_or_default();
    if name.is_empty() {
        return;
    }
    if tournament.byte(75) & 1 != 0 {
        out.push_str("team-");
    }
    out.push_str(name);
    for (_, speed) in SPEEDS.into_iter().filter(|(bit, _)| kind & bit != 0) {
        out.push_str(speed);
    }
}

/// The name of a team, with its number: `Eppingen II`.
fn append_team(team: &Entity<'_>, out: &mut String) {
    team.append(0, 45, out);
    let number = team.u32(45);
    if !out.is_empty() && (2..=MOST_ROMAN).contains(&number) {
        out.push(' ');
        append_roman(number, out);
    }
}

/// Roman numbers go as far.
const MOST_ROMAN: u32 = 3999;

fn append_roman(mut number: u32, out: &mut String) {
    const DIGITS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    for (value, digits) in DIGITS {
        while number >= value {
            out.push_str(digits);
            number -= value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_have_roman_numbers() {
        let roman = |number| {
            let mut text = String::new();
            append_roman(number, &mut text);
            text
        };
        assert_eq!(
            [2, 4, 9, 14, 1994].map(roman),
            ["II", "IV", "IX", "XIV", "MCMXCIV"]
        );
    }
}
