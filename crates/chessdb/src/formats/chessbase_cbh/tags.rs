//! The tags of a game, as ChessBase exports them (section 13).
//!
//! Kinds of tournaments, in bits 0-4: 1 game, 2 match, 3 tourn, 4 swiss, 5 team, 6 k.o., 7 simul, 8 schev; bit 5
//! blitz, 6 rapid, 7 correspondence.

use super::annotations::Items;
use super::entities::{Annotator, Player, Source, Team, Title, Tournament};
use super::header::Header;
use super::{ChessBaseCbh, Place, items};
use crate::formats::chessbase_common::tags::{self, OfRecord, set_number, set_stored_date, set_text};
use crate::formats::chessbase_common::{nations, set_tags};
use crate::game::Tags;

impl ChessBaseCbh {
    /// All tags of a game, except FEN and SetUp and the number of half-moves, which follow from its `.cbg` record.
    pub(super) fn tags_of(&self, place: &Place) -> Tags {
        let header = &place.header;
        let mut tags = Tags::new(header.outcome());
        self.tournament_tags(header, &mut tags);
        for (name, id) in [("White", header.white_id()), ("Black", header.black_id())] {
            if let Some(player) = self.entity(&self.players, id) {
                set_text(&mut tags, name, |out| Player(player).append_name(out));
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
            set_text(&mut tags, "Annotator", |out| {
                Annotator(annotator).append_name(out)
            });
        }
        self.source_tags(header, &mut tags);
        self.team_tags(place, &mut tags);
        let title = self.extended.get(place.record).title();
        if let Some(title) = title.and_then(|id| self.entity(&self.titles, id)) {
            tags::set_title(&mut tags, |out| Title(title).append(out));
        }
        self.annotation_tags(place, &mut tags);
        tags
    }

    fn tournament_tags(&self, header: &Header, tags: &mut Tags) {
        let Some(tournament) = self.entity(&self.tournaments, header.tournament()) else {
            return;
        };
        let tournament = Tournament(tournament);
        set_text(tags, "Event", |out| tournament.append_title(out));
        set_text(tags, "Site", |out| tournament.append_place(out));
        set_stored_date(tags, "EventDate", tournament.date());
        set_text(tags, "EventType", |out| append_kind(&tournament, out));
        set_number(tags, "EventRounds", tournament.rounds().into());
        set_number(tags, "EventCategory", tournament.category().into());
        if let Some(country) = nations::code(tournament.country()) {
            tags.set_str("EventCountry", country);
        }
    }

    fn source_tags(&self, header: &Header, tags: &mut Tags) {
        let Some(source) = self.entity(&self.sources, header.source()) else {
            return;
        };
        let source = Source(source);
        set_text(tags, "SourceTitle", |out| source.append_title(out));
        set_number(tags, "SourceVersion", source.version().into());
        set_stored_date(tags, "SourceVersionDate", source.date());
        set_number(tags, "SourceQuality", source.quality().into());
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
            let team = Team(team);
            set_text(tags, name, |out| team.append_name(out));
            if let Some(code) = nations::code(team.country()) {
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

/// Appends the kind of a tournament: `team-swiss (rapid)`.
fn append_kind(tournament: &Tournament<'_>, out: &mut String) {
    tags::append_kind(tournament.kind(), tournament.is_for_teams(), out);
}
