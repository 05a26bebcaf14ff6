//! Quoted games (section 9.3).
//!
//! Big endian: u16 size, u16 kind, u16 flags; a start position of 28 bytes if flag bit 6 is set; White, Black (length
//! u8, text); u16 Elo of both; u16 opening; event, site; u32 date; four u16 of the tournament; u8 subround, round,
//! result; u16; moves.

use crate::bytes::{be_u16, be_u32, slice};
use crate::formats::chessbase_common::Quotation;

/// The flag of a quoted game that starts from a set-up position.
const HAS_START: u16 = 64;
const START: usize = 28;

/// The head of a quoted game; its moves are not read.
pub(super) fn read(data: &[u8]) -> Option<Quotation<'_>> {
    let mut fields = Fields { data, at: 4 };
    if fields.u16()? & HAS_START != 0 {
        fields.at += START;
    }
    let [white, black] = [fields.text()?, fields.text()?];
    let elo = [fields.u16()?, fields.u16()?];
    let _eco = fields.u16()?;
    let [event, site] = [fields.text()?, fields.text()?];
    let date = be_u32(data, fields.at)?;
    // After the date come kind of tournament, country, category and rounds.
    fields.at += 12;
    let [subround, round, result] = *slice(data, fields.at, 3)?.first_chunk()?;
    Some(Quotation {
        result,
        players: [[white, &[]], [black, &[]]],
        elo,
        event,
        site,
        date,
        round: [round, subround].map(i16::from),
    })
}

/// Fields one after the other.
struct Fields<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    fn u16(&mut self) -> Option<u16> {
        let value = be_u16(self.data, self.at)?;
        self.at += 2;
        Some(value)
    }

    /// A text after its length. A zero byte may end it earlier.
    fn text(&mut self) -> Option<&'a [u8]> {
        let len = usize::from(*self.data.get(self.at)?);
        let bytes = slice(self.data, self.at + 1, len)?;
        self.at += 1 + len;
        Some(bytes)
    }
}
