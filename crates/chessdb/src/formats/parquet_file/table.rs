//! The rows of a file: the pages of each column, which are located once by their headers, and their values.

use std::sync::{Arc, OnceLock};

use super::cache::Cache;
use super::footer::{Chunk, Layout};
use super::head::{DICTIONARY, Head};
use super::page::{Page, Value};
use crate::bytes::index;
use crate::files::SourceFile;

/// The rows of a file.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) file: SourceFile,
    pub(super) layout: Layout,
    /// The pages of each column of the first group of rows, then of the second one and so on.
    pages: Vec<OnceLock<Pages>>,
    cache: Cache,
}

/// The pages of a column in a group of rows.
#[derive(Debug, Default)]
struct Pages {
    dictionary: Option<Spot>,
    data: Vec<Spot>,
    /// The reason if further rows are missing.
    lost: Option<Lost>,
}

/// The place of a page.
#[derive(Debug)]
struct Spot {
    /// Number of the group's rows before the page.
    first: u32,
    head: Head,
    /// Offsets of the page's header, and of the bytes after the header.
    head_at: usize,
    body_at: usize,
    /// The damage, once reading the page has failed.
    wrong: OnceLock<&'static str>,
}

/// Values that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lost {
    /// Offset of the damage.
    pub(super) at: u64,
    /// The damage, in lower case, without a full stop.
    pub(super) what: String,
}

/// A value and its page.
#[derive(Debug)]
pub(super) struct Cell {
    page: Arc<Page>,
    row: usize,
    /// Offset of the page.
    pub(super) at: u64,
}

impl Cell {
    /// The value; `None` if it is null.
    pub(super) fn value(&self) -> Option<Value<'_>> {
        self.page.value(self.row)
    }

    /// The dictionary that has the value, and its number there.
    pub(super) fn chosen(&self) -> Option<(&Arc<Page>, u32)> {
        self.page.chosen(self.row)
    }
}

/// Number of a dictionary among the pages.
const OF_DICTIONARY: u32 = u32::MAX;

impl Table {
    /// The rows of a file with this footer.
    pub(super) fn new(file: SourceFile, layout: Layout) -> Table {
        let chunks = layout.groups.len().saturating_mul(layout.columns.len());
        Table {
            file,
            layout,
            pages: std::iter::repeat_with(OnceLock::new).take(chunks).collect(),
            cache: Cache::new(),
        }
    }

    /// The value of a column in a row.
    ///
    /// # Errors
    /// If the value cannot be read.
    pub(super) fn cell(&self, column: usize, row: u32) -> Result<Cell, Lost> {
        let lost = || self.lost(self.layout.at, column, "there is no such row");
        let (group, rows) = self.layout.group_of(row).ok_or_else(lost)?;
        let row = row - rows.first;
        let (page, first, at) = self.page(group, column, row)?;
        Ok(Cell {
            page,
            row: index((row - first).into()),
            at,
        })
    }

    /// Passes the value of a column in each row to `each`; `None` for a value that cannot be read.
    pub(super) fn each(&self, column: usize, mut each: impl FnMut(u32, Option<&Cell>)) {
        for (number, group) in self.layout.groups.iter().enumerate() {
            let mut row = 0;
            while row < group.rows && !self.file.bytes.is_lost() {
                // The row after the page, or after the rows that cannot be read.
                let end = self.end(number, column, row).min(group.rows);
                let mut cell = self.page(number, column, row).ok().map(|(page, first, at)| Cell {
                    page,
                    row: index((row - first).into()),
                    at,
                });
                for row in row..end {
                    each(group.first + row, cell.as_ref());
                    if let Some(cell) = &mut cell {
                        cell.row += 1;
                    }
                }
                row = end;
            }
        }
    }

    /// The first row after the page with a row of a group.
    fn end(&self, group: usize, column: usize, row: u32) -> u32 {
        let data = self
            .pages(group, column)
            .map_or(&[][..], |(_, pages)| &pages.data);
        let after = data.partition_point(|spot| spot.first <= row);
        let spot = after.checked_sub(1).and_then(|number| data.get(number));
        spot.map(|spot| spot.first + spot.head.values)
            .filter(|&end| end > row)
            .unwrap_or(u32::MAX)
    }

    /// The page with a row of a group, its first row, and its offset.
    fn page(&self, group: usize, column: usize, row: u32) -> Result<(Arc<Page>, u32, u64), Lost> {
        let nothing = || self.lost(self.layout.at, column, "there are no such pages");
        let (chunk, pages) = self.pages(group, column).ok_or_else(nothing)?;
        let after = pages.data.partition_point(|spot| spot.first <= row);
        let number = after.saturating_sub(1);
        let spot = pages
            .data
            .get(number)
            .filter(|spot| row - spot.first < spot.head.values);
        let missing = || {
            let at = chunk.start;
            let lost = pages.lost.clone();
            lost.unwrap_or_else(|| self.lost(at, column, "its pages have fewer rows than the others"))
        };
        let spot = spot.ok_or_else(missing)?;
        let wrong = |what: &str| {
            let codec = chunk.form.codec;
            let what = match codec.is_read() {
                true => format!("a page cannot be read: {what}"),
                false => format!("its compression {codec} is not supported"),
            };
            self.lost(spot.head_at as u64, column, &what)
        };
        if let Some(what) = spot.wrong.get() {
            return Err(wrong(what));
        }
        let place = u32::try_from(group * self.layout.columns.len() + column).unwrap_or(u32::MAX);
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let page = match self.cache.get(place, number) {
            Some(page) => page,
            None => {
                let page = self
                    .read(chunk, pages, spot, place)
                    .map_err(|what| wrong(spot.wrong.get_or_init(|| what)))?;
                self.cache.put(place, number, &page);
                page
            }
        };
        Ok((page, spot.first, spot.head_at as u64))
    }

    fn read(&self, chunk: &Chunk, pages: &Pages, spot: &Spot, place: u32) -> Result<Arc<Page>, &'static str> {
        let refers = matches!(spot.head.encoding, 2 | 8);
        let dictionary = match (&pages.dictionary, self.cache.get(place, OF_DICTIONARY)) {
            (Some(_), Some(page)) if refers => Some(page),
            (Some(spot), None) if refers => {
                let page = Page::dictionary(&spot.head, &self.body(spot), chunk.form)?;
                let page = Arc::new(page);
                self.cache.put(place, OF_DICTIONARY, &page);
                Some(page)
            }
            _ => None,
        };
        let page = Page::data(&spot.head, &self.body(spot), chunk.form, dictionary.as_ref())?;
        Ok(Arc::new(page))
    }

    /// A copy of the bytes of a page, so that they stay the same while they are read.
    fn body(&self, spot: &Spot) -> Vec<u8> {
        let end = spot.body_at.saturating_add(spot.head.packed);
        self.file
            .bytes
            .get(spot.body_at..end)
            .unwrap_or_default()
            .to_vec()
    }

    /// The pages of a column in a group of rows.
    fn pages(&self, group: usize, column: usize) -> Option<(&Chunk, &Pages)> {
        let rows = self.layout.groups.get(group)?;
        let chunk = rows.chunks.get(column)?;
        let pages = self.pages.get(group * self.layout.columns.len() + column)?;
        Some((chunk, pages.get_or_init(|| self.walk(chunk, rows.rows, column))))
    }

    /// Finds the pages of a column. They follow each other, and each header has the length of its page.
    fn walk(&self, chunk: &Chunk, rows: u32, column: usize) -> Pages {
        let mut pages = Pages::default();
        let mut at = index(chunk.start);
        let end = at.saturating_add(index(chunk.len));
        let mut first = 0;
        let wrong = |at: usize, what: &str| Some(self.lost(at as u64, column, what));
        let Some(bytes) = self.file.bytes.get(..end).filter(|_| chunk.len > 0) else {
            pages.lost = wrong(at.min(self.file.bytes.len()), "its pages are not in the file");
            return pages;
        };
        while first < rows {
            let found = Head::read(bytes, at).filter(|(head, body_at)| {
                let fits = body_at.checked_add(head.packed).is_some_and(|next| next <= end);
                fits && head.unpacked as u64 <= chunk.unpacked
                    && (!head.is_data() || head.values <= rows - first)
            });
            let Some((head, body_at)) = found else {
                pages.lost = wrong(at, "the header of a page cannot be read");
                break;
            };
            let spot = Spot {
                first,
                head,
                head_at: at,
                body_at,
                wrong: OnceLock::new(),
            };
            at = body_at + head.packed;
            if head.is_data() && head.values > 0 {
                first += head.values;
                pages.data.push(spot);
            } else if head.kind == DICTIONARY && pages.dictionary.is_none() {
                pages.dictionary = Some(spot);
            }
        }
        pages
    }

    fn lost(&self, at: u64, column: usize, what: &str) -> Lost {
        let column = self.layout.columns.get(column);
        let name = column.map_or("", |column| &column.name);
        Lost {
            at,
            what: format!("the column {name} is not read here: {what}"),
        }
    }
}
