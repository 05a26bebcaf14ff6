//! Quoted games as text, as ChessBase writes them in PGN.

use super::{Characters, values};

/// A quoted game.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) struct Quotation<'a> {
    pub(in crate::formats) result: u8,
    /// White and Black, each with the parts of the name.
    pub(in crate::formats) players: [[&'a [u8]; 2]; 2],
    /// Ratings, 0 for none.
    pub(in crate::formats) elo: [u16; 2],
    pub(in crate::formats) event: &'a [u8],
    pub(in crate::formats) site: &'a [u8],
    pub(in crate::formats) date: u32,
    /// Round and subround, 0 for none.
    pub(in crate::formats) round: [i16; 2],
}

impl Quotation<'_> {
    /// Result, players, event, site, year and round. The moves are left out, as in ChessBase.
    pub(super) fn text(&self, characters: Characters) -> String {
        let [white, black] = [0, 1].map(|side| self.player(side, characters));
        let year = values::date(self.date).year;
        let mut words = vec![
            values::outcome(self.result).token().to_owned(),
            format!("{white}-{black}"),
            characters.line(self.event),
            characters.line(self.site),
        ];
        words.extend((year != 0).then(|| year.to_string()));
        words.extend(match self.round {
            [0, _] => None,
            [round, 0] => Some(format!("({round})")),
            [round, subround] => Some(format!("({round}.{subround})")),
        });
        words.retain(|word| !word.is_empty());
        words.join(" ")
    }

    /// A player with the rating.
    fn player(&self, side: usize, characters: Characters) -> String {
        let parts = self
            .players
            .get(side)
            .map(|parts| parts.map(|part| characters.line(part)));
        let mut parts = Vec::from(parts.unwrap_or_default());
        parts.retain(|part| !part.is_empty());
        let name = parts.join(",");
        match self.elo.get(side).copied().unwrap_or(0) {
            0 => name,
            elo => format!("{name} ({elo})"),
        }
    }
}
