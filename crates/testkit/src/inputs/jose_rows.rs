//! Files of a table: dynamic rows in one or more blocks, or fixed rows if the columns permit them.

use crate::harness::choices::Choices;
use crate::writers::jose::tables::{Column, Table, Value, append_block};

/// How a column is stored.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Size in bytes.
    Int(u16),
    Date,
    /// Maximum length.
    Text(u16),
    Fixed(u16),
    Blob,
}

/// A column.
#[derive(Clone, Copy)]
pub struct Spec {
    pub name: &'static str,
    pub kind: Kind,
    pub is_nullable: bool,
}

impl Spec {
    /// A value that fits the column.
    pub fn value(&self, choices: &mut Choices<'_>, draw: impl Fn(&mut Choices<'_>) -> Value) -> Value {
        if self.is_nullable && choices.once_in(8) {
            return Value::Null;
        }
        match (draw(choices), self.kind) {
            (Value::Bytes(mut bytes), Kind::Fixed(longest)) => {
                bytes.truncate(usize::from(longest) - 1);
                Value::Bytes(bytes)
            }
            (value, _) => value,
        }
    }

    fn column(&self) -> Column {
        let column = match self.kind {
            Kind::Int(bytes) => Column::int(self.name, bytes),
            Kind::Date => Column::date(self.name),
            Kind::Text(longest) => Column::text(self.name, longest),
            Kind::Fixed(bytes) => Column::fixed_text(self.name, bytes),
            Kind::Blob => Column::blob(self.name),
        };
        if self.is_nullable {
            column.nullable()
        } else {
            column
        }
    }

    /// Width in bytes in a fixed row; `None` if fixed rows cannot contain such a column.
    fn width(&self) -> Option<usize> {
        match self.kind {
            Kind::Int(bytes) | Kind::Fixed(bytes) => Some(usize::from(bytes)),
            Kind::Date => Some(3),
            Kind::Text(_) | Kind::Blob => None,
        }
    }
}

/// The files of a table with their extensions; `.frm` or `.MYI` may be missing.
pub fn files(
    choices: &mut Choices<'_>,
    specs: &[Spec],
    rows: Vec<Vec<Value>>,
) -> Vec<(&'static str, Vec<u8>)> {
    let table = Table {
        name: "",
        columns: specs.iter().map(Spec::column).collect(),
        rows,
    };
    let widths: Option<Vec<usize>> = specs.iter().map(Spec::width).collect();
    let mut frm = table.frm();
    let mut files = Vec::new();
    match widths.filter(|_| !choices.once_in(4)) {
        Some(widths) => {
            // Bit 0 of the options means dynamic rows.
            frm[0x1e] = 8;
            files.push(("MYD", fixed_rows(specs, &widths, &table.rows)));
        }
        None => {
            files.push((
                "MYD",
                blocks(choices, table.rows.iter().map(|row| table.record(row))),
            ));
            if !choices.once_in(8) {
                files.push(("MYI", table.myi()));
            }
        }
    }
    if !choices.once_in(8) {
        files.push(("frm", frm));
    }
    files
}

/// A bitmap whose first bit marks the row as existing, then all columns at full width.
fn fixed_rows(specs: &[Spec], widths: &[usize], rows: &[Vec<Value>]) -> Vec<u8> {
    let nullable = specs.iter().filter(|spec| spec.is_nullable).count();
    let mut myd = Vec::new();
    for row in rows {
        let start = myd.len();
        myd.resize(start + (nullable + 1).div_ceil(8), 0);
        myd[start] = 1;
        let mut bit = 1;
        for ((spec, &width), value) in specs.iter().zip(widths).zip(row) {
            let mut bytes = match value {
                Value::Null => {
                    myd[start + bit / 8] |= 1 << (bit % 8);
                    Vec::new()
                }
                Value::Int(number) => number.to_le_bytes().to_vec(),
                Value::Bytes(bytes) => bytes.clone(),
            };
            bit += usize::from(spec.is_nullable);
            let filler = if matches!(spec.kind, Kind::Fixed(_)) {
                b' '
            } else {
                0
            };
            bytes.resize(width, filler);
            myd.extend(bytes);
        }
    }
    myd
}

/// Rows in one or more blocks, with deleted blocks between them.
fn blocks(choices: &mut Choices<'_>, records: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut myd = Vec::new();
    for record in records {
        match choices.below(8) {
            0 => myd.extend([&[0, 0, 0, 24][..], &[0xff; 20]].concat()),
            1..4 if (SHORTEST..1 << 16).contains(&record.len()) => {
                append_parts(choices, &mut myd, &record);
                continue;
            }
            _ => {}
        }
        append_block(&mut myd, &record);
    }
    myd
}

/// Minimum length of a record that is split into parts.
const SHORTEST: usize = 48;

/// First parts: type, width of the record's length, width of the part's length.
const FIRST: [(u8, usize, usize); 3] = [(5, 2, 2), (6, 3, 3), (13, 4, 3)];
/// Parts in the middle.
const MIDDLE: [(u8, usize, usize); 2] = [(11, 0, 2), (12, 0, 3)];

/// Appends a record in two or three consecutive parts.
fn append_parts(choices: &mut Choices<'_>, myd: &mut Vec<u8>, record: &[u8]) {
    let (first, rest) = record.split_at(16 + choices.below(record.len() - 32));
    append_part(choices.one_of(&FIRST), myd, record.len(), first);
    let (middle, last) = rest.split_at(choices.below(rest.len()));
    let (middle, last) = if middle.len() < 12 {
        (&[][..], rest)
    } else {
        (middle, last)
    };
    if !middle.is_empty() {
        append_part(choices.one_of(&MIDDLE), myd, 0, middle);
    }
    // The last part states how many of its bytes are unused.
    let unused = 16usize.saturating_sub(last.len());
    myd.push(9);
    myd.extend((last.len() as u16).to_be_bytes());
    myd.push(unused as u8);
    myd.extend(last);
    myd.resize(myd.len() + unused, 0);
}

fn append_part(
    (kind, record_size, part_size): (u8, usize, usize),
    myd: &mut Vec<u8>,
    record: usize,
    part: &[u8],
) {
    myd.push(kind);
    for (number, size) in [(record, record_size), (part.len(), part_size)] {
        myd.extend(&(number as u32).to_be_bytes()[4 - size..]);
    }
    let next = myd.len() + 8 + part.len();
    myd.extend((next as u64).to_be_bytes());
    myd.extend(part);
}
