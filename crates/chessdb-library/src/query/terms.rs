//! The terms of a query as they are written.

use super::error::{MOST_SHOWN, QueryError};
use super::field::{QueryField, WORD};
use super::group_order::GroupOrder;
use super::value::{ValueKind, WrittenAlternative};
use crate::library::abridged;
use crate::table::usual_tags;

/// Bytes of a query at most.
pub(super) const LONGEST: usize = 64 << 10;

/// Terms of a query at most.
const MOST_TERMS: usize = 256;

/// A term in the text of a query.
#[derive(Debug)]
pub(super) struct WrittenTerm<'a> {
    /// The place of its first byte, from 0.
    pub(super) place: usize,
    /// The whole term.
    pub(super) text: &'a str,
    pub(super) is_negated: bool,
    pub(super) head: TermHead,
    /// The alternatives of its value; a word has one.
    pub(super) alternatives: Vec<WrittenAlternative>,
}

/// The use of a term's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TermHead {
    /// A word without a field.
    Word,
    Field(&'static QueryField),
    /// The field `tag:` and the name of the tag, in small letters.
    Tag(&'static QueryField, String),
    /// `then` or `next`, which begin a group.
    Begin(GroupOrder),
    /// `(` or `-(`, which begin a choice.
    Open,
    /// `|` between two sides of a choice.
    Bar,
    /// `)`, which ends a choice.
    Close,
}

impl TermHead {
    /// The field; for a word alone, a field without a name. `None` for what begins a group, and for the signs of a
    /// choice.
    pub(super) fn field(&self) -> Option<&'static QueryField> {
        match self {
            TermHead::Word => Some(&WORD),
            TermHead::Field(field) | TermHead::Tag(field, _) => Some(field),
            TermHead::Begin(_) | TermHead::Open | TermHead::Bar | TermHead::Close => None,
        }
    }

    /// The sign of a choice at the start of a text, and its length. A closing parenthesis, and `|`, may touch other
    /// terms only if a choice is open.
    fn of_sign(text: &str, is_open: bool) -> Option<(TermHead, usize)> {
        let ends = |after: &str| after.chars().next().is_none_or(char::is_whitespace);
        if text.starts_with('(') {
            return Some((TermHead::Open, 1));
        }
        if text.starts_with("-(") {
            return Some((TermHead::Open, 2));
        }
        if let Some(after) = text.strip_prefix('|') {
            return (is_open || ends(after)).then_some((TermHead::Bar, 1));
        }
        let after = text.strip_prefix(')')?;
        let is_sign = ends(after) || is_open && after.starts_with([')', '|']);
        is_sign.then_some((TermHead::Close, 1))
    }

    /// True for the field with this name, or for this word that begins a group.
    pub(super) fn is(&self, name: &str) -> bool {
        match self {
            TermHead::Begin(order) => order.word() == name,
            head => head.field().is_some_and(|field| field.is(name)),
        }
    }
}

/// Words that look like operators, each with the right way to write what it seems to mean.
const OPERATORS: [(&str, &str); 5] = [
    (
        "and",
        "all terms must hold anyway: leave the word out, or put it in double quotes",
    ),
    (
        "or",
        "write player:carlsen|tal or ( eco:B | year:1985 ), or put the word in double quotes",
    ),
    (
        "not",
        "write a hyphen, as in -result:draw, or put the word in double quotes",
    ),
    (
        "then",
        "write then without a sign to begin another group, or put the word in double quotes",
    ),
    (
        "next",
        "write next without a sign to begin another group, or put the word in double quotes",
    ),
];

/// Whether a word may be a field of a FEN: the side to move, castling rights, the en passant square, and two counters.
const FEN_FIELDS: [fn(&str) -> bool; 5] = [
    |word| matches!(word, "w" | "b"),
    |word| word == "-" || !word.is_empty() && word.len() <= 4 && word.bytes().all(is_castling_right),
    |word| word == "-" || matches!(word.as_bytes(), [b'a'..=b'h', b'3' | b'6']),
    is_number,
    is_number,
];

/// True for the letter of a right, in Chess960 the letter of a file.
fn is_castling_right(letter: u8) -> bool {
    matches!(letter.to_ascii_uppercase(), b'K' | b'Q' | b'A'..=b'H')
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.len() <= 4 && word.bytes().all(|digit| digit.is_ascii_digit())
}

/// The error message for a term without a value.
const NO_VALUE: &str = "needs a value";

/// The error for a parenthesis at the start of a word.
const NO_BLANKS: &str =
    "put a space after the parenthesis, as in ( eco:B | year:1985 ); to search for the sign, quote it";

/// Splits a query into its terms.
///
/// # Errors
/// If the query is too long, has a control character, or a term is not written as one.
pub(super) fn terms(query: &str) -> Result<Vec<WrittenTerm<'_>>, QueryError> {
    if query.len() > LONGEST {
        return Err(QueryError::new(LONGEST, "", "a query has at most 64 KiB"));
    }
    if let Some(place) = query.find(char::is_control) {
        let what = "a control character cannot be part of a query: write a blank";
        return Err(QueryError::new(place, "", what));
    }
    let mut terms = Vec::new();
    let mut place = 0;
    // Choices that are not closed.
    let mut open = 0_usize;
    loop {
        let rest = &query[place..];
        let begun = rest.trim_start();
        if begun.is_empty() {
            return Ok(terms);
        }
        place += rest.len() - begun.len();
        if terms.len() == MOST_TERMS {
            let what = format!("a query has at most {MOST_TERMS} terms");
            return Err(QueryError::new(place, "", what));
        }
        let is_open = open > 0;
        let term = TermReader {
            query,
            place,
            is_open,
        }
        .term()?;
        place += term.text.len();
        match term.head {
            TermHead::Open => open += 1,
            TermHead::Close => open = open.saturating_sub(1),
            _ => {}
        }
        terms.push(term);
    }
}

/// Reads a term from its first byte on.
struct TermReader<'a> {
    query: &'a str,
    place: usize,
    /// The term is in a choice, whose signs may touch it.
    is_open: bool,
}

impl<'a> TermReader<'a> {
    fn rest(&self) -> &'a str {
        &self.query[self.place..]
    }

    /// Passes over a sign if it comes next.
    fn takes(&mut self, sign: char) -> bool {
        let is_next = self.rest().starts_with(sign);
        if is_next {
            self.place += sign.len_utf8();
        }
        is_next
    }

    /// Takes everything before the first character that ends it.
    fn take_until(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.place += taken.len();
        taken
    }

    fn term(mut self) -> Result<WrittenTerm<'a>, QueryError> {
        let start = self.place;
        let error = |end: usize, what: &str| QueryError::new(start, &self.query[start..end], what);
        let end_of_bare = |place: usize| {
            let rest = &self.query[place..];
            place + rest.find(char::is_whitespace).unwrap_or(rest.len())
        };
        let whole = end_of_bare(start);
        if let Some((head, len)) = TermHead::of_sign(self.rest(), self.is_open) {
            let text = &self.rest()[..len];
            return Ok(WrittenTerm {
                place: start,
                text,
                is_negated: text.starts_with('-'),
                head,
                alternatives: Vec::new(),
            });
        }
        let is_negated = self.takes('-');
        if self.rest().starts_with([')']) {
            return Err(error(whole, NO_BLANKS));
        }
        let head = self.head().map_err(|what| error(whole, &what))?;
        let has_signs = head.field().is_some_and(QueryField::has_signs);
        let mut alternatives = Vec::new();
        loop {
            let alternative = self.alternative(has_signs);
            let mut alternative = alternative.map_err(|(end, what)| match what {
                NO_VALUE => error(end_of_bare(end), &no_value(&head)),
                what => error(end_of_bare(end), what),
            })?;
            let is_bare = !self.query[..self.place].ends_with('"');
            // In a name, `_` is a slash.
            if head.is("fen") && is_bare && alternative.text.matches(['/', '_']).count() == 7 {
                let fields = self.fen_fields();
                alternative.text += fields.map_err(|what| error(self.place, what))?;
            }
            if head.is("line") && is_bare && self.is_before_move() {
                return Err(error(
                    self.place,
                    "separate the moves of a line by commas, as in line:e4,c5,Nf3, or quote it",
                ));
            }
            alternatives.push(alternative);
            if self.ends_side(&head) || !self.takes('|') {
                break;
            }
        }
        let mut term = WrittenTerm {
            place: start,
            text: &self.query[start..self.place],
            is_negated,
            head,
            alternatives,
        };
        if term.head == TermHead::Word {
            match GroupOrder::of_word(term.text) {
                Some(order) => term.head = TermHead::Begin(order),
                None => {
                    let what = wrong_word(&term);
                    what.map_or(Ok(()), |what| Err(error(self.place, what)))?;
                }
            }
        }
        Ok(term)
    }

    /// True if the next `|` begins another side of the choice. It does if it cannot separate values: a blank follows,
    /// or a field, or the term has no field.
    fn ends_side(&self, head: &TermHead) -> bool {
        let Some(after) = self.rest().strip_prefix('|').filter(|_| self.is_open) else {
            return false;
        };
        let term = after.trim_start_matches(['-', '(']);
        let name = term
            .split(|c: char| matches!(c, ':' | '"' | '|' | '=') || c.is_whitespace())
            .next();
        let begins_field = name.is_some_and(|name| {
            let has_colon = term[name.len()..].starts_with(':');
            has_colon && QueryField::of_name(name).is_some()
        });
        *head == TermHead::Word || begins_field || after.trim_start().len() < after.len()
    }

    /// The length of a text without quotes. It ends before a closing parenthesis that has no opening one in the text,
    /// because that closes the choice.
    fn bare_len(&self) -> usize {
        let rest = self.rest();
        let mut opened = 0_usize;
        let ends = |c: char| {
            match c {
                '(' => opened += 1,
                ')' if opened > 0 => opened -= 1,
                ')' => return self.is_open,
                _ => {}
            }
            matches!(c, '"' | '|') || c.is_whitespace()
        };
        rest.find(ends).unwrap_or(rest.len())
    }

    /// The field of a term.
    fn head(&mut self) -> Result<TermHead, String> {
        let start = self.place;
        let name = self.take_until(|c| matches!(c, ':' | '"' | '|' | '=') || c.is_whitespace());
        if !self.takes(':') {
            self.place = start;
            return Ok(TermHead::Word);
        }
        let Some(field) = QueryField::of_name(name) else {
            let tag = usual_tags().find(|tag| tag.eq_ignore_ascii_case(name));
            let remedy = match (tag, QueryField::nearest_name(name)) {
                (Some(tag), _) => format!("for the tag write tag:{tag}=VALUE"),
                (None, Some(field)) => format!("did you mean {field}:? To search for the text, quote it"),
                (None, None) => "to search for the text, quote it".to_owned(),
            };
            let name = abridged(name, MOST_SHOWN);
            return Err(format!("unknown field '{name}'; {remedy}"));
        };
        if !field.is("tag") {
            return Ok(TermHead::Field(field));
        }
        let name = self.take_until(|c| !c.is_ascii_alphanumeric() && c != '_');
        if name.is_empty() || !self.takes('=') {
            return Err("expected the name of a tag and its value, as in tag:TimeControl=180".to_owned());
        }
        Ok(TermHead::Tag(field, name.to_ascii_lowercase()))
    }

    /// An alternative, in which `?` and `=` may be signs like others. An error is about the text up to the place
    /// stored with it.
    fn alternative(&mut self, has_signs: bool) -> Result<WrittenAlternative, (usize, &'static str)> {
        let is_exact = !has_signs && self.takes('=');
        let is_quoted = self.takes('"');
        let text = if is_quoted {
            self.quoted()?
        } else {
            let text = &self.rest()[..self.bare_len()];
            self.place += text.len();
            text.to_owned()
        };
        let next = self.rest().chars().next();
        let ends = |c: char| c == '|' || c == ')' && self.is_open || c.is_whitespace();
        if next.is_some_and(|c| !ends(c)) {
            let what = if is_quoted {
                "expected a blank or | after the closing double quotes"
            } else {
                "double quotes begin and end a text; within them \\\" is one"
            };
            return Err((self.place, what));
        }
        if text.is_empty() {
            return Err((self.place, NO_VALUE));
        }
        Ok(WrittenAlternative {
            text,
            is_quoted: is_quoted || has_signs,
            is_exact,
        })
    }

    /// True if the next word has the form of a move.
    fn is_before_move(&self) -> bool {
        let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|');
        let word = self.rest().trim_start().split(ends).next().unwrap_or_default();
        let word = word.trim_end_matches(['+', '#', '!', '?']);
        let is_square = matches!(word.as_bytes(), [.., b'a'..=b'h', b'1'..=b'8']);
        let are_of_move = word
            .bytes()
            .all(|letter| b"KQRBNabcdefgh12345678x-".contains(&letter));
        is_square && are_of_move || matches!(word, "O-O" | "O-O-O")
    }

    /// Takes the fields after the board of a pasted FEN.
    ///
    /// # Errors
    /// If only the side to move follows: this letter could also be a word to search for.
    fn fen_fields(&mut self) -> Result<&'a str, &'static str> {
        let rest = self.rest();
        let (mut len, mut fields) = (0, 0);
        for is_field in FEN_FIELDS {
            let after = &rest[len..];
            let begun = after.trim_start();
            let ends = |c: char| c.is_whitespace() || c == '|' || c == ')' && self.is_open;
            let word = begun.split(ends).next();
            match word.filter(|word| begun.len() < after.len() && is_field(word)) {
                Some(word) => len += after.len() - begun.len() + word.len(),
                None => break,
            }
            fields += 1;
        }
        if fields == 1 {
            return Err("quote a FEN without castling rights, or write - for them");
        }
        self.place += len;
        Ok(&rest[..len])
    }

    /// The rest of a text in double quotes.
    fn quoted(&mut self) -> Result<String, (usize, &'static str)> {
        let mut text = String::new();
        loop {
            text += self.take_until(|c| matches!(c, '"' | '\\'));
            if self.takes('"') {
                return Ok(text);
            }
            if !self.takes('\\') {
                return Err((self.place, "the double quotes are not closed"));
            }
            match self.rest().chars().next() {
                Some(sign @ ('"' | '\\')) => {
                    self.takes(sign);
                    text.push(sign);
                }
                _ => text.push('\\'),
            }
        }
    }
}

/// What a term without a value needs.
fn no_value(head: &TermHead) -> String {
    let field = match head {
        TermHead::Field(field) | TermHead::Tag(field, _) => field,
        _ => {
            return "expected a word or a field, such as player:tal".to_owned();
        }
    };
    let is_sometimes_unknown = field.kind().is_some_and(ValueKind::is_sometimes_unknown);
    let unknown = if is_sometimes_unknown {
        ", or ? for unknown"
    } else {
        ""
    };
    format!("{NO_VALUE}, such as {}{unknown}", field.term())
}

/// The error message for a word without a field.
fn wrong_word(term: &WrittenTerm<'_>) -> Option<&'static str> {
    let [word] = &*term.alternatives else {
        return Some("alternatives need a field, as in player:carlsen|tal");
    };
    if word.is_exact {
        return Some("an exact text needs a field, as in player:=\"Carlsen, Magnus\"");
    }
    if word.is_quoted {
        return None;
    }
    if word.text.contains("..") {
        return Some("a range needs a field, as in year:1985..; to search for the text, quote it");
    }
    let operator = OPERATORS
        .iter()
        .find(|(name, _)| word.text.eq_ignore_ascii_case(name));
    operator.map(|(_, what)| *what)
}

/// True for a word that looks like an operator.
pub(super) fn is_operator(word: &str) -> bool {
    OPERATORS.iter().any(|(name, _)| word.eq_ignore_ascii_case(name))
}
