//! The columns of jose's tables that are read, and the lists of columns that replace a missing `.frm` (section 7).

use super::myisam::{Charset, ColumnSpec, Type};

macro_rules! columns {
    ($($name:ident = $text:literal,)*) => {
        /// A column that is read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Column { $($name,)* }

        /// Names of the columns that are read, in the order of [`Column`].
        const NAMES: &[&str] = &[$($text,)*];
    };
}

columns! {
    Id = "Id",
    CId = "CId",
    Idx = "Idx",
    Attributes = "Attributes",
    PlyCount = "PlyCount",
    Result = "Result",
    WhiteId = "WhiteId",
    BlackId = "BlackId",
    WhiteElo = "WhiteELO",
    BlackElo = "BlackELO",
    EventId = "EventId",
    SiteId = "SiteId",
    GameDate = "GameDate",
    EventDate = "EventDate",
    DateFlags = "DateFlags",
    OpeningId = "OpeningId",
    Eco = "ECO",
    AnnotatorId = "AnnotatorId",
    GId = "GId",
    WhiteTitle = "WhiteTitle",
    BlackTitle = "BlackTitle",
    Round = "Round",
    Board = "Board",
    Fen = "FEN",
    Info = "Info",
    Bin = "Bin",
    GameText = "GameText",
    Comments = "Comments",
    PId = "PId",
    Name = "Name",
}

/// Number of columns that are read.
pub(super) const COLUMNS: usize = NAMES.len();

impl Column {
    /// The index of the column with this name, in any letter case.
    pub(super) fn place(name: &str) -> Option<usize> {
        NAMES.iter().position(|known| known.eq_ignore_ascii_case(name))
    }
}

/// A known list of columns. Older versions of the program had only the first ones.
pub(super) struct Known {
    pub(super) columns: &'static [ColumnSpec<&'static str>],
    /// Possible numbers of columns, newest version first.
    pub(super) counts: &'static [usize],
}

const fn spec(name: &'static str, kind: Type, length: u16) -> ColumnSpec<&'static str> {
    ColumnSpec {
        name,
        kind,
        length,
        charset: Charset::Utf8,
        nullable: false,
    }
}

const fn int(name: &'static str, bytes: u16) -> ColumnSpec<&'static str> {
    spec(name, Type::Integer, bytes)
}

const fn date(name: &'static str) -> ColumnSpec<&'static str> {
    spec(name, Type::Date, 3)
}

const fn text(name: &'static str, bytes: u16) -> ColumnSpec<&'static str> {
    spec(name, Type::Varchar, bytes)
}

const fn fixed_text(name: &'static str, bytes: u16) -> ColumnSpec<&'static str> {
    spec(name, Type::Char, bytes)
}

const fn blob(name: &'static str) -> ColumnSpec<&'static str> {
    spec(name, Type::Blob, 3)
}

const fn nullable(mut column: ColumnSpec<&'static str>) -> ColumnSpec<&'static str> {
    column.nullable = true;
    column
}

/// `Game`.
pub(super) const GAME: Known = Known {
    columns: &[
        int("Id", 4),
        int("CId", 4),
        int("Idx", 4),
        int("Attributes", 2),
        nullable(int("OCId", 4)),
        nullable(int("OIdx", 4)),
        int("PlyCount", 4),
        int("Result", 1),
        int("WhiteId", 4),
        int("BlackId", 4),
        nullable(int("WhiteELO", 4)),
        nullable(int("BlackELO", 4)),
        int("EventId", 4),
        int("SiteId", 4),
        nullable(date("GameDate")),
        nullable(date("EventDate")),
        int("DateFlags", 2),
        int("OpeningId", 4),
        nullable(fixed_text("ECO", 9)),
        int("AnnotatorId", 4),
    ],
    counts: &[20],
};

/// `MoreGame`.
pub(super) const MORE_GAME: Known = Known {
    columns: &[
        int("GId", 4),
        nullable(text("WhiteTitle", 96)),
        nullable(text("BlackTitle", 96)),
        nullable(text("Round", 96)),
        nullable(text("Board", 96)),
        nullable(text("FEN", 384)),
        nullable(text("Info", 765)),
        nullable(blob("Bin")),
        nullable(blob("Comments")),
        nullable(blob("PosMain")),
        nullable(blob("PosVar")),
        nullable(blob("Eval")),
    ],
    counts: &[12, 11, 9],
};

/// `IO_Game`.
pub(super) const IO_GAME: Known = Known {
    columns: &[
        int("CId", 4),
        int("Idx", 4),
        int("Attributes", 1),
        int("PlyCount", 4),
        int("Result", 1),
        int("WhiteId", 4),
        int("BlackId", 4),
        nullable(int("WhiteELO", 4)),
        nullable(int("BlackELO", 4)),
        int("EventId", 4),
        int("SiteId", 4),
        nullable(date("GameDate")),
        nullable(date("EventDate")),
        int("DateFlags", 2),
        int("OpeningId", 4),
        nullable(fixed_text("ECO", 9)),
        nullable(int("AnnotatorId", 4)),
        nullable(text("WhiteTitle", 96)),
        nullable(text("BlackTitle", 96)),
        nullable(text("Round", 96)),
        nullable(text("Board", 96)),
        nullable(text("FEN", 384)),
        nullable(text("Info", 765)),
        nullable(blob("Bin")),
        nullable(blob("Comments")),
        nullable(blob("PosMain")),
        nullable(blob("PosVar")),
        nullable(blob("Eval")),
    ],
    counts: &[28, 27, 25],
};

/// `Player`, `Event` and `Site`; their `IO_` tables have two more columns at the beginning.
pub(super) const NAMED: Known = Known {
    columns: &[int("Id", 4), text("Name", 765), fixed_text("Soundex", 18)],
    counts: &[3, 2],
};

/// `Opening`; `IO_Opening` has five more columns at the beginning.
pub(super) const OPENING: Known = Known {
    columns: &[
        int("Id", 4),
        int("HashKey", 8),
        nullable(int("Ply", 4)),
        fixed_text("ECO", 9),
        text("Name", 765),
        fixed_text("Soundex", 18),
    ],
    counts: &[6, 5],
};

/// `Collection` since version 1004.
pub(super) const COLLECTION: Known = Known {
    columns: &[
        int("Id", 4),
        nullable(int("PId", 4)),
        nullable(int("OPId", 4)),
        text("Name", 765),
        nullable(text("Path", 765)),
        int("Attributes", 1),
        nullable(text("SourceURL", 765)),
        spec("LastModified", Type::Timestamp, 4),
        int("GameCount", 4),
    ],
    counts: &[9],
};

/// `Collection` before version 1004.
pub(super) const OLD_COLLECTION: Known = Known {
    columns: &[
        int("Id", 4),
        nullable(int("PId", 4)),
        nullable(int("OPId", 4)),
        text("Name", 765),
        int("Attributes", 1),
        nullable(text("SourceURL", 765)),
        spec("LastModified", Type::Timestamp, 4),
        int("GameCount", 4),
    ],
    counts: &[8],
};

/// `IO_Collection`.
pub(super) const IO_COLLECTION: Known = Known {
    columns: &[
        int("Id", 4),
        int("PId", 4),
        text("Name", 765),
        int("Attributes", 1),
        nullable(text("SourceURL", 765)),
        int("GameCount", 4),
    ],
    counts: &[6],
};
