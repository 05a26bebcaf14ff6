//! The tags of a game (section 10).

use super::Scid;
use super::fields::Rating;
use super::index::Entry;
use super::names::Kind;
use super::record::Tag;
use super::setup::SetUp;
use crate::board::ByColor;
use crate::database::ratings_of;
use crate::game::{Date, Tags};

/// Tags whose values come from other fields. Further tags with these names are not shown.
const REDUNDANT: [&str; 7] = ["Date", "Result", "SetUp", "Setup", "FEN", "ScidFlags", "Deleted"];

impl Scid {
    /// The tags that are set before a record's further tags, which may replace them.
    pub(super) fn tags_before(&self, entry: &Entry) -> Tags {
        let mut tags = Tags::new(entry.outcome);
        for (name, kind, number) in [
            ("Event", Kind::Event, entry.event),
            ("Site", Kind::Site, entry.site),
            ("Round", Kind::Round, entry.round),
            ("White", Kind::Player, entry.white),
            ("Black", Kind::Player, entry.black),
        ] {
            tags.set_with(name, |value| self.names.append(kind, number, self.texts, value));
        }
        tags
    }

    /// Adds one of the further tags.
    pub(super) fn add_tag(&self, tags: &mut Tags, tag: Tag<'_>) {
        match tag {
            Tag::Text(name, value) if !REDUNDANT.contains(&name.as_ref()) => {
                tags.set_with(name, |out| self.texts.append_value(value, out));
            }
            Tag::EventDate(date) if date != Date::default() => tags.set_date("EventDate", date),
            Tag::Text(..) | Tag::EventDate(_) => {}
        }
    }

    /// Adds the tags that are set after the further tags, because they replace further tags of the same name.
    pub(super) fn add_tags_after(&self, tags: &mut Tags, entry: &Entry, set_up: Option<&SetUp>) {
        tags.set_date("Date", entry.date);
        add_ratings(tags, entry);
        if let Some(opening) = entry.opening() {
            tags.set_with("ECO", |value| value.extend(opening.characters()));
        }
        if entry.event_date != Date::default() {
            tags.set_date("EventDate", entry.event_date);
        }
        if entry.flags.letters().next().is_some() {
            tags.set_with("ScidFlags", |value| value.extend(entry.flags.letters()));
        }
        if entry.flags.is_deleted() {
            tags.set_str("Deleted", "1");
        }
        if entry.is_chess960 {
            tags.set_str("Variant", "Chess960");
        }
        if let Some(set_up) = set_up {
            tags.set_str("SetUp", "1");
            tags.set_str("FEN", &set_up.fen);
        }
    }

    /// The ratings of a game. If one is missing in the index, the record is read, because its further tags may have it.
    pub(super) fn ratings_of(&self, entry: &Entry) -> ByColor<Option<u16>> {
        let mut tags = Tags::default();
        let is_elo = |rating: &Rating| rating.value != 0 && rating.tags() == Rating::default().tags();
        if !entry.ratings.iter().all(is_elo)
            && let Ok(record) = self.record(entry)
        {
            // Damage of the record is reported when its game is read.
            let _ = record.read(|tag| self.add_tag(&mut tags, tag));
        }
        add_ratings(&mut tags, entry);
        ratings_of(&tags)
    }
}

fn add_ratings(tags: &mut Tags, entry: &Entry) {
    for (side, rating) in entry.ratings.into_iter().enumerate() {
        if let Some(&name) = rating.tags().get(side)
            && rating.value != 0
        {
            tags.set_number(name, rating.value.into());
        }
    }
}
