//! Many small files of a folder as one database (section 1.1).

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use encoding_rs::Encoding;

use super::packed::{Contents, is_apple_double};
use super::source::{Source, converted_from, in_utf_8};
use super::{KIND, PgnFile, has_text};
use crate::bytes::index;
use crate::database::{NamedDatabase, Opened, Options, PgnForm, SmallFiles};
use crate::files::{Bytes, Files, SourceFile};
use crate::formats::pgn_common::characters;
use crate::packed::is_packed;

/// Which files are joined.
pub(super) const SMALL_FILES: SmallFiles = SmallFiles {
    kind: KIND,
    name: "small-files.pgn",
    most_bytes: 8 << 10,
    most_files: 1000,
    are_joined: |options| options.pgn != PgnForm::Verbatim,
};

/// Maximum number of files that are named in warnings of one kind.
const MOST_NAMED: usize = 100;

/// Opens files as one database.
pub(super) fn open(mut files: Files, options: &Options) -> Opened {
    let forced = characters::choose(options.encoding.as_deref(), &mut Vec::new()).forced;
    let many = Many::new(std::mem::take(&mut files.files), forced, &mut files.warnings);
    let ranges: Vec<Range<u64>> = many.files.iter().map(SmallFile::range).collect();
    let contents = Contents {
        name: String::new(),
        is_converted: many.is_converted,
        source: Box::new(many),
        packed: None,
    };
    let mut file = PgnFile::open(contents, &files, options)?;
    let heads = heads(&file, &ranges);
    file.info.warnings.extend(heads);
    Ok(NamedDatabase::only(file))
}

/// Warnings for files with text before the first game, the same as for a single file.
fn heads(file: &PgnFile, ranges: &[Range<u64>]) -> Vec<String> {
    let mut starts = (0..file.index.len())
        .filter_map(|game| Some(file.row(game)?.start))
        .peekable();
    let warnings = ranges.iter().filter_map(|range| {
        while starts.next_if(|start| *start < range.start).is_some() {}
        let end = starts.peek().map_or(range.end, |start| range.end.min(*start));
        let (name, _) = file.source.file_at(range.start)?;
        let what = if end == range.end {
            "there is no game in this file".to_owned()
        } else {
            format!(
                "the {} bytes before the first game are not shown",
                end - range.start
            )
        };
        has_text(&file.source.read(range.start..end)).then(|| format!("{name}: {what}"))
    });
    let mut warnings: Vec<String> = warnings.collect();
    let more = warnings.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        warnings.truncate(MOST_NAMED);
        warnings.push(format!(
            "{more} more files have no game, or bytes before the first one"
        ));
    }
    warnings
}

/// The bytes of many files, one after the other.
#[derive(Debug)]
struct Many {
    files: Vec<SmallFile>,
    /// An empty range between each file and the next.
    borders: Vec<Range<usize>>,
    /// True if files were converted to UTF-8. If the user names an encoding, all files are.
    is_converted: bool,
}

#[derive(Debug)]
struct SmallFile {
    name: String,
    bytes: Arc<dyn Bytes>,
    /// Number of bytes in all previous files.
    start: u64,
}

impl SmallFile {
    fn range(&self) -> Range<u64> {
        self.start..self.start + self.bytes.len()
    }
}

impl Many {
    fn new(
        files: Vec<(String, SourceFile)>,
        forced: Option<&'static Encoding>,
        warnings: &mut Vec<String>,
    ) -> Many {
        let from = |bytes: &[u8]| converted_from(bytes, forced);
        let is_converted = files.iter().any(|(_, file)| from(&file.bytes).is_some());
        let mut many = Many {
            files: Vec::with_capacity(files.len()),
            borders: Vec::with_capacity(files.len()),
            is_converted,
        };
        let (mut start, mut packed, mut doubles) = (0, 0, 0);
        for (_, SourceFile { name, bytes }) in files {
            if is_apple_double(&name, bytes.get(..4).unwrap_or_default()) {
                doubles += 1;
                continue;
            }
            if is_packed(&bytes) {
                packed += 1;
                if packed <= MOST_NAMED {
                    warnings.push(format!(
                        "{name} is left out: it is compressed: give it an extension that says so, such as .pgn.gz"
                    ));
                }
                continue;
            }
            let encoding = from(&bytes).or(forced.filter(|_| is_converted));
            let file = SmallFile {
                name,
                bytes: in_usual_form(bytes, encoding),
                start,
            };
            start = file.range().end;
            many.borders.push(index(start)..index(start));
            many.files.push(file);
        }
        many.borders.pop();
        if doubles > 0 {
            warnings.push(format!(
                "files with names that begin with ._ are left out, {doubles} in all: macOS keeps data about other files in them"
            ));
        }
        if packed > MOST_NAMED {
            let more = packed - MOST_NAMED;
            warnings.push(format!("{more} more files are left out: they are compressed"));
        }
        many
    }

    /// The number of the file that contains a byte. If several files begin at the same place, all but the last are
    /// empty.
    fn place(&self, offset: u64) -> usize {
        let after = self.files.partition_point(|file| file.start <= offset);
        after.saturating_sub(1)
    }
}

/// Bytes whose lines end with line feeds, because all files are read alike. If the user names an encoding, they are
/// converted from it.
fn in_usual_form(bytes: Arc<dyn Bytes>, encoding: Option<&'static Encoding>) -> Arc<dyn Bytes> {
    let bytes = match encoding {
        Some(encoding) => Arc::new(in_utf_8(&bytes, encoding)),
        None => bytes,
    };
    if bytes.contains(&b'\r') && !bytes.contains(&b'\n') {
        let with_line_feeds = bytes.iter().map(|&c| if c == b'\r' { b'\n' } else { c });
        return Arc::new(with_line_feeds.collect::<Vec<u8>>());
    }
    bytes
}

impl Source for Many {
    fn len(&self) -> u64 {
        self.files.last().map_or(0, |last| last.range().end)
    }

    fn read(&self, range: Range<u64>) -> Cow<'_, [u8]> {
        let part = |file: &SmallFile| {
            let of = file.range();
            let within = |place: u64| index(place.clamp(of.start, of.end) - of.start);
            within(range.start)..within(range.end)
        };
        let files = self.files.get(self.place(range.start)..).unwrap_or_default();
        if let Some(file) = files.first()
            && range.end <= file.range().end
        {
            return Cow::Borrowed(file.bytes.get(part(file)).unwrap_or_default());
        }
        let read = files.iter().take_while(|file| file.start < range.end);
        let bytes = read.map(|file| file.bytes.get(part(file)).unwrap_or_default());
        Cow::Owned(bytes.collect::<Vec<_>>().concat())
    }

    fn gaps(&self) -> &[Range<usize>] {
        &self.borders
    }

    fn file_at(&self, offset: u64) -> Option<(&str, u64)> {
        let file = self.files.get(self.place(offset))?;
        Some((&file.name, offset.saturating_sub(file.start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(texts: &[&str]) -> Many {
        let file = |(n, text): (usize, &&str)| {
            let bytes: Arc<dyn Bytes> = Arc::new(text.as_bytes().to_vec());
            let name = format!("{n}.pgn");
            (KIND.to_owned(), SourceFile { name, bytes })
        };
        Many::new(
            texts.iter().enumerate().map(file).collect(),
            None,
            &mut Vec::new(),
        )
    }

    #[test]
    fn files_are_read_as_one() {
        let texts = ["", "one", "", "", "three", "4", ""];
        let (source, whole) = (many(&texts), texts.concat());
        assert_eq!(source.len(), whole.len() as u64);
        for start in 0..=whole.len() {
            for end in start..=whole.len() + 2 {
                let read = source.read(start as u64..end as u64);
                let expected = &whole.as_bytes()[start..end.min(whole.len())];
                assert_eq!(&*read, expected, "{start}..{end}");
            }
        }
        let places: Vec<_> = (0..whole.len() as u64)
            .map(|offset| source.file_at(offset))
            .collect();
        let expected = [("1.pgn", 0), ("1.pgn", 1), ("1.pgn", 2), ("4.pgn", 0)];
        assert_eq!(places[..4], expected.map(Some));
        assert_eq!(places[8], Some(("5.pgn", 0)));
        assert!(many(&[]).read(0..5).is_empty());
    }

    #[test]
    fn lines_end_alike() {
        let source = many(&["a\rb\r", "a\r\nb\r\n", "a\nb\n"]);
        assert_eq!(&*source.read(0..16), b"a\nb\na\r\nb\r\na\nb\n");
    }

    #[test]
    fn what_macos_keeps_about_files_is_left_out() {
        let file = |name: &str, bytes: &[u8]| {
            let (name, bytes) = (name.to_owned(), Arc::new(bytes.to_vec()));
            (KIND.to_owned(), SourceFile { name, bytes })
        };
        let files = vec![
            file("._a.pgn", b"\0\x05\x16\x07\0\x02"),
            file("._b.pgn", b"1. e4 *"),
            file("a.pgn", b"1. d4 *"),
            file("._c.pgn", b"\0\x05\x16\x07"),
        ];
        let mut warnings = Vec::new();
        let many = Many::new(files, None, &mut warnings);
        let names: Vec<&str> = many.files.iter().map(|file| &*file.name).collect();
        assert_eq!(names, ["._b.pgn", "a.pgn"]);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("left out, 2 in all"), "{warnings:?}");
    }

    #[test]
    fn a_hundred_compressed_files_are_named() {
        // A file of gzip without contents.
        let packed = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0".to_vec();
        for (files, said) in [(99, 99), (100, 100), (101, 101), (102, 101)] {
            let file = SourceFile {
                name: "x.pgn".to_owned(),
                bytes: Arc::new(packed.clone()),
            };
            let mut warnings = Vec::new();
            Many::new(vec![(KIND.to_owned(), file); files], None, &mut warnings);
            assert_eq!(warnings.len(), said, "{files}");
            let rest = format!(
                "{} more files are left out: they are compressed",
                files.saturating_sub(100)
            );
            assert_eq!(warnings.last() == Some(&rest), files > 100, "{files}");
        }
    }
}
