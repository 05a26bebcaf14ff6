//! Paths in addresses: names of the tree, percent-encoded.

use std::fmt::Write;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters of a name that are encoded: all but letters, digits, and signs without a meaning in addresses.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The names of a path in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TreePath {
    pub(super) names: Vec<String>,
    /// True if the address ends with a slash.
    pub(super) is_directory: bool,
}

impl TreePath {
    /// Reads the part of an address after `/files`. `None` if it cannot be a path of the tree, because it has `..`, an
    /// empty name, a NUL, a backslash, an encoded slash, or bytes that are not UTF-8.
    pub(super) fn read(address: &str) -> Option<TreePath> {
        let is_directory = address.ends_with('/');
        let address = address.strip_suffix('/').unwrap_or(address);
        let names = match address.strip_prefix('/') {
            Some(names) => names.split('/').map(name).collect::<Option<Vec<String>>>()?,
            None if address.is_empty() => Vec::new(),
            None => return None,
        };
        Some(TreePath { names, is_directory })
    }

    /// The path in the form that the library takes.
    pub(super) fn in_tree(&self) -> String {
        self.names.join("/")
    }

    /// The path of its directory.
    pub(super) fn parent(&self) -> TreePath {
        let names = self.names.split_last().map_or(&[][..], |(_, names)| names);
        TreePath {
            names: names.to_vec(),
            is_directory: true,
        }
    }

    /// The path of a link's target; this path is the link.
    pub(super) fn linked(&self, target: &str) -> TreePath {
        let mut path = self.parent();
        for name in target.split('/') {
            match name {
                "" | "." => {}
                ".." => drop(path.names.pop()),
                name => path.names.push(name.to_owned()),
            }
        }
        path
    }

    /// Its address below the root of the server.
    pub(super) fn address(&self) -> String {
        let mut address = "/files".to_owned();
        for name in &self.names {
            let _ = write!(address, "/{}", encoded(name));
        }
        if self.is_directory {
            address.push('/');
        }
        address
    }
}

/// A name, encoded for an address.
pub(super) fn encoded(name: &str) -> impl std::fmt::Display {
    utf8_percent_encode(name, ENCODED)
}

fn name(part: &str) -> Option<String> {
    // Browsers treat a backslash as a slash. A real backslash, as in the name of a search, is encoded.
    if part.contains('\\') {
        return None;
    }
    let name = percent_decode_str(part).decode_utf8().ok()?;
    let is_name = !matches!(&*name, "" | "." | "..") && !name.contains(['/', '\0']);
    is_name.then(|| name.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decoded_once() {
        let path = TreePath::read("/a%20b/%C3%BC%2525%5C.pgn").unwrap();
        assert_eq!(path.names, ["a b", "ü%25\\.pgn"]);
        assert!(!path.is_directory);
        assert_eq!(path.address(), "/files/a%20b/%C3%BC%2525%5C.pgn");
        assert_eq!(TreePath::read(&path.address()["/files".len()..]), Some(path));
    }

    #[test]
    fn nothing_outside_the_tree_has_a_path() {
        for address in [
            "/..",
            "/a/..",
            "/a/../b",
            "/%2e%2e",
            "/a/%2E%2E/b",
            "/.",
            "/a//b",
            "///",
            "/a%2fb",
            "/a%2Fb",
            "/a\\b",
            "/%00",
            "/a%00b",
            "/%ff",
            "/%c3",
        ] {
            assert_eq!(TreePath::read(address), None, "{address}");
        }
        let root = ["", "/"].map(|address| TreePath::read(address).unwrap());
        assert_eq!(
            root.map(|path| (path.names.len(), path.is_directory)),
            [(0, false), (0, true)]
        );
        assert_eq!(TreePath::read("x"), None);
        assert_eq!(TreePath::read("/...").unwrap().names, ["..."]);
    }

    #[test]
    fn links_lead_from_the_directory_that_holds_them() {
        let path = TreePath::read("/a/positions/link").unwrap();
        assert_eq!(path.linked("../search/x").in_tree(), "a/search/x");
        assert_eq!(path.linked("../../../..").in_tree(), "");
        assert_eq!(path.linked("2").in_tree(), "a/positions/2");
    }
}
