//! The tags of a game (section 8).

use super::annotations::{self, Items};
use super::frame;
use super::header::Header;
use super::names::{self, Entity, Type};
use super::{ChessBase2Cbh, Place};
use crate::formats::chessbase_common::tags::{self, OfRecord, set_number, set_stored_date, set_text};
use crate::formats::chessbase_common::{Characters, nations, set_tags};
use crate::game::Tags;

impl ChessBase2Cbh {
    /// All tags of a game, except FEN and SetUp and the number of half-moves, which follow from its moves.
    pub(super) fn tags_of(&self, place: &Place<'_>) -> Tags {
        let header = &place.header;
        let references = header.references();
        let mut tags = Tags::new(header.outcome());
        if let Some(tournament) = self.entity(Type::Tournament, header.reference(references.tournament)) {
            self.tournament_tags(tournament, &mut tags);
        }
        for (name, at) in [
            ("White", references.white),
            ("Black", references.black),
            ("Annotator", Some(references.annotator)),
        ] {
            if let Some(player) = self.entity(Type::Player, header.reference(at)) {
                set_text(&mut tags, name, |out| {
                    append_player(player, self.base.characters, out)
                });
            }
        }
        let [round, subround, board] = header.round();
        let of_record = OfRecord {
            date: header.date(),
            round,
            subround,
            board,
            elo: header.elo(),
            eco: header.eco(),
            is_deleted: header.is_deleted(),
        };
        of_record.set(&mut tags);
        if let Some(source) = self.entity(Type::Source, header.reference(Some(references.source))) {
            self.source_tags(source, &mut tags);
        }
        self.team_tags(header, &mut tags);
        if let Some(title) = self.entity(Type::Title, header.reference(Some(references.title))) {
            tags::set_title(&mut tags, |out| append_title(title, self.base.characters, out));
        }
        if let Some(Ok(frame)) = self.annotations_of(header)
            && frame.tag == frame::ANNOTATIONS
        {
            let items = Items::new(frame.content, frame.content_at());
            set_tags(items, annotations::said, &mut tags);
        }
        tags
    }

    /// An entity by the number in a record.
    pub(super) fn entity(&self, of: Type, number: Option<i64>) -> Option<Entity<'_>> {
        self.names.get(of, number?)
    }

    fn tournament_tags(&self, mut tournament: Entity<'_>, tags: &mut Tags) {
        // After a text that is longer than its container, nothing can be read (section 14.5).
        for name in ["Site", "Event"] {
            let Some(text) = tournament.string() else { return };
            set_text(tags, name, |out| self.base.characters.append_name(text, out));
        }
        let Some(date) = tournament.u32() else { return };
        set_stored_date(tags, "EventDate", date);
        let mut byte = || tournament.byte().unwrap_or(0);
        let (kind, is_of_teams, nation, _) = (byte(), byte() & 1 != 0, byte(), byte());
        let (category, _flags, rounds) = (byte(), byte(), byte());
        set_text(tags, "EventType", |out| tags::append_kind(kind, is_of_teams, out));
        set_number(tags, "EventRounds", rounds.into());
        set_number(tags, "EventCategory", category.into());
        if let Some(country) = nations::code(nation) {
            tags.set_str("EventCountry", country);
        }
    }

    fn source_tags(&self, mut source: Entity<'_>, tags: &mut Tags) {
        let Some(title) = source.string() else { return };
        set_text(tags, "SourceTitle", |out| {
            self.base.characters.append_name(title, out)
        });
        // The publisher, and the date of publication.
        let passed = source.string().and_then(|_| source.u32());
        let Some(date) = passed.and_then(|_| source.u32()) else {
            return;
        };
        set_stored_date(tags, "SourceVersionDate", date);
        for name in ["SourceVersion", "SourceQuality"] {
            let number = source.u16().map(u16::cast_signed);
            set_number(
                tags,
                name,
                number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0),
            );
        }
    }

    fn team_tags(&self, header: &Header<'_>, tags: &mut Tags) {
        const NAMES: [[&str; 2]; 2] = [
            ["WhiteTeam", "WhiteTeamCountry"],
            ["BlackTeam", "BlackTeamCountry"],
        ];
        let Some(places) = header.references().teams else {
            return;
        };
        for ([name, country], at) in NAMES.into_iter().zip(places) {
            let Some(mut team) = self.entity(Type::Team, header.reference(Some(at))) else {
                continue;
            };
            let Some(text) = team.string() else { continue };
            set_text(tags, name, |out| {
                self.base.characters.append_name(text, out);
                tags::append_number_of_team(team.byte().unwrap_or(0).into(), out);
            });
            // The season, and its year.
            team.pass(3);
            if let Some(code) = team.byte().and_then(nations::code) {
                tags.set_str(country, code);
            }
        }
    }
}

/// Appends the name of a player.
pub(super) fn append_player(mut player: Entity<'_>, characters: Characters, out: &mut String) {
    let last = player.string();
    let first = last.and_then(|_| player.string());
    let [last, first] = [last, first].map(Option::unwrap_or_default);
    let part = |text| move |out: &mut String| characters.append_name(text, out);
    tags::append_player(part(last), part(first), out);
}

/// The stored date of a tournament.
pub(super) fn date_of(mut tournament: Entity<'_>) -> Option<u32> {
    tournament.string()?;
    tournament.string()?;
    tournament.u32()
}

/// Appends the title of a tournament, which is stored after its place.
pub(super) fn append_event(mut tournament: Entity<'_>, characters: Characters, out: &mut String) {
    let title = tournament.string().and_then(|_| tournament.string());
    characters.append_name(title.unwrap_or_default(), out);
}

/// Appends the first text of a title that is not empty.
fn append_title(title: Entity<'_>, characters: Characters, out: &mut String) {
    for (_, text) in names::titles(title) {
        characters.append_name(text, out);
        if !out.is_empty() {
            return;
        }
    }
}
