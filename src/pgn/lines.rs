//! Lines of at most 79 columns, filled word by word.

/// Most characters in a line of movetext.
const WIDTH: usize = 79;

/// Bytes of short words that are collected before they go to the text.
const BUFFER: usize = 256;

/// Appends words to a text, separated by blanks or line feeds.
pub(super) struct Lines<'a> {
    out: &'a mut Vec<u8>,
    /// What comes behind `out`: a store into an array of fixed size is much cheaper than growing a vector.
    buffer: [u8; BUFFER],
    buffered: usize,
    column: usize,
    /// Parentheses that the next word begins with.
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

    /// Appends the first `len` of eight ASCII bytes as a word; it has seven at most.
    #[inline]
    pub(super) fn short_word(&mut self, bytes: [u8; 8], len: usize) {
        if self.column == 0 || self.open > 0 {
            return self.word(&bytes[..len], len);
        }
        // Whatever separates the word from the last one is a byte, and both are stored at once.
        let column = self.column + 1 + len;
        let (separator, column) = if column > WIDTH {
            (b'\n', len)
        } else {
            (b' ', column)
        };
        self.column = column;
        let text = u64::from_le_bytes(bytes) << 8 | u64::from(separator);
        if self.buffered > BUFFER - 8 {
            self.flush();
        }
        if let Some(place) = self
            .buffer
            .get_mut(self.buffered..)
            .and_then(|free| free.first_chunk_mut())
        {
            *place = text.to_le_bytes();
            self.buffered += 1 + len;
        }
    }

    /// The text with all that has been appended.
    fn flush(&mut self) -> &mut Vec<u8> {
        if let Some(text) = self.buffer.get(..self.buffered) {
            self.out.extend_from_slice(text);
        }
        self.buffered = 0;
        self.out
    }

    /// Appends a word that takes `columns` columns.
    pub(super) fn word(&mut self, word: &[u8], columns: usize) {
        self.separate(columns);
        self.flush().extend_from_slice(word);
    }

    /// Appends a word behind a blank, however long the line becomes.
    pub(super) fn unbroken_word(&mut self, word: &[u8], columns: usize) {
        if self.column > 0 {
            self.flush().push(b' ');
            self.column += 1;
        }
        self.flush().extend_from_slice(word);
        self.column += columns;
    }

    /// Puts `(` before the next word.
    pub(super) fn open_parenthesis(&mut self) {
        self.open += 1;
    }

    /// Puts `)` behind the last word.
    pub(super) fn close_parenthesis(&mut self) {
        if self.column >= WIDTH {
            self.flush().push(b'\n');
            self.column = 0;
        }
        self.flush().push(b')');
        self.column += 1;
    }

    /// Ends the last line and adds an empty one.
    pub(super) fn finish(mut self) {
        self.flush().extend_from_slice(b"\n\n");
    }

    /// Makes room for a word of so many columns, and writes the parentheses that belong to it.
    fn separate(&mut self, columns: usize) {
        let columns = columns + self.open;
        if self.column > 0 {
            if self.column + 1 + columns > WIDTH {
                self.flush().push(b'\n');
                self.column = 0;
            } else {
                self.flush().push(b' ');
                self.column += 1;
            }
        }
        while self.open > 0 {
            self.flush().push(b'(');
            self.open -= 1;
        }
        self.column += columns;
    }
}
