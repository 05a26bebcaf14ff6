//! `.jose` archives: tar, usually with gzip, unpacked with a limit on memory (section 9).

use std::io::{ErrorKind, Read};
use std::sync::Arc;

use flate2::read::GzDecoder;

use super::find::kind_of;
use super::tar::{BLOCK, Member, is_header};
use crate::database::NotADatabase;
use crate::files::{Files, SourceFile};
use crate::packed::Allowance;
use crate::problem::Remedy;

/// Number of bytes kept of a `.MYI`, whose header is never longer.
const MYI_HEADER: usize = 1 << 16;
/// Number of bytes kept of a `.frm`: one more than may be read, to notice that it is too long.
const LONGEST_FRM: usize = (1 << 20) + 1;

/// Archives of other kinds, by their first bytes.
const OTHERS: [(&[u8], &str); 4] = [
    (b"Rar!", "a RAR archive"),
    (b"BZh", "a bzip2 archive, which is not supported"),
    (b"PK", "a zip archive, which is not supported"),
    (
        b"h",
        "a bzip2 archive, which is not supported, without BZ at its beginning",
    ),
];

/// Unpacks the tables of an archive.
pub(super) fn unpack(archive: &SourceFile) -> Result<Files, NotADatabase> {
    let bytes: &[u8] = &archive.bytes;
    let refuse = |reason| Err(NotADatabase::new(reason));
    let allowance = Allowance::in_memory(archive.data_len() as u64);
    match bytes {
        [] => refuse("the file is empty"),
        [0x1f, 0x8b, ..] => members(GzDecoder::new(bytes), archive, allowance),
        [b'h', b'0' | b':'..] => refuse("the archive is neither gzip nor tar"),
        _ if is_header(bytes) => members(bytes, archive, allowance),
        _ => match OTHERS.iter().find(|(start, _)| bytes.starts_with(start)) {
            Some((_, kind)) => Err(NotADatabase::new(*kind).with_remedy(Remedy::Unpack)),
            None => refuse("the archive is neither gzip nor tar"),
        },
    }
}

/// The tables among the members of a tar stream.
fn members(stream: impl Read, archive: &SourceFile, left: Allowance) -> Result<Files, NotADatabase> {
    let mut stream = Stream {
        stream,
        archive,
        left,
        damage: None,
    };
    let archive = &archive.name;
    let mut files = Files::default();
    let mut is_first = true;
    loop {
        let mut header = Vec::with_capacity(BLOCK);
        let len = stream.read(BLOCK as u64, BLOCK, &mut header)?;
        if header.iter().all(|&byte| byte == 0) && (len == BLOCK as u64 || !is_first) {
            break;
        }
        let Some(member) = Member::read(&header) else {
            if is_first {
                return Err(NotADatabase::new("there is no tar archive in the file"));
            }
            files
                .warnings
                .push(format!("{archive} cannot be read after a member: it is damaged"));
            break;
        };
        is_first = false;
        let kind = member.name.as_deref().and_then(kind_of);
        let kind = kind.filter(|kind| files.get(kind).is_none());
        let keep = match &kind {
            None => 0,
            Some(kind) if kind.ends_with(".myi") => MYI_HEADER,
            Some(kind) if kind.ends_with(".frm") => LONGEST_FRM,
            Some(_) => usize::MAX,
        };
        let mut contents = Vec::new();
        let len = stream.read(member.size, keep, &mut contents)?;
        if let (Some(kind), Some(name)) = (kind, &member.name) {
            if len < member.size {
                files.warnings.push(format!("{archive} ends inside {name}"));
            }
            contents.shrink_to_fit();
            let file = SourceFile {
                name: format!("{archive}: {name}"),
                bytes: Arc::new(contents),
            };
            files.files.push((kind, file));
        }
        if len < member.size {
            break;
        }
        let padding = (BLOCK as u64 - member.size % BLOCK as u64) % BLOCK as u64;
        stream.read(padding, 0, &mut Vec::new())?;
    }
    if let Some(damage) = stream.damage {
        files.warnings.push(format!(
            "{archive} is damaged or cut, what could be unpacked is shown: {damage}"
        ));
    }
    Ok(files)
}

/// A stream of unpacked bytes with a limit.
struct Stream<'a, R> {
    stream: R,
    /// The archive that the bytes come from.
    archive: &'a SourceFile,
    left: Allowance,
    damage: Option<String>,
}

impl<R: Read> Stream<'_, R> {
    /// Reads up to `len` bytes, fewer at the end, and keeps the first `keep` of them. Returns the number of
    /// bytes read.
    fn read(&mut self, len: u64, keep: usize, kept: &mut Vec<u8>) -> Result<u64, NotADatabase> {
        let mut buffer = [0; 1 << 14];
        let mut done = 0;
        while done < len && self.damage.is_none() && !self.archive.bytes.is_lost() {
            let want = usize::try_from(len - done)
                .unwrap_or(usize::MAX)
                .min(buffer.len());
            let got = match self.stream.read(buffer.get_mut(..want).unwrap_or_default()) {
                Ok(0) => break,
                Ok(got) => got,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.damage = Some(error.to_string());
                    break;
                }
            };
            self.left.take(got as u64)?;
            let room = keep.saturating_sub(kept.len()).min(got);
            kept.extend_from_slice(buffer.get(..room).unwrap_or_default());
            done += got as u64;
        }
        Ok(done)
    }
}
