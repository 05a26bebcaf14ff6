//! The tags of a game, as ChessBase exports them (section 13).
//!
//! Fields of names: the length of all, then offset, name and size in bytes of each.
//!
//! ```text
//! .cbp  58  0 last name (30), 30 first name (20)
//! .cbt  90  0 title (40), 40 place (30), 70 date u32, 74 kind, 75 bit 0 teams, 76 country, 78 category, 80 rounds
//! .cbc  53  0 name (45)
//! .cbs  59  0 title (25), 25 publisher (16), 41 publication u32, 45 date u32, 49 version, 50 quality
//! .cbe  63  0 name (45), 45 number u32, 54 country
//! ```
//!
//! Kinds of tournaments, in bits 0-4: 1 game, 2 match, 3 tourn, 4 swiss, 5 team, 6 k.o., 7 simul, 8 schev; bit 5
//! blitz, 6 rapid, 7 correspondence.

use super::annotations::Items;
use super::entities::{Entity, append_player, append_title};
use super::header::Header;
use super::{ChessBaseCbh, Place, items};
use crate::formats::chessbase_common::tags::{self, OfRecord, set_number, set_stored_date, set_text};
use crate::formats::chessbase_common::{nations, set_tags};
use crate::game::Tags;

impl ChessBaseCbh {
    /// All tags of a game but those of its start position and its length.
    pub(super) fn tags_of(&self, place: &Place) -> Tags {
        let header = &place.header;
        let mut tags = Tags::new(header.outcome());
        self.tournament_tags(header, &mut tags);
        for (name, id) in [("White", header.white_id()), ("Black", header.black_id())] {
            if let Some(player) = self.entity(&self.players, id) {
                let name_of = |out: &mut String| append_player(&player, out);
                set_text(&mut tags, name, name_of);
            }
        }
        let (round, subround) = header.round();
        let of_record = OfRecord {
            date: header.date(),
            round: round.into(),
            subround: subround.into(),
            board: 0,
            elo: header.elo(),
            eco: header.eco(),
            is_deleted: header.is_deleted(),
        };
        of_record.set(&mut tags);
        if let Some(annotator) = self.entity(&self.annotators, header.annotator()) {
            set_text(&mut tags, "Annotator", |out| annotator.append(0, 45, out));
        }
        self.source_tags(header, &mut tags);
        self.team_tags(place, &mut tags);
        self.annotation_tags(place, &mut tags);
        tags
    }

    fn tournament_tags(&self, header: &Header, tags: &mut Tags) {
        let Some(tournament) = self.entity(&self.tournaments, header.tournament()) else {
            return;
        };
        set_text(tags, "Event", |out| append_title(&tournament, out));
        set_text(tags, "Site", |out| tournament.append(40, 30, out));
        set_stored_date(tags, "EventDate", tournament.u32(70));
        set_text(tags, "EventType", |out| append_kind(&tournament, out));
        set_number(tags, "EventRounds", tournament.byte(80).into());
        set_number(tags, "EventCategory", tournament.byte(78).into());
        if let Some(country) = nations::code(tournament.byte(76)) {
            tags.set_str("EventCountry", country);
        }
    }

    fn source_tags(&self, header: &Header, tags: &mut Tags) {
        let Some(source) = self.entity(&self.sources, header.source()) else {
            return;
        };
        set_text(tags, "SourceTitle", |out| source.append(0, 25, out));
        set_number(tags, "SourceVersion", source.byte(49).into());
        set_stored_date(tags, "SourceVersionDate", source.u32(45));
        set_number(tags, "SourceQuality", source.byte(50).into());
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
        set_tags(items, items::said, tags);
    }
}

/// The kind of a tournament: `team-swiss (rapid)`.
fn append_kind(tournament: &Entity<'_>, out: &mut String) {
    tags::append_kind(tournament.byte(74), tournament.byte(75) & 1 != 0, out);
}

/// The name of a team, with its number: `Eppingen II`.
fn append_team(team: &Entity<'_>, out: &mut String) {
    team.append(0, 45, out);
    tags::append_number_of_team(team.u32(45), out);
}
