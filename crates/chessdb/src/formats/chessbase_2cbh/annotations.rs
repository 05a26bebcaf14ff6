//! Annotations: the content of frames of the `.2cba` (section 6).
//!
//! | type | part |
//! |---|---|
//! | i32 | position: the number of a move in the order of PGN, -1 for the whole game, 7fffffff for the end |
//! | i32 | number of items |
//! | | each item: u16 kind, data |
//!
//! Items do not store their lengths, so each kind must be known ([`len_of`]).
//!
//! Kinds (¹ is known only from public descriptions):
//!
//! ```text
//! kind     data
//! 02, 82   u16, u16 language, string
//! 03       three u8: glyphs of the move, the position, a prefix
//! 04, 05   string of colours and squares
//! 07¹      u8, u8 seconds, u8 minutes, u8 hours
//! 13       quoted game
//! 16, 17¹  i32 hundredths of a second
//! 1c¹      u8 1, string address, string words
//! 21¹      i16 value, i16 kind, i16 depth
//! 22       u32
//! 24       u8 1, three stages of u32 time, u32 increment, u16 moves, u8; i32
//! 26       u8 1, i32 length, u16 count, each i16 value, u8 depth, u8 kind (0 hundredths, 1 mate)
//! 09       training question
//! 08¹, 27¹ 4 bytes, 2 bytes, unknown
//! 20¹      4 bytes, string
//! 14, 18   u8: pawn structure, critical position
//! 15       string: path of a piece
//! 23¹, 25¹ 4 bytes: colours of a variation, time in a video
//! ```
//!
//! A training question is six bytes (the third is the variant); i32 seconds, i16 points; four lists; u8 number of
//! answers. An answer is four bytes and a list in variant 1, a byte and two lists in variant 2. A list is a u16
//! count, each u16 and a string.

use super::fields::Fields;
use super::quotation;
use crate::bytes::le_u16;
use crate::formats::chessbase_common::Annotations;
use crate::formats::chessbase_common::items::{self, Item, Profile, Said, Stage};

/// The position number that ends the annotations.
const END: i32 = i32::MAX;
/// The position number of annotations of the whole game.
const WHOLE_GAME: i32 = -1;
/// Minimum size of an item in bytes.
const SHORTEST: usize = 2;

/// Kinds that only this format has, or whose items it stores in its own form.
const UNKNOWN_08: u8 = 0x08;
const TRAINING: u8 = 0x09;
const PAWN_STRUCTURE: u8 = 0x14;
const PATH: u8 = 0x15;
const CRITICAL: u8 = 0x18;
const VIDEO: u8 = 0x20;
const COLORS: u8 = 0x23;
const TIME_IN_VIDEO: u8 = 0x25;
const UNKNOWN_27: u8 = 0x27;

/// Bytes of all stages of a time control, and of one stage.
const STAGES: usize = 33;
const STAGE: usize = 11;

/// Reads the content of a frame that begins at a place of the `.2cba`.
pub(super) fn read<'a>(annotations: &mut Annotations<'a>, content: &'a [u8], at: u64) {
    let mut items = Items::new(content, at);
    annotations.extend(&mut items);
    match items.damage {
        Some((at, what)) => annotations.damage(at, what),
        None if !items.fields.is_empty() => {
            annotations.problem(
                items.place(),
                "bytes follow the end of the annotations, which mean nothing",
            );
        }
        None => {}
    }
}

/// The items of a game, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Items<'a> {
    fields: Fields<'a>,
    /// Place of the content in the file.
    start: u64,
    position: i32,
    /// Items of this position that were not read yet.
    left: usize,
    is_over: bool,
    damage: Option<Damage>,
}

impl<'a> Items<'a> {
    pub(super) fn new(content: &'a [u8], start: u64) -> Items<'a> {
        Items {
            fields: Fields::new(content),
            start,
            position: 0,
            left: 0,
            is_over: false,
            damage: None,
        }
    }

    /// The place of the next bytes in the file.
    fn place(&self) -> u64 {
        self.start + self.fields.at() as u64
    }

    /// Goes to the next position that has items; `None` at the end.
    fn next_block(&mut self) -> Result<Option<()>, Damage> {
        const CUT: &str = "the annotations have no end";
        while self.left == 0 {
            let at = self.place();
            let damage = |what: String| (at, what);
            let position = self.fields.i32().ok_or_else(|| damage(CUT.to_owned()))?;
            if position == END {
                return Ok(None);
            }
            if position < WHOLE_GAME {
                return Err(damage(format!("annotations cannot be of move {position}")));
            }
            let count = self.fields.i32().ok_or_else(|| damage(CUT.to_owned()))?;
            let count = usize::try_from(count).ok();
            let count = count.filter(|count| *count <= self.fields.len() / SHORTEST);
            let impossible = || damage("the number of annotations of a move is impossible".to_owned());
            self.left = count.ok_or_else(impossible)?;
            self.position = position;
        }
        Ok(Some(()))
    }

    fn next_item(&mut self) -> Result<Option<Item<'a>>, Damage> {
        if self.next_block()?.is_none() {
            return Ok(None);
        }
        let at = self.place();
        let damage = |what: String| (at, what);
        let kind = self.fields.u16();
        let kind = kind.ok_or_else(|| damage("the annotations have no end".to_owned()))?;
        let unread = |what: &str| format!("{what}: the annotations from here on are not read");
        let unknown = |_| {
            let what = format!("an annotation of the unknown kind {kind:04x} has an unknown form");
            damage(unread(&what))
        };
        let kind = u8::try_from(kind).map_err(unknown)?;
        let data = self.fields.rest();
        let len = len_of(kind, data).map_err(|why| {
            damage(match why {
                Unread::Unknown => unread(&format!("{} has an unknown form", items::name(kind))),
                Unread::Uneven => unread(&format!(
                    "an annotation of the kind {kind:02x} ends inside of a square or an arrow"
                )),
                Unread::Cut => format!("an annotation of the kind {kind:02x} is longer than its frame"),
            })
        })?;
        self.fields.pass(len);
        self.left -= 1;
        Ok(Some(Item {
            position: self.position,
            kind,
            data: data.get(..len).unwrap_or_default(),
            at,
        }))
    }
}

/// The place of damage, and its description.
type Damage = (u64, String);

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        if self.is_over {
            return None;
        }
        let item = self.next_item();
        self.is_over = !matches!(item, Ok(Some(_)));
        item.unwrap_or_else(|damage| {
            self.damage = Some(damage);
            None
        })
    }
}

/// Why the length of an item cannot be determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// The kind of the item, or its variant, is unknown.
    Unknown,
    /// The item goes beyond the end of the frame.
    Cut,
    /// The length of the item is not a multiple of a square or an arrow.
    Uneven,
}

/// The length of an item of this kind. All of its bytes must be there.
fn len_of(kind: u8, data: &[u8]) -> Result<usize, Unread> {
    let mut fields = Fields::new(data);
    let passed = match kind {
        items::TEXT | items::TEXT_BEFORE => fields.take(4).and_then(|_| fields.string()).map(drop),
        items::SYMBOLS => fields.take(3).map(drop),
        items::SQUARES => return marks_len(data, 2),
        items::ARROWS => return marks_len(data, 3),
        PATH => fields.string().map(drop),
        items::TIME_SPENT
        | items::WHITE_CLOCK
        | items::BLACK_CLOCK
        | items::MEDALS
        | UNKNOWN_08
        | COLORS
        | TIME_IN_VIDEO => fields.take(4).map(drop),
        PAWN_STRUCTURE | CRITICAL => fields.take(1).map(drop),
        UNKNOWN_27 => fields.take(2).map(drop),
        items::EVALUATION => fields.take(6).map(drop),
        VIDEO => fields.take(4).and_then(|_| fields.string()).map(drop),
        items::TIME_CONTROL => {
            version_1(&mut fields)?;
            fields.take(STAGES + 4).map(drop)
        }
        items::LINK => {
            version_1(&mut fields)?;
            fields.string().and_then(|_| fields.string()).map(drop)
        }
        items::PROFILE => {
            version_1(&mut fields)?;
            let content = fields.string().ok_or(Unread::Cut)?;
            let count = le_u16(content, 0).map(usize::from);
            count.filter(|count| content.len() >= 2 + 4 * count).map(drop)
        }
        items::QUOTATION => {
            version_1(&mut fields)?;
            return quotation::len(data);
        }
        TRAINING => return training_len(data),
        _ => return Err(Unread::Unknown),
    };
    passed.ok_or(Unread::Cut)?;
    Ok(fields.at())
}

/// The length of a list of squares or arrows of `size` bytes each.
fn marks_len(data: &[u8], size: usize) -> Result<usize, Unread> {
    let mut fields = Fields::new(data);
    let marks = fields.string().ok_or(Unread::Cut)?;
    if marks.len().is_multiple_of(size) {
        Ok(fields.at())
    } else {
        Err(Unread::Uneven)
    }
}

/// Reads the first byte of some kinds of items. It is 1 in all known files.
fn version_1(fields: &mut Fields<'_>) -> Result<(), Unread> {
    match fields.u8() {
        Some(1) => Ok(()),
        Some(_) => Err(Unread::Unknown),
        None => Err(Unread::Cut),
    }
}

/// The length of a training question with its answers.
fn training_len(data: &[u8]) -> Result<usize, Unread> {
    let mut fields = Fields::new(data);
    let variant = fields
        .take(6)
        .and_then(|head| head.get(2).copied())
        .ok_or(Unread::Cut)?;
    if !matches!(variant, 1 | 2) {
        return Err(Unread::Unknown);
    }
    let mut pass = || {
        // Seconds, points.
        fields.take(6)?;
        lists(&mut fields, 4)?;
        for _ in 0..fields.u8()? {
            match variant {
                1 => {
                    fields.take(4)?;
                    lists(&mut fields, 1)?;
                }
                _ => {
                    fields.take(1)?;
                    lists(&mut fields, 2)?;
                }
            }
        }
        Some(fields.at())
    };
    pass().ok_or(Unread::Cut)
}

/// Skips lists of texts.
fn lists(fields: &mut Fields<'_>, count: usize) -> Option<()> {
    for _ in 0..count {
        for _ in 0..fields.u16()? {
            fields.take(2)?;
            fields.string()?;
        }
    }
    Some(())
}

/// The text of an item; `None` for an item of another kind.
pub(super) fn text_of<'a>(item: &Item<'a>) -> Option<&'a [u8]> {
    match said(item.kind, item.data) {
        Some(Said::Text(text)) => Some(text),
        _ => None,
    }
}

/// The content of an item; `None` for an item that is not shown.
pub(super) fn said(kind: u8, data: &[u8]) -> Option<Said<'_>> {
    let mut fields = Fields::new(data);
    match kind {
        items::TEXT | items::TEXT_BEFORE => {
            fields.take(4)?;
            fields.string().map(Said::Text)
        }
        items::SYMBOLS => Some(Said::Symbols(data)),
        items::SQUARES => fields.string().map(Said::Squares),
        items::ARROWS => fields.string().map(Said::Arrows),
        items::TIME_SPENT => {
            let [_, seconds, minutes, hours] = *data.first_chunk()?;
            Some(Said::TimeSpent([hours, minutes, seconds]))
        }
        items::QUOTATION => quotation::read(data).map(Said::Quotation),
        items::WHITE_CLOCK | items::BLACK_CLOCK => fields.u32().and_then(Said::clock),
        items::LINK => {
            fields.take(1)?;
            Some(Said::Link([fields.string()?, fields.string()?]))
        }
        items::EVALUATION => Some(Said::Evaluation([fields.i16()?, fields.i16()?, fields.i16()?])),
        items::MEDALS => fields.u32().map(Said::Medals),
        items::TIME_CONTROL => {
            fields.take(1)?;
            time_control(fields.take(STAGES)?)
        }
        items::PROFILE => {
            fields.take(1)?;
            let content = fields.string()?;
            let len = usize::from(le_u16(content, 0)?) * 4;
            Some(Said::Profile(Profile {
                values: content.get(2..)?.get(..len)?,
                read: |[a, b, _, kind]| (kind, i16::from_le_bytes([a, b])),
            }))
        }
        _ => None,
    }
}

fn time_control(data: &[u8]) -> Option<Said<'_>> {
    let mut stages = [Stage::NONE; 3];
    for (to, stage) in stages.iter_mut().zip(data.chunks_exact(STAGE)) {
        let mut fields = Fields::new(stage);
        let stage = Stage {
            time: fields.u32()?,
            increment: fields.u32()?,
            moves: fields.u16()?,
        };
        // An entry without time is not a stage, even if it has an increment.
        if stage.time != 0 {
            *to = stage;
        }
    }
    Some(Said::TimeControl(stages))
}
