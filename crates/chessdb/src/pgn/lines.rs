//! Lines of at most 79 columns, filled word by word.

/// Maximum number of characters in a line of movetext.
const WIDTH: usize = 79;

/// Size in bytes of the buffer for short words. All short words of a typical game fit into it.
const BUFFER: usize = 512;

/// Appends words to a text, separated by spaces or line feeds.
pub(super) struct Lines<'a> {
    out: &'a mut Vec<u8>,
    /// Short words after those in `out`, each after a space. Line ends are determined for many of them at
    /// once.
    buffer: [u8; BUFFER],
    buffered: usize,
    /// Columns of the last line of `out`.
    column: usize,
    /// Number of opening parentheses before the next word.
    open: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Lines<'a> {
        Lines {
            out,
            buffer: [0; BUFFER],
            buffered: 0,
            column: 0,
            open: 0,
        }
    }

    /// Appends the first `len` of eight ASCII bytes as a word of at most seven characters without spaces.
    #[inline]
    pub(super) fn short_word(&mut self, bytes: [u8; 8], len: usize) {
        if self.open > 0 {
            return self.word(&bytes[..len], len);
        }
        if self.buffered > BUFFER - 8 {
            self.flush();
        }
        self.buffered = self.store(self.buffered, bytes, len);
    }

    /// Appends words like [`Lines::short_word`], with one test for all of them.
    #[inline]
    pub(super) fn short_words<const N: usize>(&mut self, words: [([u8; 8], usize); N]) {
        if self.open > 0 || self.buffered > BUFFER - 8 * N {
            for (bytes, len) in words {
                self.short_word(bytes, len);
            }
            return;
        }
        // A local variable: loading the value that was just stored would take longer than everything else here.
        let mut end = self.buffered;
        for (bytes, len) in words {
            end = self.store(end, bytes, len);
        }
        self.buffered = end;
    }

    /// Stores a word at a place of the buffer, which has room for it, and returns the place after it.
    #[inline(always)]
    fn store(&mut self, place: usize, bytes: [u8; 8], len: usize) -> usize {
        let text = u64::from_le_bytes(bytes) << 8 | u64::from(b' ');
        // Storing eight bytes is a single instruction, even if some of them are not used.
        match self.buffer.get_mut(place..).and_then(<[u8]>::first_chunk_mut) {
            Some(free) => {
                *free = text.to_le_bytes();
                place + 1 + len
            }
            None => place,
        }
    }

    /// Writes the buffered words and returns the text.
    fn flush(&mut self) -> &mut Vec<u8> {
        // The very first word has no space before it.
        let first = usize::from(self.column == 0);
        if self.buffered > 0
            && let Some(words) = self.buffer.get_mut(first..self.buffered)
        {
            self.column = break_lines(words, self.column);
            self.out.extend_from_slice(words);
        }
        self.buffered = 0;
        self.out
    }

    /// Appends a word that takes `columns` columns.
    pub(super) fn word(&mut self, word: &[u8], columns: usize) {
        self.begin_word(columns).extend_from_slice(word);
    }

    /// Like [`Lines::begin_word`], but does not break the line.
    pub(super) fn begin_unbroken_word(&mut self, columns: usize) -> &mut Vec<u8> {
        self.flush();
        if self.column > 0 {
            self.out.push(b' ');
            self.column += 1;
        }
        self.column += columns;
        self.out
    }

    /// Puts `(` before the next word.
    pub(super) fn open_parenthesis(&mut self) {
        self.open += 1;
    }

    /// Puts `)` after the last word.
    pub(super) fn close_parenthesis(&mut self) {
        self.flush();
        if self.column >= WIDTH {
            self.out.push(b'\n');
            self.column = 0;
        }
        self.out.push(b')');
        self.column += 1;
    }

    /// Ends the last line and adds an empty one.
    pub(super) fn finish(mut self) {
        self.flush().extend_from_slice(b"\n\n");
    }

    /// Writes a separator for a word of `columns` columns, and its opening parentheses. Returns the text for the
    /// caller to append the word to.
    pub(super) fn begin_word(&mut self, columns: usize) -> &mut Vec<u8> {
        self.flush();
        let columns = columns + self.open;
        if self.column > 0 {
            if self.column + 1 + columns > WIDTH {
                self.out.push(b'\n');
                self.column = 0;
            } else {
                self.out.push(b' ');
                self.column += 1;
            }
        }
        while self.open > 0 {
            self.out.push(b'(');
            self.open -= 1;
        }
        self.column += columns;
        self.out
    }
}

/// Breaks lines in a text whose words have at most seven characters, each after a space. The text continues a
/// line of `column` columns. Returns the number of columns of its last line.
fn break_lines(words: &mut [u8], column: usize) -> usize {
    let mut column = column;
    let mut start = 0;
    while column + words.len() - start > WIDTH {
        // The last space before which everything fits into the line.
        let fits = WIDTH.saturating_sub(column);
        let line = words.get(start..=start + fits).unwrap_or_default();
        let blank = line.iter().rposition(|&c| c == b' ').unwrap_or(0);
        if let Some(separator) = words.get_mut(start + blank) {
            *separator = b'\n';
        }
        start += blank + 1;
        column = 0;
    }
    column + words.len() - start
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines have at most 79 columns for every length of their last word.
    #[test]
    fn no_line_is_longer_than_its_width() {
        let mut full = 0;
        for len in 1..WIDTH {
            let mut text = Vec::new();
            let mut lines = Lines::new(&mut text);
            lines.short_word(*b"e4......", 2);
            lines.open_parenthesis();
            lines.word(&b"x".repeat(len), len);
            lines.close_parenthesis();
            lines.close_parenthesis();
            lines.short_word(*b"e5......", 2);
            lines.finish();
            let text = String::from_utf8(text).unwrap();
            let widths = text.lines().map(str::len);
            assert!(widths.clone().all(|width| width <= WIDTH), "{len}: {text}");
            full += widths.filter(|&width| width == WIDTH).count();
            let words = text.split_whitespace().collect::<String>();
            assert_eq!(words, format!("e4({}))e5", "x".repeat(len)));
        }
        assert!(full > 3, "{full} full lines");
    }
}
