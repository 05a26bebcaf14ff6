//! Quoted games as text, as ChessBase writes them in PGN (section 9.3).

use super::characters::Characters;
use super::header::date;
use crate::bytes::{be_u16, be_u32, slice};

/// The quoted game begins in a position of its own.
const HAS_START: u16 = 64;
const START: usize = 28;

/// Result, players, event, site, year and round; the moves are left out, as ChessBase does.
pub(super) fn text(data: &[u8], characters: Characters) -> Option<String> {
    let mut fields = Fields { data, at: 4 };
    if fields.u16()? & HAS_START != 0 {
        fields.at += START;
    }
    let [white, black] = [fields.text(characters)?, fields.text(characters)?];
    let elo = [fields.u16()?, fields.u16()?];
    let _eco = fields.u16()?;
    let [event, site] = [fields.text(characters)?, fields.text(characters)?];
    let year = date(be_u32(data, fields.at)?).year;
    // Behind the date: kind of tournament, country, category and rounds.
    fields.at += 12;
    let [subround, round, result] = *slice(data, fields.at, 3)?.first_chunk()?;
    let result = match result {
        0 | 4 => "0-1",
        1 | 5 => "1/2-1/2",
        2 | 6 => "1-0",
        _ => "*",
    };
    let player = |name: String, elo: u16| match elo {
        0 => name,
        elo => format!("{name} ({elo})"),
    };
    let [white_elo, black_elo] = elo;
    let mut words = vec![
        result.to_owned(),
        format!("{}-{}", player(white, white_elo), player(black, black_elo)),
        event,
        site,
    ];
    words.extend((year != 0).then(|| year.to_string()));
    words.extend(match (round, subround) {
        (0, _) => None,
        (round, 0) => Some(format!("({round})")),
        (round, subround) => Some(format!("({round}.{subround})")),
    });
    words.retain(|word| !word.is_empty());
    Some(words.join(" "))
}

/// Fields one after the other.
struct Fields<'a> {
    data: &'a [u8],
    at: usize,
}

impl Fields<'_> {
    fn u16(&mut self) -> Option<u16> {
        let value = be_u16(self.data, self.at)?;
        self.at += 2;
        Some(value)
    }

    /// A text with its length before it, in which a zero byte may end it earlier.
    fn text(&mut self, characters: Characters) -> Option<String> {
        let len = usize::from(*self.data.get(self.at)?);
        let bytes = slice(self.data, self.at + 1, len)?;
        self.at += 1 + len;
        Some(characters.line(bytes))
    }
}
