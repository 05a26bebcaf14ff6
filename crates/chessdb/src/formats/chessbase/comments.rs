//! The comment area (section 7).
//!
//! `FF c1 FF c2 FF ... cn FF`; each comment consists of move evaluation, position evaluation, extra, zero
//! bytes, text. It may end after any byte.

/// Glyphs of the first byte of a comment; 0 means none (section 7.4).
const MOVE_GLYPHS: [u8; 10] = [0, 1, 2, 5, 6, 3, 4, 0, 22, 32];
/// Glyphs of the second byte, and of line results.
const POSITION_GLYPHS: [u8; 16] = [0, 18, 16, 14, 10, 13, 15, 17, 19, 146, 44, 132, 36, 40, 138, 7];
/// Glyphs of the third byte.
const EXTRA_GLYPHS: [u8; 7] = [0, 145, 142, 140, 144, 142, 143];

/// Signs of line results, used if no move can have a glyph (section 10.5).
const POSITION_SIGNS: [&str; 16] = [
    "", "+-", "±", "⩲", "=", "∞", "⩱", "∓", "-+", "N", "=/∞", "⇆", "↑", "→", "⊕", "□",
];

/// The comments, in the order of the moves that have them.
#[derive(Clone, Debug)]
pub(super) struct Comments<'a> {
    /// The rest of the area without the mark at its end; `None` if all comments have been used.
    rest: Option<&'a [u8]>,
}

impl<'a> Comments<'a> {
    /// The comments of an area. The marks at its ends may be missing.
    pub(super) fn new(area: &'a [u8]) -> Comments<'a> {
        let inner = area.strip_prefix(b"\xff").unwrap_or(area);
        Comments {
            rest: (!inner.is_empty()).then(|| inner.strip_suffix(b"\xff").unwrap_or(inner)),
        }
    }
}

impl<'a> Iterator for Comments<'a> {
    type Item = Comment<'a>;

    fn next(&mut self) -> Option<Comment<'a>> {
        let rest = self.rest?;
        let bytes = match rest.iter().position(|&byte| byte == 0xff) {
            Some(end) => {
                self.rest = rest.get(end + 1..);
                rest.get(..end).unwrap_or_default()
            }
            None => {
                self.rest = None;
                rest
            }
        };
        Some(Comment { bytes })
    }
}

/// One comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment<'a> {
    bytes: &'a [u8],
}

impl<'a> Comment<'a> {
    /// Glyph of the move.
    pub(super) fn move_glyph(self) -> u8 {
        self.glyph(0, &MOVE_GLYPHS)
    }

    /// Glyph of the position.
    pub(super) fn position_glyph(self) -> u8 {
        self.glyph(1, &POSITION_GLYPHS)
    }

    /// Glyph of the third byte.
    pub(super) fn extra_glyph(self) -> u8 {
        self.glyph(2, &EXTRA_GLYPHS)
    }

    fn glyph(self, place: usize, glyphs: &[u8]) -> u8 {
        let code = self.bytes.get(place).copied().unwrap_or(0);
        glyphs.get(usize::from(code)).copied().unwrap_or(0)
    }

    /// The bytes of the text.
    pub(super) fn text(self) -> &'a [u8] {
        let text = self.bytes.get(3..).unwrap_or_default();
        let start = text.iter().position(|&byte| byte != 0).unwrap_or(text.len());
        text.get(start..).unwrap_or_default()
    }
}

/// Glyph of a line result; 0 means none.
pub(super) fn line_result_glyph(code: u8) -> u8 {
    POSITION_GLYPHS.get(usize::from(code)).copied().unwrap_or(0)
}

/// Sign of a line result.
pub(super) fn line_result_sign(code: u8) -> &'static str {
    POSITION_SIGNS.get(usize::from(code)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(area: &[u8]) -> Vec<&[u8]> {
        Comments::new(area).map(Comment::text).collect()
    }

    #[test]
    fn marks_separate_comments() {
        assert_eq!(texts(b""), [b""; 0]);
        assert_eq!(texts(b"\xff"), [b""; 0]);
        assert_eq!(texts(b"\xff\xff"), [b""]);
        assert_eq!(
            texts(b"\xff\0\0\0\0one\xff\xff\0\0\0two\xff"),
            [&b"one"[..], b"", b"two"]
        );
        assert_eq!(texts(b"\0\0\0\0one\xff\0\0\0\0two"), [b"one", b"two"]);
    }

    #[test]
    fn a_comment_may_stop_after_any_byte() {
        let glyphs = |bytes| {
            let comment = Comment { bytes };
            [
                comment.move_glyph(),
                comment.position_glyph(),
                comment.extra_glyph(),
            ]
        };
        assert_eq!(glyphs(b"\x01"), [1, 0, 0]);
        assert_eq!(glyphs(b"\x06\x0f"), [4, 7, 0]);
        assert_eq!(glyphs(b"\x07\x10\x07"), [0, 0, 0]);
        assert_eq!(glyphs(b"\0\x09\x03"), [0, 146, 140]);
    }
}
