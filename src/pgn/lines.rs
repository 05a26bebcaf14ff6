//! Lines of at most 79 columns, filled word by word.

/// Most characters in a line of movetext.
const WIDTH: usize = 79;

/// Appends words to a text, separated by blanks or line feeds.
pub(super) struct Lines<'a> {
    out: &'a mut Vec<u8>,
    column: usize,
    /// Parentheses that the next word begins with.
    open: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Lines<'a> {
        Lines {
            out,
            column: 0,
            open: 0,
        }
    }

    /// Appends the first `len` of eight ASCII bytes as a word.
    #[inline]
    pub(super) fn short_word(&mut self, bytes: [u8; 8], len: usize) {
        self.separate(len);
        let end = self.out.len() + len;
        self.out.extend_from_slice(&bytes);
        self.out.truncate(end);
    }

    /// Appends a word that takes `columns` columns.
    pub(super) fn word(&mut self, word: &[u8], columns: usize) {
        self.separate(columns);
        self.out.extend_from_slice(word);
    }

    /// Appends a word behind a blank, however long the line becomes.
    pub(super) fn unbroken_word(&mut self, word: &[u8], columns: usize) {
        if self.column > 0 {
            self.out.push(b' ');
            self.column += 1;
        }
        self.out.extend_from_slice(word);
        self.column += columns;
    }

    /// Puts `(` before the next word.
    pub(super) fn open_parenthesis(&mut self) {
        self.open += 1;
    }

    /// Puts `)` behind the last word.
    pub(super) fn close_parenthesis(&mut self) {
        if self.column >= WIDTH {
            self.out.push(b'\n');
            self.column = 0;
        }
        self.out.push(b')');
        self.column += 1;
    }

    /// Ends the last line and adds an empty one.
    pub(super) fn finish(self) {
        self.out.extend_from_slice(b"\n\n");
    }

    /// Makes room for a word of so many columns, and writes the parentheses that belong to it.
    #[inline]
    fn separate(&mut self, columns: usize) {
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
    }
}
