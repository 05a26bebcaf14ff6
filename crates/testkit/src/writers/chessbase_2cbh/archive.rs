//! Archives: ZIP files as ChessBase writes them (section 13).

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The version that the headers of members ask for. It means ZIP64, though no size needs that: ChessBase writes it so.
const VERSION: u16 = 45;
/// The version that the directory asks for.
const DIRECTORY_VERSION: u16 = 20;
/// The value of a number that is in a ZIP64 field instead.
const ELSEWHERE: u32 = u32::MAX;
/// The number of ZIP64 fields.
const ZIP64: u16 = 1;

/// How an archive is written; by default as ChessBase does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Form {
    /// Members are stored instead of deflated.
    pub is_stored: bool,
    /// Sizes and places are in fields of 64 bits.
    pub is_zip64: bool,
}

/// A ZIP file with these members.
///
/// # Errors
/// If a size needs ZIP64 and the form has none.
pub fn zip(members: &[(String, Vec<u8>)], form: Form) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, bytes) in members {
        let at = out.len();
        let mut sum = flate2::Crc::new();
        sum.update(bytes);
        let packed = if form.is_stored {
            bytes.clone()
        } else {
            deflated(bytes)
        };
        let sizes = [packed.len(), bytes.len()];
        let method: u16 = if form.is_stored { 0 } else { 8 };
        let mut about = [0, method, 0, 0].map(u16::to_le_bytes).concat();
        about.extend(sum.sum().to_le_bytes());

        out.extend(b"PK\x03\x04");
        out.extend(VERSION.to_le_bytes());
        out.extend(&about);
        for size in sizes {
            out.extend(in_header(size, form)?);
        }
        out.extend((name.len() as u16).to_le_bytes());
        out.extend(20u16.to_le_bytes());
        out.extend(name.as_bytes());
        out.extend([ZIP64, 16].map(u16::to_le_bytes).concat());
        // ChessBase writes zeros here, beside the right sizes.
        for size in [sizes[1], sizes[0]] {
            let size = if form.is_zip64 { size } else { 0 };
            out.extend((size as u64).to_le_bytes());
        }
        out.extend(packed);

        directory.extend(b"PK\x01\x02");
        directory.extend([DIRECTORY_VERSION; 2].map(u16::to_le_bytes).concat());
        directory.extend(&about);
        let large = [sizes[1], sizes[0], at].map(|field| (field as u64).to_le_bytes());
        let field = [&[ZIP64, 24].map(u16::to_le_bytes).concat()[..], &large.concat()].concat();
        let field = if form.is_zip64 { field } else { Vec::new() };
        for size in sizes {
            directory.extend(in_header(size, form)?);
        }
        directory.extend((name.len() as u16).to_le_bytes());
        directory.extend((field.len() as u16).to_le_bytes());
        // Comment, disk, attributes.
        directory.extend([0; 2 + 2 + 2 + 4]);
        directory.extend(in_header(at, form)?);
        directory.extend(name.as_bytes());
        directory.extend(field);
    }
    let at = out.len();
    let len = directory.len();
    out.extend(directory);
    if form.is_zip64 {
        append_zip64_end(members.len(), at, len, &mut out);
    }
    out.extend(b"PK\x05\x06");
    out.extend([0; 4]);
    let count = u16::try_from(members.len()).map_err(|_| "too many members")?;
    out.extend([count; 2].map(u16::to_le_bytes).concat());
    out.extend(in_header(len, form)?);
    out.extend(in_header(at, form)?);
    out.extend([0; 2]);
    Ok(out)
}

fn append_zip64_end(members: usize, at: usize, len: usize, out: &mut Vec<u8>) {
    let end = out.len() as u64;
    out.extend(b"PK\x06\x06");
    out.extend(44u64.to_le_bytes());
    out.extend([VERSION; 2].map(u16::to_le_bytes).concat());
    out.extend([0; 8]);
    for field in [members, members, len, at] {
        out.extend((field as u64).to_le_bytes());
    }
    out.extend(b"PK\x06\x07");
    out.extend([0; 4]);
    out.extend(end.to_le_bytes());
    out.extend(1u32.to_le_bytes());
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("nothing fails in memory")
}

fn number(number: usize) -> Result<[u8; 4], String> {
    let number = u32::try_from(number).map_err(|_| "more than 4 GiB need ZIP64")?;
    Ok(number.to_le_bytes())
}

/// A size or a place as its field of 32 bits has it.
fn in_header(field: usize, form: Form) -> Result<[u8; 4], String> {
    if form.is_zip64 {
        Ok(ELSEWHERE.to_le_bytes())
    } else {
        number(field)
    }
}
