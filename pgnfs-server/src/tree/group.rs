//! Groups of games, which views sort into directories.

use chessdb::TextId;
use chessdb::game::Eco;

/// The value that a view sorts a game by, packed by the view's own rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group(pub u64);

impl Group {
    pub(super) fn of_text(id: TextId, year: u16) -> Group {
        Group(u64::from(year) << 32 | u64::from(id.0))
    }

    pub(super) fn text(self) -> TextId {
        TextId((self.0 & 0xffff_ffff) as u32)
    }

    pub(super) fn year(self) -> u16 {
        (self.0 >> 32 & 0xffff) as u16
    }

    pub(super) fn of_eco(eco: Option<Eco>) -> Group {
        let code = eco
            .as_ref()
            .and_then(|eco| eco.as_str().as_bytes().first_chunk::<3>());
        let [a, b, c] = code.copied().unwrap_or_default();
        Group(u64::from(u32::from_be_bytes([0, a, b, c])))
    }

    pub(super) fn eco(self) -> Option<Eco> {
        let [.., a, b, c] = self.0.to_be_bytes();
        Eco::new([a, b, c])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_codes_fit_into_a_group() {
        let eco = Eco::new(*b"B97");
        assert_eq!(Group::of_eco(eco).eco(), eco);
        assert_eq!(Group::of_eco(None).eco(), None);
    }
}
