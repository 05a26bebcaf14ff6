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

use super::input::Input;
use super::{Codec, PackedError};
use crate::bytes::{le_u16, le_u32};
use crate::formats::Bytes;
use crate::text::utf8_lossy;

/// The first bytes of a member.
const MEMBER: [u8; 4] = *b"PK\x03\x04";
/// Number of bytes in a member's header, without the fields of variable length.
const HEADER: usize = 30;
/// Maximum number of members that are examined.
const MOST_MEMBERS: usize = 10_000;

/// A PGN file in a zip archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipMember {
    /// Path of the member in the archive.
    pub name: String,
    method: u16,
    is_encrypted: bool,
    range: Range<u64>,
    /// CRC-32 of the unpacked bytes.
    sum: Option<u32>,
}

impl ZipMember {
    /// The range of the member's packed bytes in the archive.
    pub(super) fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    pub(super) fn codec(&self) -> Result<Codec, PackedError> {
        match CompressionMethod::new(self.method) {
            _ if self.is_encrypted => Err(PackedError::Method("encryption".to_owned())),
            CompressionMethod::STORE => Ok(Codec::Stored),
            CompressionMethod::DEFLATE => Ok(Codec::Deflate { sum: self.sum }),
            other => Err(PackedError::Method(format!("compression method {other}"))),
        }
    }

    fn is_pgn(&self) -> bool {
        let extension = self.name.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
    }
}

/// True for the first bytes of an archive with members.
pub(super) fn is_archive(input: &Input) -> bool {
    input.array(0) == Some(MEMBER)
}

/// The PGN files of a zip archive in the order of their offsets, without members that overlap others. If the
/// directory is missing because the archive was cut, only files whose headers can be found.
pub fn zip_members(bytes: &Arc<dyn Bytes>) -> Vec<ZipMember> {
    let input = Input::new(Arc::clone(bytes));
    let mut members = directory(&input).unwrap_or_else(|| headers(&input));
    members.sort_by_key(|member| (member.range.start, member.range.end));
    let mut after = 0;
    members.retain(|member| {
        let is_apart = member.range.start >= after;
        after = after.max(member.range.end);
        is_apart && member.is_pgn()
    });
    members
}

/// The members that the directory lists; `None` if there is no directory.
fn directory(input: &Input) -> Option<Vec<ZipMember>> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let located = ZipLocator::new().locate_in_reader(input, &mut buffer, input.len());
    let archive = located.ok()?;
    let mut found = Vec::new();
    let mut entries = archive.entries(&mut buffer);
    while let Ok(Some(entry)) = entries.next_entry() {
        let path = entry.file_path();
        let method = entry.compression_method().as_u16();
        let is_encrypted = entry.flags().is_encrypted();
        let name = utf8_lossy(path.as_bytes());
        found.push((name, method, is_encrypted, entry.crc32(), entry.wayfinder()));
        if found.len() == MOST_MEMBERS {
            break;
        }
    }
    let member = |(name, method, is_encrypted, sum, entry)| {
        let (start, end) = archive.get_entry(entry).ok()?.compressed_data_range();
        Some(ZipMember {
            name,
            method,
            is_encrypted,
            range: start..end.min(input.len()),
            sum: Some(sum),
        })
    };
    Some(found.into_iter().filter_map(member).collect())
}

/// The members from the beginning on, as long as each header contains the member's length.
fn headers(input: &Input) -> Vec<ZipMember> {
    let (mut at, mut members) = (0, Vec::new());
    while members.len() < MOST_MEMBERS
        && let Some((member, next)) = header(input, at)
    {
        members.push(member);
        let Some(next) = next else { break };
        at = next;
    }
    members
}

/// The member with the header at `at`, and the offset of the next one if it is known.
fn header(input: &Input, at: u64) -> Option<(ZipMember, Option<u64>)> {
    let header: [u8; HEADER] = input.array(at)?;
    let [flags, method, name, more] = [6, 8, 26, 28].map(|field| le_u16(&header, field));
    let [flags, name, more] = [flags?, name?, more?];
    let [sum, packed] = [14, 18].map(|field| le_u32(&header, field));
    let packed = packed?;
    let text = at + HEADER as u64;
    let start = text + u64::from(name) + u64::from(more);
    // In the extension for large files, all bits set mean that the size is stored elsewhere.
    let is_known = flags & 8 == 0 && packed != u32::MAX;
    let end = is_known.then_some(start + u64::from(packed));
    let mut name = vec![0; name.into()];
    input.copy(text, &mut name);
    let member = ZipMember {
        name: utf8_lossy(&name),
        method: method?,
        is_encrypted: flags & 1 != 0,
        range: start..end.unwrap_or(u64::MAX).min(input.len()).max(start),
        sum: is_known.then_some(sum?),
    };
    header.starts_with(&MEMBER).then_some((member, end))
}

impl ReaderAt for Input {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(self.copy(offset, buffer))
    }
}
