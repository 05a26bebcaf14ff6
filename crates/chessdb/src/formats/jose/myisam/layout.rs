//! How the bytes of a row are divided into columns.
//!
//! Without a `.MYI` (section 8.4) the bitmap has a bit for every column that may be NULL, in rows of one size after
//! the bit for a live row. In rows of any size integers and dates are type 3, timestamps 0, texts 8, padded texts of
//! more than three bytes 1, blobs 4.

use super::frm::Frm;
use super::myi::{Myi, NullBit};
use crate::formats::jose::columns::{COLUMNS, Column, Known};

/// A column as described in a `.frm` or a known list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::formats::jose) struct ColumnSpec<Name> {
    pub(in crate::formats::jose) name: Name,
    pub(in crate::formats::jose) kind: Type,
    /// Length of the value in bytes. For a text it is the maximum, for a blob the length of the field with its length.
    pub(in crate::formats::jose) length: u16,
    pub(in crate::formats::jose) charset: Charset,
    pub(in crate::formats::jose) nullable: bool,
}

/// Type of a column. Types that have the same layout are not distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats::jose) enum Type {
    Integer,
    Date,
    Timestamp,
    Varchar,
    Char,
    Blob,
}

/// Character set of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats::jose) enum Charset {
    Latin1,
    Utf8,
}

/// How a field is packed in a dynamic record (section 8.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// Raw bytes.
    Normal,
    /// If the flag is set, spaces were removed on one side; a length and the rest follow.
    SkipSpace,
    /// If the flag is set, the value is zero and is not stored.
    SkipZero,
    /// If the flag is set, the value is empty. `length` is the size of the length field.
    Blob,
    /// `length` is the maximum length.
    Varchar,
}

/// A field of the row. The NULL bitmap is one of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) kind: FieldKind,
    pub(super) length: usize,
}

/// The field of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ColumnPlace {
    pub(super) field: usize,
    pub(super) null: Option<NullBit>,
    pub(super) charset: Charset,
}

/// The layout of a table's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) is_dynamic: bool,
    /// Size in bytes of a row in a fixed table.
    pub(super) row_size: usize,
    pub(super) flag_bytes: usize,
    /// True if the first field is a bitmap of NULL columns.
    pub(super) has_bitmap: bool,
    pub(super) fields: Vec<Field>,
    pub(super) columns: [Option<ColumnPlace>; COLUMNS],
}

impl Layout {
    /// The layouts that fit the files of a table, the most reliable one first (sections 2.2, 8.4).
    pub(super) fn possible(frm: Option<&Frm>, myi: Option<&Myi>, known: &[&Known]) -> Vec<Layout> {
        let mut layouts = Vec::new();
        if let Some(frm) = frm {
            layouts.extend(myi.and_then(|myi| Layout::stored(myi, &frm.columns)));
            layouts.push(Layout::derived(&frm.columns, frm.is_dynamic));
        }
        let lists = known.iter().flat_map(|known| {
            let list = |&count| known.columns.get(..count).unwrap_or(known.columns);
            known.counts.iter().map(list)
        });
        let Some(myi) = myi else {
            layouts.extend(lists.map(|columns| {
                let is_dynamic = columns
                    .iter()
                    .any(|column| matches!(column.kind, Type::Varchar | Type::Blob));
                Layout::derived(columns, is_dynamic)
            }));
            return layouts;
        };
        // The rows fit each list with this number of columns equally well, because the `.MYI` alone gives their fields.
        let mut listed: Vec<(usize, Layout)> = lists
            .filter_map(|columns| {
                let layout = Layout::stored(myi, columns)?;
                let unlike = unlike(myi, columns);
                (unlike <= columns.len() / TOLERATED).then_some((unlike, layout))
            })
            .collect();
        listed.sort_by_key(|(unlike, _)| *unlike);
        layouts.extend(listed.into_iter().map(|(_, layout)| layout));
        layouts
    }

    /// The layout in a `.MYI`; `None` if its number of columns differs.
    fn stored<Name: AsRef<str>>(myi: &Myi, columns: &[ColumnSpec<Name>]) -> Option<Layout> {
        let has_bitmap = match myi.fields.len().checked_sub(columns.len())? {
            0 => false,
            1 => true,
            _ => return None,
        };
        let mut layout = Layout {
            is_dynamic: myi.is_dynamic,
            row_size: myi.row_size,
            flag_bytes: myi.flag_bytes,
            has_bitmap,
            fields: myi.fields.iter().map(|(field, _)| *field).collect(),
            columns: [None; COLUMNS],
        };
        if !myi.is_dynamic {
            // Fields of fixed rows have full width, whatever their type.
            for (field, column) in layout
                .fields
                .iter_mut()
                .skip(usize::from(has_bitmap))
                .zip(columns)
            {
                *field = Field {
                    kind: FieldKind::Normal,
                    length: width(column),
                };
            }
        }
        let nulls = myi.fields.iter().map(|(_, null)| *null);
        layout.place(columns, nulls.skip(usize::from(has_bitmap)));
        Some(layout)
    }

    /// The layout derived from the columns (section 8.4).
    fn derived<Name: AsRef<str>>(columns: &[ColumnSpec<Name>], is_dynamic: bool) -> Layout {
        let nullable = columns.iter().filter(|column| column.nullable).count();
        let bitmap = (nullable + usize::from(!is_dynamic)).div_ceil(8);
        let mut fields = Vec::with_capacity(columns.len() + 1);
        if bitmap > 0 {
            fields.push(Field {
                kind: FieldKind::Normal,
                length: bitmap,
            });
        }
        fields.extend(columns.iter().map(|column| {
            if is_dynamic {
                packed(column)
            } else {
                Field {
                    kind: FieldKind::Normal,
                    length: width(column),
                }
            }
        }));
        let flags = fields
            .iter()
            .filter(|field| !matches!(field.kind, FieldKind::Normal | FieldKind::Varchar));
        let mut layout = Layout {
            is_dynamic,
            row_size: fields.iter().map(|field| field.length).sum(),
            flag_bytes: flags.count().div_ceil(8),
            has_bitmap: bitmap > 0,
            fields,
            columns: [None; COLUMNS],
        };
        let mut bit = usize::from(!is_dynamic);
        let nulls: Vec<Option<NullBit>> = columns
            .iter()
            .map(|column| {
                column.nullable.then(|| {
                    let null = NullBit {
                        byte: bit / 8,
                        mask: 1 << (bit % 8),
                    };
                    bit += 1;
                    null
                })
            })
            .collect();
        layout.place(columns, nulls.into_iter());
        layout
    }

    /// Stores the fields of the columns that are read. If a name occurs twice, the first one counts.
    fn place<Name: AsRef<str>>(
        &mut self,
        columns: &[ColumnSpec<Name>],
        nulls: impl Iterator<Item = Option<NullBit>>,
    ) {
        for (number, (column, null)) in columns.iter().zip(nulls).enumerate() {
            let place = Column::place(column.name.as_ref());
            if let Some(slot) = place.and_then(|place| self.columns.get_mut(place)) {
                slot.get_or_insert(ColumnPlace {
                    field: number + usize::from(self.has_bitmap),
                    null,
                    charset: column.charset,
                });
            }
        }
    }
}

/// One column in four may differ from its field in the `.MYI`. If more do, the list belongs to another table.
const TOLERATED: usize = 4;

/// The number of fields in which a `.MYI` differs from a table with these columns. A bitmap on one side only counts as
/// one.
fn unlike<Name: AsRef<str>>(myi: &Myi, columns: &[ColumnSpec<Name>]) -> usize {
    let expected = Layout::derived(columns, myi.is_dynamic);
    let has_bitmap = myi.fields.len() > columns.len();
    let of_columns = expected.fields.iter().skip(usize::from(expected.has_bitmap));
    let stored = myi.fields.iter().skip(usize::from(has_bitmap));
    let is_text = |field: &Field| matches!(field.kind, FieldKind::Varchar | FieldKind::SkipSpace);
    // The length of a text depends on its character set, and old tables have texts of the other kind.
    let differs =
        |(stored, expected): (&Field, &Field)| stored != expected && !(is_text(stored) && is_text(expected));
    let pairs = stored.map(|(field, _)| field).zip(of_columns);
    let differences = pairs.filter(|&pair| differs(pair)).count();
    differences + usize::from(has_bitmap != expected.has_bitmap)
}

/// How a column is packed in a dynamic record.
fn packed<Name>(column: &ColumnSpec<Name>) -> Field {
    let kind = match column.kind {
        Type::Integer | Type::Date => FieldKind::SkipZero,
        Type::Timestamp => FieldKind::Normal,
        Type::Varchar => FieldKind::Varchar,
        Type::Char if column.length > 3 => FieldKind::SkipSpace,
        Type::Char => FieldKind::Normal,
        Type::Blob => FieldKind::Blob,
    };
    Field {
        kind,
        length: usize::from(column.length),
    }
}

/// Width in bytes of a column in a fixed row.
fn width<Name>(column: &ColumnSpec<Name>) -> usize {
    let length = usize::from(column.length);
    match column.kind {
        Type::Varchar if length > 255 => length + 2,
        Type::Varchar => length + 1,
        // A length, and a pointer that has no meaning on disk.
        Type::Blob => length + 8,
        _ => length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::jose::columns::{
        COLLECTION, GAME, IO_COLLECTION, IO_GAME, MORE_GAME, NAMED, OLD_COLLECTION, OPENING,
    };

    /// The `.MYI` of a table with these columns.
    fn myi_of(layout: &Layout) -> Myi {
        Myi {
            is_dynamic: layout.is_dynamic,
            row_size: layout.row_size,
            flag_bytes: layout.flag_bytes,
            fields: layout.fields.iter().map(|field| (*field, None)).collect(),
        }
    }

    /// Where the columns are, without their bits for NULL.
    fn places(layout: &Layout) -> Vec<Option<usize>> {
        let fields = layout.columns.iter();
        fields.map(|column| column.map(|column| column.field)).collect()
    }

    #[test]
    fn without_names_each_column_is_found_by_the_fields() {
        let tables: [&[&Known]; 5] = [
            &[&GAME],
            &[&MORE_GAME],
            &[&IO_GAME],
            &[&OPENING],
            &[&COLLECTION, &OLD_COLLECTION, &IO_COLLECTION],
        ];
        for known in tables.into_iter().chain([&[&NAMED][..]]) {
            for (table, &count) in known
                .iter()
                .flat_map(|table| table.counts.iter().map(move |n| (table, n)))
            {
                let columns = &table.columns[..count];
                let is_dynamic = table.columns != GAME.columns;
                let own = Layout::derived(columns, is_dynamic);
                let found = Layout::possible(None, Some(&myi_of(&own)), known);
                let first = found.first().map(places);
                assert_eq!(first, Some(places(&own)), "{count} columns: {columns:?}");
            }
        }
    }

    #[test]
    fn a_list_of_other_columns_is_not_taken() {
        // 24 columns and a bitmap are as many fields as 25 columns.
        let own = Layout::derived(&IO_GAME.columns[..24], true);
        assert_eq!(Layout::possible(None, Some(&myi_of(&own)), &[&IO_GAME]), []);
    }
}
