//! zip (APPNOTE 6.3): members, each after its header, and a directory of all members at the end.
//!
//! | bytes | of a member's header |
//! |---|---|
//! | 4 | `50 4B 03 04` |
//! | 2 | version |
//! | 2 | flags: 1 encrypted, 8 sizes follow the member |
//! | 2 | method: 0 stored, 8 deflate |
//! | 4 | time and date |
//! | 4 | CRC-32 |
//! | 4, 4 | number of packed and unpacked bytes |
//! | 2, 2 | lengths of name and further fields, which follow |

use std::io;
use std::ops::Range;
use std::sync::Arc;

use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipLocator};

use super::codec::Codec;
use super::error::PackedError;
use super::input::Input;
use super::stream::Damage;
use crate::bytes::{le_u16, le_u32};
use crate::files::Bytes;
use crate::text::utf8;

/// The characters 80 to FF of code page 437, in which the names of members are unless they are UTF-8 (appendix D.1).
const CODE_PAGE_437: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// The first bytes of a member.
const MEMBER: [u8; 4] = *b"PK\x03\x04";
/// The first bytes of the end of a directory, with which an archive without members begins.
const END: [u8; 4] = *b"PK\x05\x06";
/// The number of the field that has sizes of 64 bits.
const ZIP64: u16 = 1;
/// Number of bytes in a member's header, without the fields of variable length.
const HEADER: usize = 30;

/// Files of a zip archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZipMembers {
    /// The files. Opening a file fails if its data cannot be found.
    pub members: Vec<ZipMember>,
    /// Number of PGN files beyond [`ZipMembers::MOST`] members.
    pub unread: u64,
    /// Paths of members that are archives or compressed files. [`zip_members`] does not look into them.
    pub packed: Vec<String>,
    /// False if the directory at the end of the archive is missing or damaged, so that files may be missing.
    pub has_directory: bool,
}

impl ZipMembers {
    /// Maximum number of members that are examined.
    pub const MOST: usize = 100_000;
}

/// A file in a zip archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipMember {
    /// Path of the member in the archive.
    pub name: String,
    /// Number of unpacked bytes according to the archive; 0 if the archive does not say.
    pub unpacked: u64,
    method: u16,
    is_encrypted: bool,
    range: Range<u64>,
    /// CRC-32 of the unpacked bytes.
    sum: Option<u32>,
    /// Why the bytes of the member are not read.
    fault: Option<&'static str>,
}

impl ZipMember {
    /// The range of the member's packed bytes in the archive.
    pub(super) fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    pub(super) fn codec(&self) -> Result<Codec, PackedError> {
        if let Some(fault) = self.fault {
            return Err(PackedError::Damaged(Damage::new(self.range.start, fault)));
        }
        match CompressionMethod::new(self.method) {
            _ if self.is_encrypted => Err(PackedError::Method("encryption".to_owned())),
            CompressionMethod::STORE => Ok(Codec::Stored { sum: self.sum }),
            CompressionMethod::DEFLATE => Ok(Codec::Deflate { sum: self.sum }),
            other => Err(PackedError::Method(format!("compression method {other}"))),
        }
    }

    /// True if the archive states checksum and sizes of the member.
    pub(super) fn is_stated(&self) -> bool {
        self.sum.is_some()
    }

    fn is_pgn(&self) -> bool {
        is_pgn(&self.name)
    }
}

fn is_pgn(name: &str) -> bool {
    has_extension(name, &["pgn"])
}

/// True for the name of an archive or of a compressed file.
fn is_packed(name: &str) -> bool {
    has_extension(name, &["zip", "gz", "bz2", "zst", "7z", "rar", "tar", "xz"])
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let own = name.rsplit_once('.').map(|(_, extension)| extension);
    own.is_some_and(|own| extensions.iter().any(|wanted| own.eq_ignore_ascii_case(wanted)))
}

/// True for the first bytes of an archive.
pub(super) fn is_archive(input: &Input) -> bool {
    matches!(input.array(0), Some(MEMBER | END))
}

/// All files of a zip archive, in the order of its directory. If the directory is missing because the archive was cut,
/// only the files whose headers can be found. Files may share bytes.
pub fn zip_entries(bytes: &Arc<dyn Bytes>) -> ZipMembers {
    let input = Input::new(Arc::clone(bytes));
    directory(&input).unwrap_or_else(|| headers(&input))
}

/// The PGN files of a zip archive in the order of their offsets. Opening a file fails if it overlaps another.
pub fn zip_members(bytes: &Arc<dyn Bytes>) -> ZipMembers {
    let mut found = zip_entries(bytes);
    let members = &mut found.members;
    members.sort_by_key(|member| (member.range.start, member.range.end));
    let mut after = 0;
    for member in members.iter_mut().filter(|member| member.fault.is_none()) {
        if member.range.start < after {
            member.fault = Some("this member overlaps another member");
        }
        after = after.max(member.range.end);
    }
    let packed = members.iter().filter(|member| is_packed(&member.name));
    found.packed = packed.map(|member| member.name.clone()).collect();
    members.retain(ZipMember::is_pgn);
    found
}

/// The members that the directory lists; `None` without a directory.
fn directory(input: &Input) -> Option<ZipMembers> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let located = ZipLocator::new().locate_in_reader(input, &mut buffer, input.len());
    let archive = located.ok()?;
    let mut found = ZipMembers {
        has_directory: true,
        ..ZipMembers::default()
    };
    let mut entries = archive.entries(&mut buffer);
    loop {
        let entry = match entries.next_entry() {
            Ok(Some(entry)) => entry,
            Ok(None) => break,
            Err(_) => {
                found.has_directory = false;
                break;
            }
        };
        let name = name_of(entry.file_path().as_bytes());
        if found.members.len() == ZipMembers::MOST {
            found.unread += u64::from(is_pgn(&name));
            continue;
        }
        let range = archive.get_entry(entry.wayfinder());
        let range = range.map(|found| found.compressed_data_range());
        let (start, end) = *range.as_ref().unwrap_or(&(entry.local_header_offset(), 0));
        found.members.push(ZipMember {
            name,
            unpacked: entry.uncompressed_size_hint(),
            method: entry.compression_method().as_u16(),
            is_encrypted: entry.flags().is_encrypted(),
            range: start..end.min(input.len()),
            sum: Some(entry.crc32()),
            fault: range.err().map(|_| "the header of this member cannot be read"),
        });
    }
    Some(found)
}

/// The members from the start of the file, while each header contains the member's length.
fn headers(input: &Input) -> ZipMembers {
    let (mut at, mut found) = (0, ZipMembers::default());
    while let Some((member, next)) = header(input, at) {
        if found.members.len() < ZipMembers::MOST {
            found.members.push(member);
        } else {
            found.unread += u64::from(member.is_pgn());
        }
        let Some(next) = next else { break };
        at = next;
    }
    found
}

/// The member with the header at `at`, and the offset of the next one if it is known.
fn header(input: &Input, at: u64) -> Option<(ZipMember, Option<u64>)> {
    let header: [u8; HEADER] = input.array(at)?;
    let [flags, method, name, more] = [6, 8, 26, 28].map(|field| le_u16(&header, field));
    let [flags, name, more] = [flags?, name?, more?];
    let [sum, packed, unpacked] = [14, 18, 22].map(|field| le_u32(&header, field));
    let text = at + HEADER as u64;
    let fields = text + u64::from(name);
    let start = fields + u64::from(more);
    let [unpacked, packed] = large_sizes(input, fields..start, [unpacked?, packed?]);
    let end = packed
        .filter(|_| flags & 8 == 0)
        .map(|packed| start.saturating_add(packed));
    let mut name = vec![0; name.into()];
    input.copy(text, &mut name);
    let member = ZipMember {
        name: name_of(&name),
        unpacked: unpacked.unwrap_or(0),
        method: method?,
        is_encrypted: flags & 1 != 0,
        range: start..end.unwrap_or(u64::MAX).min(input.len()).max(start),
        sum: sum.filter(|_| end.is_some()),
        fault: None,
    };
    header.starts_with(&MEMBER).then_some((member, end))
}

/// The name of a member. A flag says whether it is UTF-8, but many programs do not set it.
fn name_of(bytes: &[u8]) -> String {
    let letter = |&byte: &u8| match byte.checked_sub(0x80) {
        Some(place) => CODE_PAGE_437.chars().nth(place.into()).unwrap_or_default(),
        None => char::from(byte),
    };
    utf8(bytes).unwrap_or_else(|bytes| bytes.iter().map(letter).collect())
}

/// The unpacked and the packed size of a member. If all bits of a size are set, it is in the field of ZIP64, the
/// unpacked size before the packed size; `None` if it is missing there.
fn large_sizes(input: &Input, fields: Range<u64>, sizes: [u32; 2]) -> [Option<u64>; 2] {
    let large = || {
        let mut at = fields.start;
        loop {
            let head = input.array::<4>(at).filter(|_| at + 4 <= fields.end)?;
            let [number, len] = [0, 2].map(|place| le_u16(&head, place));
            let len = u64::from(len?);
            if number? == ZIP64 {
                return Some(at + 4..(at + 4 + len).min(fields.end));
            }
            at += 4 + len;
        }
    };
    let mut rest = if sizes.contains(&u32::MAX) {
        large().unwrap_or_default()
    } else {
        0..0
    };
    sizes.map(|size| {
        if size != u32::MAX {
            return Some(size.into());
        }
        let size = input.array(rest.start).filter(|_| rest.start + 8 <= rest.end);
        rest.start += 8;
        size.map(u64::from_le_bytes)
    })
}

impl ReaderAt for Input {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(self.copy(offset, buffer))
    }
}
