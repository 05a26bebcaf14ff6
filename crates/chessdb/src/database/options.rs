//! The options for reading games.

/// The user's options for reading games. By default every format applies its own rules.
///
/// ```
/// let mut options = chessdb::Options::default();
/// options.encoding = Some("windows-1251".to_owned());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Code page of the texts, by a label of the WHATWG encoding standard.
    pub encoding: Option<String>,
    /// Forces one of a format's readings, by the name in [`Info::rows`](crate::Info::rows). Formats without such a reading
    /// ignore it, because a folder may contain several formats.
    pub reading: Option<String>,
    /// Corrects dates that show a known bug of the writer.
    pub fix_dates: bool,
    /// Passwords to try on encrypted archives.
    pub passwords: Passwords,
    /// How games of PGN files are shown.
    pub pgn: PgnForm,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            encoding: None,
            reading: None,
            fix_dates: true,
            passwords: Passwords::default(),
            pgn: PgnForm::default(),
        }
    }
}

/// How games of PGN files are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PgnForm {
    /// As they are written, but in UTF-8, with line feeds, and with one empty line at the end.
    #[default]
    Cleaned,
    /// Read and written again, like the games of all other formats.
    Export,
    /// Byte for byte.
    Verbatim,
}

/// Passwords, as the bytes that the programs of the archives use. Only [`Passwords::iter`] reveals them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Passwords(Vec<Vec<u8>>);

impl Passwords {
    /// One password a line.
    pub fn of_lines(text: &str) -> Passwords {
        let lines = text.lines().filter(|line| !line.is_empty());
        let bytes = lines.map(|line| encoding_rs::WINDOWS_1252.encode(line).0.into_owned());
        Passwords(bytes.collect())
    }

    /// True if there are no passwords.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The passwords.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }
}

impl std::fmt::Debug for Passwords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passwords", self.0.len())
    }
}
