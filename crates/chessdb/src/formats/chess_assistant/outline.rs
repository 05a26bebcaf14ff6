//! The starts and ends of a record's variations, so that each can be read at its place in PGN.

use super::codes::{BadCode, Code, read};

/// Maximum number of variations that are open at once.
pub(super) const DEEPEST: usize = 256;

/// The variations of a record.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// Sorted by their start.
    spans: Vec<Span>,
    /// The end of the readable codes.
    pub(super) end: usize,
    /// The reason if they end before the end of the record.
    pub(super) bad: Option<BadCode>,
    /// Number of variations that are open at the end.
    pub(super) open: usize,
}

/// The places of a variation's two codes. A variation that is not closed ends with the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Outline {
    /// Reads the codes from `at` on, where no variation is open.
    pub(super) fn new(codes: &[u8], mut at: usize) -> Outline {
        let mut outline = Outline::default();
        let mut open: Vec<usize> = Vec::new();
        loop {
            let bad = match read(codes, at) {
                Ok(None) => break,
                Ok(Some((Code::VariationStart, _))) if open.len() >= DEEPEST => BadCode::TooDeep,
                Ok(Some((Code::SetUp(_), _))) => BadCode::LateSetUp,
                Err(bad) => bad,
                Ok(Some((code, size))) => {
                    match code {
                        Code::VariationStart => {
                            open.push(outline.spans.len());
                            outline.spans.push(Span { start: at, end: at });
                        }
                        Code::VariationEnd => outline.close(open.pop(), at),
                        _ => {}
                    }
                    at += size;
                    continue;
                }
            };
            outline.bad = Some(bad);
            break;
        }
        outline.end = at;
        outline.open = open.len();
        open.into_iter()
            .for_each(|number| outline.close(Some(number), at));
        outline
    }

    fn close(&mut self, number: Option<usize>, at: usize) {
        if let Some(span) = number.and_then(|number| self.spans.get_mut(number)) {
            span.end = at;
        }
    }

    /// The variation that begins at this place.
    pub(super) fn span(&self, start: usize) -> Option<Span> {
        let found = self.spans.binary_search_by_key(&start, |span| span.start).ok()?;
        self.spans.get(found).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_256_variations_are_open() {
        const VARIATION: u8 = 231;
        for depth in [255, 256, 257] {
            let outline = Outline::new(&vec![VARIATION; depth], 0);
            assert_eq!((outline.open, outline.end), (depth.min(256), depth.min(256)));
            assert_eq!(outline.bad.is_some(), depth > 256, "{depth}");
        }
    }
}
