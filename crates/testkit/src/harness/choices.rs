//! Bytes as a sequence of choices, so that any input is valid.

/// The remaining bytes; zeros after the end.
pub struct Choices<'a>(pub &'a [u8]);

impl Choices<'_> {
    pub fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub fn next_byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    pub fn byte(&mut self) -> u8 {
        self.next_byte().unwrap_or_default()
    }

    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        [0; N].map(|_| self.byte())
    }

    /// A number below `count`, or 0 if `count` is 0. Uses two bytes if one is not enough.
    pub fn below(&mut self, count: usize) -> usize {
        let number = match count {
            0..=1 => return 0,
            2..=0x100 => usize::from(self.byte()),
            _ => usize::from(u16::from_le_bytes(self.bytes())),
        };
        number % count
    }

    /// True for one in `times` values.
    pub fn once_in(&mut self, times: u8) -> bool {
        self.byte() % times == times - 1
    }

    pub fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A length and a text, which large lengths repeat.
    pub fn text(&mut self) -> String {
        let len = usize::from(self.byte());
        let (len, times) = match len {
            0..192 => (len, 1),
            _ => (len % 16, 10 * (len - 191)),
        };
        let (text, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        String::from_utf8_lossy(text).repeat(times)
    }

    /// A text of at most 60 characters.
    pub fn name(&mut self) -> String {
        self.text().chars().take(60).collect()
    }
}
