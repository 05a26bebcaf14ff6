//! Chess files that are not read, and what users can do with them.

/// Extensions that no format has, with a description of such files, and whether most of them have nothing to do with
/// chess.
const UNREAD: [(&str, &str, bool); 12] = [
    (
        "abk",
        "an opening book of Arena: it has moves but no games, and only Arena reads it",
        false,
    ),
    (
        "bin",
        "perhaps an opening book of Polyglot: it has moves but no games; chess programs read it",
        true,
    ),
    (
        "obk",
        "an opening book of Chessmaster: it has moves but no games",
        false,
    ),
    (
        "ctb",
        "a part of an opening book of ChessBase, which is not read: ChessBase and Fritz read it",
        false,
    ),
    ("rar", "an archive, which is not read: unpack it", false),
    ("7z", "an archive, which is not read: unpack it", false),
    (
        "ctg",
        "an opening book of ChessBase, which is not read: ChessBase and Fritz read it",
        false,
    ),
    (
        "tar",
        "perhaps an archive of games, which is not read: unpack it",
        true,
    ),
    (
        "xz",
        "perhaps compressed games, which are not read: unpack it",
        true,
    ),
    ("epd", "perhaps positions without games", true),
    (
        "db",
        "perhaps a database of another program, which is not read",
        true,
    ),
    (
        "sqlite",
        "perhaps a database of another program, which is not read",
        true,
    ),
];

/// Describes a file that no format reads, and returns whether it may have nothing to do with chess; `None` if it does
/// not look like part of a chess library.
pub(super) fn what(name: &str) -> Option<(&'static str, bool)> {
    let (_, own) = name.rsplit_once('.')?;
    let mut unread = UNREAD.iter();
    let found = unread.find(|(extension, ..)| extension.eq_ignore_ascii_case(own));
    found.map(|&(_, what, is_doubtful)| (what, is_doubtful))
}
