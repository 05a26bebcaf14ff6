//! Players, events, places and sources: lists inside the EMB (sections 3.6 to 3.9).
//!
//! `NAME.a01` leads from an id to a record of `NAME.d01`: length of the name (and of a player's title), then the
//! texts. `Players.d00` has 10 bytes a player: rating u16, FIDE id u32, birthday, sex.

use std::borrow::Cow;

use encoding_rs::Encoding;

use super::address::{Found, Lost, follow};
use super::emb::Emb;
use super::encoding::{Evidence, decode};
use crate::bytes::le_u32;
use crate::database::TextId;

/// The id of the empty name.
pub(super) const NO_ID: u32 = 0xff_ffff;

/// Number of names in each list that are examined to detect the code page (section 7.5).
const SAMPLE: u32 = 2000;

/// Size of an entry of `Players.d00`, and the offset of the FIDE id in it.
const PLAYER_SIZE: u32 = 10;
const FIDE_ID: u32 = 2;

/// One of the four lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Players,
    Events,
    Places,
    Sources,
}

const KINDS: [(Kind, &str); 4] = [
    (Kind::Players, "Players"),
    (Kind::Events, "Events"),
    (Kind::Places, "Places"),
    (Kind::Sources, "Sources"),
];

/// The bits of a [`TextId`] from this one on identify the list; ids of names have 24 bits.
const LIST_SHIFT: u32 = 24;

/// The id of a name among all names of the database.
pub(super) fn text_id(kind: Kind, id: u32) -> TextId {
    TextId((kind as u32) << LIST_SHIFT | id)
}

/// Files of one list.
#[derive(Clone, Copy, Default)]
struct List {
    addresses: Option<usize>,
    records: Option<usize>,
    /// Further data of players.
    data: Option<usize>,
}

/// All names of a database.
pub(super) struct Names {
    emb: Emb,
    lists: [List; 4],
    pub(super) encoding: &'static Encoding,
}

/// A record of a list.
struct Record<'e> {
    /// The id after redirects.
    id: u32,
    name: Cow<'e, [u8]>,
    title: Cow<'e, [u8]>,
}

/// A player with all known data.
pub(super) struct Player {
    pub(super) name: String,
    pub(super) title: String,
    /// 0 unknown.
    pub(super) fide_id: u32,
}

/// Why an id has no name, if that is worth reporting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoName(pub(super) String);

impl Names {
    /// The names in an EMB. The code page is determined later: see [`Names::add_evidence`].
    pub(super) fn new(emb: Emb, encoding: &'static Encoding) -> Names {
        let lists = KINDS.map(|(_, name)| List {
            addresses: emb.find(&format!("{name}.a01")),
            records: emb.find(&format!("{name}.d01")),
            data: emb.find(&format!("{name}.d00")),
        });
        Names { emb, lists, encoding }
    }

    pub(super) fn emb(&self) -> &Emb {
        &self.emb
    }

    /// The lists that cannot be read because their files are missing.
    pub(super) fn missing(&self) -> impl Iterator<Item = &'static str> {
        let lists = KINDS.iter().zip(&self.lists);
        lists
            .filter(|(_, list)| list.addresses.is_none() || list.records.is_none())
            .map(|((_, name), _)| *name)
    }

    /// Number of ids of a list.
    pub(super) fn len(&self, kind: Kind) -> u32 {
        self.list(kind)
            .addresses
            .map_or(0, |file| self.emb.size(file) / 4)
    }

    fn list(&self, kind: Kind) -> List {
        let [players, events, places, sources] = self.lists;
        match kind {
            Kind::Players => players,
            Kind::Events => events,
            Kind::Places => places,
            Kind::Sources => sources,
        }
    }

    /// The record of an id; `None` if its list is missing or the id has no name.
    #[inline]
    fn record(&self, kind: Kind, id: u32) -> Result<Option<Record<'_>>, NoName> {
        let list = self.list(kind);
        let (Some(addresses), Some(records)) = (list.addresses, list.records) else {
            return Ok(None);
        };
        if id == NO_ID {
            return Ok(None);
        }
        let entry = |id: u32| {
            let bytes = self.emb.read(addresses, id.checked_mul(4)?, 4);
            le_u32(&bytes, 0).map(u32::cast_signed)
        };
        let Found { id, address } = follow(id, entry).map_err(|lost| match lost {
            Lost::Outside(id) => NoName(format!("no {kind:?} entry {id}")),
            Lost::Endless => NoName(format!("redirects of {kind:?} do not end")),
        })?;
        let head_size: u32 = if kind == Kind::Players { 2 } else { 1 };
        // A single read contains most records completely.
        let record = self.emb.read(records, address, head_size + 64);
        let head = |place: usize| record.get(place).copied();
        let (name_len, title_len) = match (head(0), head(1)) {
            (Some(name), Some(title)) if kind == Kind::Players => (name, title),
            (Some(name), _) if kind != Kind::Players => (name, 0),
            _ => return Err(NoName(format!("{kind:?} record {address} is not there"))),
        };
        let name = self.part(records, &record, address, head_size, name_len);
        let title = self.part(
            records,
            &record,
            address,
            head_size + u32::from(name_len),
            title_len,
        );
        Ok(Some(Record { id, name, title }))
    }

    /// Bytes of a record; fewer if the file ends earlier.
    #[inline]
    fn part<'e>(
        &'e self,
        records: usize,
        start: &Cow<'e, [u8]>,
        address: u32,
        from: u32,
        len: u8,
    ) -> Cow<'e, [u8]> {
        if let Cow::Borrowed(start) = *start
            && let Some(part) = start
                .get(from as usize..)
                .and_then(|rest| rest.get(..usize::from(len)))
        {
            return Cow::Borrowed(part);
        }
        self.emb
            .read(records, address.saturating_add(from), u32::from(len))
    }

    /// The name with an id; empty for the id that means "no name".
    pub(super) fn name(&self, kind: Kind, id: u32) -> Result<String, NoName> {
        let record = self.record(kind, id)?;
        Ok(record.map_or_else(String::new, |record| decode(&record.name, self.encoding)))
    }

    /// A player; all fields are empty if the player is unknown.
    pub(super) fn player(&self, id: u32) -> Result<Player, NoName> {
        let unknown = Player {
            name: String::new(),
            title: String::new(),
            fide_id: 0,
        };
        let Some(record) = self.record(Kind::Players, id)? else {
            return Ok(unknown);
        };
        let name = decode(&record.name, self.encoding);
        if name.is_empty() {
            return Ok(unknown);
        }
        let fide_id = self.list(Kind::Players).data.and_then(|data| {
            let place = record.id.checked_mul(PLAYER_SIZE)?.checked_add(FIDE_ID)?;
            le_u32(&self.emb.read(data, place, 4), 0)
        });
        Ok(Player {
            name,
            title: decode(&record.title, self.encoding),
            fide_id: fide_id.unwrap_or(0),
        })
    }

    /// The text of an id that [`text_id`] returned; empty if the name does not exist or is damaged.
    pub(super) fn text_of(&self, id: TextId) -> String {
        let number = id.0 & ((1 << LIST_SHIFT) - 1);
        let kind = KINDS.iter().find(|(kind, _)| *kind as u32 == id.0 >> LIST_SHIFT);
        let name = kind.map(|(kind, _)| self.name(*kind, number));
        name.and_then(Result::ok).unwrap_or_default()
    }

    /// Adds the evidence for the code page from names in all lists.
    pub(super) fn add_evidence(&self, evidence: &mut Evidence) {
        for (kind, _) in KINDS {
            let len = self.len(kind);
            let step = (len / SAMPLE).max(1) as usize;
            for id in (0..len).step_by(step).take(SAMPLE as usize) {
                if let Ok(Some(record)) = self.record(kind, id) {
                    evidence.add(&record.name);
                    evidence.add(&record.title);
                }
            }
        }
    }
}
