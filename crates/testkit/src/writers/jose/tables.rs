//! Tables of MyISAM with dynamic rows: `.frm`, `.MYI` and `.MYD` (docs/formats/jose.md, section 8).

/// A column.
pub struct Column {
    name: &'static str,
    /// Type code of the `.frm`.
    code: u8,
    /// Size in bytes of an integer, of the longest value of a text, or of the length of a blob.
    length: u16,
    is_nullable: bool,
}

/// A value.
#[derive(Debug)]
pub enum Value {
    Null,
    Int(i64),
    Bytes(Vec<u8>),
}

/// A table.
pub struct Table {
    pub name: &'static str,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Value>>,
}

const VARCHAR: u8 = 15;
const CHAR: u8 = 254;
const BLOB: u8 = 250;
const DATE: u8 = 14;

impl Value {
    pub fn text(text: &str) -> Value {
        Value::Bytes(text.as_bytes().to_vec())
    }
}

impl Column {
    pub fn int(name: &'static str, bytes: u16) -> Column {
        let code = match bytes {
            1 => 1,
            2 => 2,
            4 => 3,
            _ => 8,
        };
        Column::new(name, code, bytes)
    }

    pub fn date(name: &'static str) -> Column {
        Column::new(name, DATE, 3)
    }

    pub fn text(name: &'static str, longest: u16) -> Column {
        Column::new(name, VARCHAR, longest)
    }

    pub fn fixed_text(name: &'static str, bytes: u16) -> Column {
        Column::new(name, CHAR, bytes)
    }

    pub fn blob(name: &'static str) -> Column {
        Column::new(name, BLOB, 3)
    }

    fn new(name: &'static str, code: u8, length: u16) -> Column {
        Column {
            name,
            code,
            length,
            is_nullable: false,
        }
    }

    pub fn nullable(mut self) -> Column {
        self.is_nullable = true;
        self
    }

    /// Type and length of the field in the `.MYI`.
    fn field(&self) -> (u16, u16) {
        match self.code {
            VARCHAR if self.length > 255 => (8, self.length + 2),
            VARCHAR => (8, self.length + 1),
            CHAR => (1, self.length),
            BLOB => (4, self.length + 8),
            _ => (3, self.length),
        }
    }
}

impl Table {
    /// Names and types of the columns.
    pub fn frm(&self) -> Vec<u8> {
        const FORM: usize = 128;
        let mut names = vec![0xff];
        for column in &self.columns {
            names.extend(column.name.as_bytes());
            names.push(0xff);
        }
        let mut frm = vec![0; FORM + 288];
        frm[..3].copy_from_slice(&[0xfe, 0x01, 10]);
        frm[27] = 2;
        frm[0x1e] = 9;
        frm[0x33..0x37].copy_from_slice(&50_015u32.to_le_bytes());
        frm[64..68].copy_from_slice(&(FORM as u32).to_le_bytes());
        frm[FORM + 258..FORM + 260].copy_from_slice(&(self.columns.len() as u16).to_le_bytes());
        frm[FORM + 268..FORM + 270].copy_from_slice(&(names.len() as u16).to_le_bytes());
        for column in &self.columns {
            let mut entry = [0; 17];
            entry[3..5].copy_from_slice(&column.length.to_le_bytes());
            entry[8..10].copy_from_slice(&(u16::from(column.is_nullable) << 15 | 1).to_le_bytes());
            entry[13] = column.code;
            entry[14] = if column.code == BLOB { 63 } else { 33 };
            frm.extend(entry);
        }
        frm.extend(names);
        frm
    }

    /// Size of the NULL bitmap in bytes.
    fn bitmap(&self) -> usize {
        self.columns
            .iter()
            .filter(|column| column.is_nullable)
            .count()
            .div_ceil(8)
    }

    fn flag_bytes(&self) -> usize {
        let flagged = self.columns.iter().filter(|column| column.code != VARCHAR);
        flagged.count().div_ceil(8)
    }

    /// The layout of a record.
    pub fn myi(&self) -> Vec<u8> {
        const BASE: usize = 128;
        let mut fields = Vec::new();
        if self.bitmap() > 0 {
            fields.push((0, self.bitmap() as u16, 0, 0));
        }
        let mut bit = 0;
        for column in &self.columns {
            let (kind, length) = column.field();
            if column.is_nullable {
                fields.push((kind, length, 1u8 << (bit % 8), bit / 8));
                bit += 1;
            } else {
                fields.push((kind, length, 0, 0));
            }
        }
        let len = BASE + 100 + 7 * fields.len();
        let mut myi = vec![0; len - 7 * fields.len()];
        myi[..6].copy_from_slice(&[0xfe, 0xfe, 7, 1, 0, 1]);
        myi[6..8].copy_from_slice(&(len as u16).to_be_bytes());
        myi[12..14].copy_from_slice(&(BASE as u16).to_be_bytes());
        myi[28..36].copy_from_slice(&(self.rows.len() as u64).to_be_bytes());
        myi[BASE + 64..BASE + 68].copy_from_slice(&(fields.len() as u32).to_be_bytes());
        myi[BASE + 76..BASE + 78].copy_from_slice(&(self.flag_bytes() as u16).to_be_bytes());
        for (kind, length, bit, byte) in fields {
            myi.extend(u16::to_be_bytes(kind));
            myi.extend(length.to_be_bytes());
            myi.push(bit);
            myi.extend(u16::to_be_bytes(byte));
        }
        myi
    }

    /// The rows.
    pub fn myd(&self) -> Vec<u8> {
        let mut myd = Vec::new();
        for row in &self.rows {
            append_block(&mut myd, &self.record(row));
        }
        myd
    }

    /// The bytes of a row.
    pub fn record(&self, row: &[Value]) -> Vec<u8> {
        let flag_bytes = self.flag_bytes();
        let mut record = vec![0; flag_bytes + self.bitmap()];
        let (mut flag, mut bit) = (0, 0);
        for (column, value) in self.columns.iter().zip(row) {
            if column.is_nullable {
                if matches!(value, Value::Null) {
                    record[flag_bytes + bit / 8] |= 1 << (bit % 8);
                }
                bit += 1;
            }
            let bytes = match value {
                Value::Null => Vec::new(),
                Value::Int(number) => number.to_le_bytes()[..usize::from(column.length)].to_vec(),
                Value::Bytes(bytes) => bytes.clone(),
            };
            match column.code {
                VARCHAR => {
                    match bytes.len() {
                        0..255 => record.push(bytes.len() as u8),
                        len => {
                            record.push(255);
                            record.extend((len as u16).to_be_bytes());
                        }
                    }
                    record.extend(bytes);
                    continue;
                }
                CHAR => {
                    // Texts are always shorter than the column, so trailing spaces are always removed.
                    record[flag / 8] |= 1 << (flag % 8);
                    record.push(bytes.len() as u8);
                    record.extend(bytes);
                }
                BLOB if bytes.is_empty() => record[flag / 8] |= 1 << (flag % 8),
                BLOB => {
                    record.extend(&(bytes.len() as u32).to_le_bytes()[..3]);
                    record.extend(bytes);
                }
                _ if bytes.iter().all(|&byte| byte == 0) => record[flag / 8] |= 1 << (flag % 8),
                _ => record.extend(bytes),
            }
            flag += 1;
        }
        record
    }
}

/// Appends a whole record in one block, whose size is at least 20 bytes and a multiple of 4.
pub fn append_block(myd: &mut Vec<u8>, record: &[u8]) {
    let length = (record.len() as u32).to_be_bytes();
    let (kind, length) = match record.len() {
        0..=0xffff => (1, &length[2..]),
        _ => (2, &length[1..]),
    };
    let head = 1 + length.len() + record.len();
    let block = head.next_multiple_of(4).max(20);
    if block == head {
        myd.push(kind);
        myd.extend(length);
        myd.extend(record);
        return;
    }
    // The byte that counts the unused bytes is one of them.
    let block = (head + 1).next_multiple_of(4).max(20);
    let unused = block - head - 1;
    myd.push(kind + 2);
    myd.extend(length);
    myd.push(unused as u8);
    myd.extend(record);
    myd.resize(myd.len() + unused, 0);
}
