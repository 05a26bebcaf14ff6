//! Chess files that are not read, and what users can do with them.

/// Files with an extension that no format has.
pub(super) struct Unread {
    extension: &'static str,
    /// A description of such files.
    pub(super) what: &'static str,
    /// True if most files with the extension have nothing to do with chess.
    pub(super) is_doubtful: bool,
}

impl Unread {
    const fn new(extension: &'static str, what: &'static str) -> Unread {
        Unread {
            extension,
            what,
            is_doubtful: false,
        }
    }
}

const UNREAD: [Unread; 12] = [
    Unread::new(
        "abk",
        "an opening book of Arena: it has moves but no games, and only Arena reads it",
    ),
    Unread {
        is_doubtful: true,
        ..Unread::new(
            "bin",
            "perhaps an opening book of Polyglot: it has moves but no games; chess programs read it",
        )
    },
    Unread::new("obk", "an opening book of Chessmaster: it has moves but no games"),
    Unread::new(
        "ctb",
        "a part of an opening book of ChessBase, which is not read: ChessBase and Fritz read it",
    ),
    Unread::new("rar", "an archive, which is not read: unpack it"),
    Unread::new("7z", "an archive, which is not read: unpack it"),
    Unread::new(
        "ctg",
        "an opening book of ChessBase, which is not read: ChessBase and Fritz read it",
    ),
    Unread {
        is_doubtful: true,
        ..Unread::new("tar", "perhaps an archive of games, which is not read: unpack it")
    },
    Unread {
        is_doubtful: true,
        ..Unread::new("xz", "perhaps compressed games, which are not read: unpack it")
    },
    Unread {
        is_doubtful: true,
        ..Unread::new("epd", "perhaps positions without games")
    },
    Unread {
        is_doubtful: true,
        ..Unread::new("db", "perhaps a database of another program, which is not read")
    },
    Unread {
        is_doubtful: true,
        ..Unread::new(
            "sqlite",
            "perhaps a database of another program, which is not read",
        )
    },
];

/// Describes a file that no format reads; `None` if it does not look like part of a chess library.
pub(super) fn what(name: &str) -> Option<&'static Unread> {
    let (_, extension) = name.rsplit_once('.')?;
    let mut unread = UNREAD.iter();
    unread.find(|unread| unread.extension.eq_ignore_ascii_case(extension))
}
