//! Parts that databases of both formats share: their files, and what they show besides games.

use std::io;
use std::ops::Range;
use std::sync::OnceLock;

use super::{Characters, Numbering, Texts, records};
use crate::database::{AsFiles, Info, Member, TextId};
use crate::files::{Files, SourceFile};
use crate::problem::Problem;

/// The directory of guiding texts.
const TEXTS: &str = "texts";
/// Ids of players are even and ids of events odd, so the number of a name is its id divided by this.
const KINDS_OF_NAMES: u32 = 2;
/// How many names of each kind, and how many games, are used to guess the encoding.
pub(in crate::formats) const SAMPLE: u32 = 500;

/// The fields that databases of both formats have. `T` is a guiding text in one language.
pub(in crate::formats) struct Base<T> {
    /// The records.
    pub(in crate::formats) cbh: SourceFile,
    /// The moves and the guiding texts.
    pub(in crate::formats) cbg: Option<SourceFile>,
    /// The annotations.
    pub(in crate::formats) cba: Option<SourceFile>,
    pub(in crate::formats) names: FileNames,
    pub(in crate::formats) numbering: Numbering,
    pub(in crate::formats) characters: Characters,
    texts: OnceLock<Texts<T>>,
    info: Info,
    /// Problems of the files.
    problems: Vec<Problem>,
    /// The problems of the files and of the guiding texts. The texts are only found when the games are counted.
    all_problems: OnceLock<Vec<Problem>>,
}

/// Names of files for faults of games. They are set even if a file is missing.
pub(in crate::formats) struct FileNames {
    pub(in crate::formats) cbg: String,
    pub(in crate::formats) cba: String,
}

impl<T> Base<T> {
    /// A database whose moves and annotations are in the files of these kinds.
    pub(in crate::formats) fn new(
        cbh: &SourceFile,
        files: &Files,
        [cbg, cba]: [&str; 2],
        numbering: Numbering,
        characters: Characters,
    ) -> Base<T> {
        let name = |kind| files.name_beside(cbh, kind);
        Base {
            cbh: cbh.clone(),
            cbg: files.get(cbg).cloned(),
            cba: files.get(cba).cloned(),
            names: FileNames {
                cbg: name(cbg),
                cba: name(cba),
            },
            numbering,
            characters,
            texts: OnceLock::new(),
            info: Info::default(),
            problems: Vec::new(),
            all_problems: OnceLock::new(),
        }
    }

    /// Adds rows and warnings for display.
    pub(in crate::formats) fn describe(&mut self, info: Info) {
        self.info = info;
    }

    /// Inserts a row and problems before all others.
    pub(in crate::formats) fn add(&mut self, row: Option<(&'static str, String)>, problems: Vec<Problem>) {
        self.info.rows.splice(..0, row);
        self.problems.splice(..0, problems);
        self.all_problems = OnceLock::new();
    }

    /// The place of a game's record, from 0.
    pub(in crate::formats) fn record(&self, game: u32) -> Option<usize> {
        self.numbering.place(&self.cbh, game)
    }
}

/// A guiding text in one language.
pub(in crate::formats) trait GuidingText {
    /// Its place in the file with the moves.
    fn bytes(&self) -> Range<usize>;
}

/// A database of either format, which shows its files in the same way.
pub(in crate::formats) trait Based {
    type Text: GuidingText;

    fn base(&self) -> &Base<Self::Text>;

    fn base_mut(&mut self) -> &mut Base<Self::Text>;

    /// Reads the guiding texts whose records have these places, from 0.
    fn read_texts(&self, cbg: &SourceFile, records: impl Iterator<Item = usize>) -> Texts<Self::Text>;

    /// The name of the file that shows a guiding text.
    fn text_name(&self, text: &Self::Text) -> String;

    /// The first names and comments, for a guess at their encoding.
    fn sample(&self) -> impl Iterator<Item = &[u8]>;

    /// All guiding texts.
    fn texts(&self) -> &Texts<Self::Text> {
        let base = self.base();
        base.texts.get_or_init(|| {
            let records = base.numbering.texts(&base.cbh);
            match &base.cbg {
                Some(cbg) => self.read_texts(cbg, records),
                None => Texts::missing(records.count(), &base.names.cbg),
            }
        })
    }

    /// Rows and warnings for display.
    fn description(&self) -> Info {
        let base = self.base();
        let mut info = base.info.clone();
        info.rows.push(("texts", base.characters.describe()));
        let texts = base.numbering.texts(&base.cbh).count();
        if texts > 0 {
            info.rows.push(("guiding texts", texts.to_string()));
        }
        info.warnings.extend(base.characters.doubt(self.sample()));
        info
    }

    /// Problems of the files, and of the guiding texts once the games are counted.
    fn file_problems(&self) -> &[Problem] {
        let base = self.base();
        match base.numbering.uncounted() {
            Some(_) => &base.problems,
            None => base.all_problems.get_or_init(|| {
                let of_texts = self.texts().problems.iter();
                let is_intact = base.cbg.as_ref().is_none_or(|cbg| cbg.bytes.is_intact());
                let of_texts = of_texts.filter(|_| is_intact);
                let lost = base.numbering.lost(&base.cbh);
                let all = base.problems.iter().chain(of_texts).cloned();
                all.chain(lost).collect()
            }),
        }
    }
}

impl<D: Based> AsFiles for D {
    fn uncounted(&self) -> Option<u32> {
        self.base().numbering.uncounted()
    }

    fn member_directory(&self) -> Option<&'static str> {
        self.base().numbering.is_long().then_some(TEXTS)
    }

    /// The guiding texts.
    fn members(&self) -> Vec<Member> {
        let member = |text: &D::Text| Member {
            directory: TEXTS,
            name: self.text_name(text),
            size: text.bytes().len() as u64,
        };
        self.texts().texts.iter().map(member).collect()
    }

    fn read_member(&self, text: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let text = self.texts().texts.get(text).ok_or_else(missing)?;
        let cbg = self.base().cbg.as_ref().ok_or_else(missing)?;
        let bytes = cbg.bytes.get(text.bytes()).ok_or_else(missing)?;
        Ok(records::copy(bytes, offset, buffer))
    }
}

/// The id of a player's name.
pub(in crate::formats) fn player(number: u32) -> TextId {
    TextId(number.saturating_mul(KINDS_OF_NAMES))
}

/// The id of an event's name.
pub(in crate::formats) fn event(number: u32) -> TextId {
    TextId(number.saturating_mul(KINDS_OF_NAMES).saturating_add(1))
}

/// The name with an id. It is appended by the function for its kind.
pub(in crate::formats) fn name_of(
    id: TextId,
    append_player: impl FnOnce(u32, &mut String),
    append_event: impl FnOnce(u32, &mut String),
) -> String {
    let number = id.0 / KINDS_OF_NAMES;
    let mut name = String::new();
    if id.0.is_multiple_of(KINDS_OF_NAMES) {
        append_player(number, &mut name);
    } else {
        append_event(number, &mut name);
    }
    if name.is_empty() { "?".to_owned() } else { name }
}
