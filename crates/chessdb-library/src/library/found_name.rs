//! Names of files that are not UTF-8.
//!
//! In the library each byte beyond ASCII of such a name is a character for private use, so names are texts and differ
//! if their bytes do. Files are opened [by the bytes](on_disk), and people see them [as windows-1252](legible).

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use chessdb::files::Candidate;
use encoding_rs::WINDOWS_1252;

/// The characters for the bytes from 0x80 on are U+10FF80 to U+10FFFF.
const FIRST: u32 = 0x10_ff00;

/// The byte that a character represents.
fn byte_of(c: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(c).checked_sub(FIRST)?).ok()?;
    (!byte.is_ascii()).then_some(byte)
}

fn has_bytes(text: &str) -> bool {
    text.chars().any(|c| byte_of(c).is_some())
}

/// The library's name for a file with these bytes as its name on disk.
pub(super) fn found_name(name: &[u8]) -> String {
    match str::from_utf8(name) {
        Ok(text) if !has_bytes(text) => text.to_owned(),
        _ => {
            let private =
                |byte: u8| char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
            let of_byte = |&byte: &u8| {
                if byte.is_ascii() {
                    byte.into()
                } else {
                    private(byte)
                }
            };
            name.iter().map(of_byte).collect()
        }
    }
}

/// The bytes of a file's name on disk, from its name in the library.
pub(super) fn on_disk(name: &str) -> Cow<'_, OsStr> {
    if !has_bytes(name) {
        return Cow::Borrowed(OsStr::new(name));
    }
    let mut bytes = Vec::with_capacity(name.len());
    for c in name.chars() {
        match byte_of(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(OsString::from_vec(bytes))
}

/// A text with such names as people see it.
pub(super) fn legible(text: &str) -> Cow<'_, str> {
    if !has_bytes(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(byte) => shown += &WINDOWS_1252.decode_without_bom_handling(&[byte]).0,
            None => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// The name of the file at a path.
pub(super) fn file_name(path: &Path) -> String {
    found_name(path.file_name().unwrap_or_default().as_bytes())
}

/// The name of the file at a path as people see it, and as [`LibraryEntry::files`](super::LibraryEntry::files) has it.
pub fn legible_file_name(path: &Path) -> String {
    legible(&file_name(path)).into_owned()
}

/// A candidate that was found by its name, with the paths of its files on disk.
pub(super) fn with_paths(mut candidate: Candidate) -> Candidate {
    for (_, path) in &mut candidate.files {
        let name = path.file_name().and_then(OsStr::to_str);
        if let Some(name) = name.filter(|name| has_bytes(name)) {
            let name = on_disk(name).into_owned();
            path.set_file_name(name);
        }
    }
    candidate
}

/// The names on disk of those files of a candidate whose names are shown in another encoding.
pub(super) fn converted_names(candidate: &Candidate) -> impl Iterator<Item = &[u8]> {
    let names = candidate.files.iter().filter_map(|(_, path)| path.file_name());
    names
        .map(OsStr::as_bytes)
        .filter(|name| has_bytes(&found_name(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_to_its_bytes() {
        let mut names: Vec<Vec<u8>> = (1..=u8::MAX).map(|byte| vec![b'a', byte, b'b']).collect();
        // UTF-8 with a character that stands for a byte, and the same byte by itself.
        names.extend(["Mü.pgn".into(), b"M\xfc.pgn".to_vec(), "M\u{10fffc}.pgn".into()]);
        names.extend(["\u{10ff7f}".into(), "\u{10ff80}".into(), "\u{10ffff}".into()]);
        let found: Vec<String> = names.iter().map(|name| found_name(name)).collect();
        for (name, found) in names.iter().zip(&found) {
            assert_eq!(on_disk(found).as_bytes(), name, "{found:?}");
        }
        let distinct: std::collections::HashSet<&String> = found.iter().collect();
        assert_eq!(distinct.len(), names.len());
    }

    #[test]
    fn people_see_windows_1252() {
        for (name, shown) in [
            (&b"M\xfcller.pgn"[..], "Müller.pgn"),
            (b"\x80\x93x\x94.cbh", "€“x”.cbh"),
            ("Müller.pgn".as_bytes(), "Müller.pgn"),
            // Not UTF-8 as a whole.
            (b"\xc3\xbc\xff", "Ã¼ÿ"),
        ] {
            assert_eq!(legible(&found_name(name)), shown);
        }
    }
}
