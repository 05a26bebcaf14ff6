//! WebDAV, class 1 and read-only: `OPTIONS` and `PROPFIND` (RFC 4918, sections 9.1 and 10.1).
//!
//! Every file has its length, because clients would take a missing length for 0. Links are not listed, because WebDAV
//! does not have them.

use std::collections::VecDeque;
use std::fmt::Write;
use std::io;
use std::ops::RangeInclusive;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use pgnfs_server::{Attributes, Detail, Entry, Kind};
use quick_xml::escape::unescape;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;
use tokio::time::timeout;

use super::content::media_type;
use super::file::modified;
use super::listing::FIRST;
use super::request::TreeRequest;
use crate::serve::answer::{HttpError, ask};
use crate::serve::html::escaped;
use crate::serve::path::TreePath;

/// Maximum length of a request's body in bytes.
const LONGEST_BODY: usize = 16 << 10;

/// Maximum number of properties that a request may name.
const MOST_PROPERTIES: usize = 64;

/// The name spaces of `xml:` and of name space declarations, which elements may not have.
const OF_XML: &str = "http://www.w3.org/XML/1998/namespace";
const OF_DECLARATIONS: &str = "http://www.w3.org/2000/xmlns/";

/// The properties of files and folders, and properties that only files have.
const PROPERTIES: &[&str] = &["displayname", "resourcetype", "getlastmodified", "supportedlock"];
const OF_FILES: &[&str] = &["getcontentlength", "getcontenttype"];

/// The answer to `OPTIONS` where these methods are allowed.
pub(super) fn options(allowed: HeaderValue) -> Response {
    let headers = [
        (header::ALLOW, allowed),
        (
            header::HeaderName::from_static("dav"),
            HeaderValue::from_static("1"),
        ),
        (
            header::HeaderName::from_static("ms-author-via"),
            HeaderValue::from_static("DAV"),
        ),
    ];
    (StatusCode::OK, headers).into_response()
}

/// The properties that a request wants.
#[derive(Debug, PartialEq, Eq)]
enum WantedProperties {
    All,
    Names,
    /// These properties: name and name space.
    These(Vec<(String, String)>),
}

impl TreeRequest {
    pub(super) async fn properties(self, body: Body) -> Result<Response, HttpError> {
        let body = timeout(self.visit.limits.body, to_bytes(body, LONGEST_BODY)).await;
        let body = body.map_err(|_| HttpError::Status(StatusCode::REQUEST_TIMEOUT))?;
        let body = body.map_err(|_| HttpError::Status(StatusCode::PAYLOAD_TOO_LARGE))?;
        let wanted =
            wanted(&body).ok_or_else(|| HttpError::Bad("not a request for properties".to_owned()))?;
        let depth = self.headers.get("depth").map(|depth| depth.as_bytes());
        let lists = match depth {
            Some(b"0") => false,
            Some(b"1") => true,
            // A missing depth means infinity, too.
            _ => return Ok(refused_depth()),
        };
        let (path, found) = self.without_links(&self.path).await?;
        if found.kind == Kind::File && self.path.is_directory {
            return Err(pgnfs_server::FsError::NotFound.into());
        }
        let mut first =
            String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<multistatus xmlns=\"DAV:\">\n");
        append(&mut first, &wanted, &path, &found);
        let directory = (lists && found.kind == Kind::Directory).then_some(found);
        let children = Children {
            request: self,
            wanted,
            path,
            directory,
            from: FIRST,
            entries: VecDeque::new(),
        };
        let body = stream::try_unfold((Some(first), Some(children)), |(first, children)| async move {
            match (first, children) {
                (Some(first), children) => Ok::<_, io::Error>(Some((Bytes::from(first), (None, children)))),
                (None, None) => Ok(None),
                (None, Some(mut children)) => match children.next().await? {
                    Some(some) => Ok(Some((some.into(), (None, Some(children))))),
                    None => Ok(Some(("</multistatus>\n".into(), (None, None)))),
                },
            }
        });
        let media = [(header::CONTENT_TYPE, "application/xml; charset=utf-8")];
        Ok((StatusCode::MULTI_STATUS, media, Body::from_stream(body)).into_response())
    }
}

/// The entries of a directory, sent as they are found.
struct Children {
    request: TreeRequest,
    wanted: WantedProperties,
    path: TreePath,
    directory: Option<Attributes>,
    from: u64,
    entries: VecDeque<Entry<'static>>,
}

/// Number of entries that are answered together.
const TOGETHER: usize = 64;

impl Children {
    /// The answers for some more entries; `None` at the end.
    async fn next(&mut self) -> io::Result<Option<String>> {
        if self.entries.is_empty() {
            let Some(directory) = self.directory else {
                return Ok(None);
            };
            let page = self.request.page(directory.inode, self.from, Detail::Bare).await;
            let page = page.map_err(io::Error::other)?;
            self.entries = page.entries.into();
            match page.next {
                Some(next) => self.from = next,
                None => self.directory = None,
            }
        }
        let mut text = String::new();
        for _ in 0..TOGETHER {
            let Some(listed) = self.entries.pop_front() else {
                break;
            };
            if listed.kind == Kind::Link {
                continue;
            }
            let visit = self.request.visit;
            let found = ask(visit, |answer| {
                self.request
                    .requests
                    .attributes(visit.visitor, listed.inode, answer)
            })
            .await;
            let found = found.map_err(io::Error::other)?;
            let mut path = self.path.clone();
            path.names.push(listed.name.into_owned());
            path.is_directory = listed.kind == Kind::Directory;
            append(&mut text, &self.wanted, &path, &found);
        }
        Ok(Some(text))
    }
}

/// Appends the wanted properties of a file or directory.
fn append(xml: &mut String, wanted: &WantedProperties, path: &TreePath, found: &Attributes) {
    let is_file = found.kind == Kind::File;
    let of_files = OF_FILES.iter().filter(|_| is_file);
    let own = PROPERTIES.iter().chain(of_files).copied();
    let (mut known, mut unknown) = (String::new(), String::new());
    match wanted {
        WantedProperties::All => own.for_each(|name| append_property(&mut known, name, path, found)),
        WantedProperties::Names => own.for_each(|name| _ = write!(known, "<{name}/>")),
        WantedProperties::These(names) => {
            for (space, name) in names {
                if space == "DAV:" && own.clone().any(|own| own == name) {
                    append_property(&mut known, name, path, found);
                } else {
                    let _ = match &**space {
                        // This name space may only have the prefix `xml`.
                        OF_XML => write!(unknown, "<xml:{name}/>"),
                        space => write!(unknown, "<{name} xmlns=\"{}\"/>", escaped(space)),
                    };
                }
            }
        }
    }
    let _ = write!(xml, "<response><href>{}</href>", path.address());
    for (properties, status) in [(known, "200 OK"), (unknown, "404 Not Found")] {
        if !properties.is_empty() {
            let _ = write!(
                xml,
                "<propstat><prop>{properties}</prop><status>HTTP/1.1 {status}</status></propstat>"
            );
        }
    }
    xml.push_str("</response>\n");
}

fn append_property(xml: &mut String, name: &str, path: &TreePath, found: &Attributes) {
    let last = path.names.last().map_or("", String::as_str);
    let value = match name {
        "displayname" => escaped(last).into_owned(),
        "resourcetype" if found.kind == Kind::Directory => "<collection/>".to_owned(),
        "getlastmodified" => httpdate::fmt_http_date(modified(found)),
        "getcontentlength" => found.size.to_string(),
        "getcontenttype" => media_type(last).to_owned(),
        _ => String::new(),
    };
    let _ = write!(xml, "<{name}>{value}</{name}>");
}

fn refused_depth() -> Response {
    let body = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<error \
                xmlns=\"DAV:\"><propfind-finite-depth/></error>\n";
    let media = [(header::CONTENT_TYPE, "application/xml; charset=utf-8")];
    (StatusCode::FORBIDDEN, media, body).into_response()
}

/// The characters that a name may start with (XML 1.0, fifth edition, section 2.3), without the colon after a prefix.
const BEGIN: [RangeInclusive<char>; 15] = [
    'A'..='Z',
    '_'..='_',
    'a'..='z',
    '\u{c0}'..='\u{d6}',
    '\u{d8}'..='\u{f6}',
    '\u{f8}'..='\u{2ff}',
    '\u{370}'..='\u{37d}',
    '\u{37f}'..='\u{1fff}',
    '\u{200c}'..='\u{200d}',
    '\u{2070}'..='\u{218f}',
    '\u{2c00}'..='\u{2fef}',
    '\u{3001}'..='\u{d7ff}',
    '\u{f900}'..='\u{fdcf}',
    '\u{fdf0}'..='\u{fffd}',
    '\u{10000}'..='\u{effff}',
];

/// Characters that may follow, in addition to [`BEGIN`].
const FOLLOW: [RangeInclusive<char>; 5] = [
    '-'..='.',
    '0'..='9',
    '\u{b7}'..='\u{b7}',
    '\u{300}'..='\u{36f}',
    '\u{203f}'..='\u{2040}',
];

/// True for a name without a prefix that XML allows.
fn is_name(name: &str) -> bool {
    let may_begin = |c: char| BEGIN.iter().any(|range| range.contains(&c));
    let may_follow = |c: char| may_begin(c) || FOLLOW.iter().any(|range| range.contains(&c));
    name.starts_with(may_begin) && name.chars().all(may_follow)
}

/// Reads the body of a request. `None` if it is invalid, or has a DTD.
fn wanted(body: &[u8]) -> Option<WantedProperties> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Some(WantedProperties::All);
    }
    let mut reader = NsReader::from_reader(body);
    reader.config_mut().expand_empty_elements = true;
    let (mut depth, mut wanted) = (0, None);
    loop {
        let (space, event) = reader.read_resolved_event().ok()?;
        match event {
            Event::Start(element) => {
                let space = match space {
                    ResolveResult::Bound(space) => unescape(space.as_ref()).ok()?.into_owned(),
                    ResolveResult::Unbound => String::new(),
                    ResolveResult::Unknown(_) => return None,
                };
                let name = element.local_name().into_inner().to_owned();
                if space == OF_DECLARATIONS || !is_name(&name) {
                    return None;
                }
                depth += 1;
                match (depth, &*space, &*name, &mut wanted) {
                    (1, "DAV:", "propfind", None) => {}
                    (1, ..) => return None,
                    (2, "DAV:", "allprop", None) => wanted = Some(WantedProperties::All),
                    (2, "DAV:", "propname", None) => wanted = Some(WantedProperties::Names),
                    (2, "DAV:", "prop", None) => wanted = Some(WantedProperties::These(Vec::new())),
                    (3, _, _, Some(WantedProperties::These(names))) => {
                        if names.len() == MOST_PROPERTIES {
                            return None;
                        }
                        names.push((space, name));
                    }
                    _ => {}
                }
            }
            Event::End(_) => depth -= 1,
            Event::DocType(_) | Event::GeneralRef(_) => return None,
            Event::Eof => return wanted.filter(|_| depth == 0),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_name_properties() {
        let these = |names: &[(&str, &str)]| {
            let names = names
                .iter()
                .map(|(space, name)| ((*space).to_owned(), (*name).to_owned()));
            Some(WantedProperties::These(names.collect()))
        };
        assert_eq!(wanted(b""), Some(WantedProperties::All));
        assert_eq!(
            wanted(b"<propfind xmlns='DAV:'><allprop/></propfind>"),
            Some(WantedProperties::All)
        );
        assert_eq!(
            wanted(b"<D:propfind xmlns:D='DAV:'><D:propname/></D:propfind>"),
            Some(WantedProperties::Names)
        );
        // The request of macOS Finder.
        let finder = b"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:propfind xmlns:D=\"DAV:\">\n<D:prop>\n\
            <D:getlastmodified/>\n<D:quota-used-bytes/></D:prop></D:propfind>";
        assert_eq!(
            wanted(finder),
            these(&[("DAV:", "getlastmodified"), ("DAV:", "quota-used-bytes")])
        );
        let other = b"<d:propfind xmlns:d='DAV:' xmlns:s='urn:x'><d:prop><s:y>z</s:y></d:prop></d:propfind>";
        assert_eq!(wanted(other), these(&[("urn:x", "y")]));
        let escaped =
            b"<propfind xmlns='DAV:'><prop><x xmlns='urn:a&amp;b&#38;&lt;'/><xml:lang/></prop></propfind>";
        assert_eq!(wanted(escaped), these(&[("urn:a&b&<", "x"), (OF_XML, "lang")]));
    }

    /// Each requested property is in the answer, under its own name.
    #[test]
    fn an_answer_is_well_formed_whatever_is_asked() {
        let found = Attributes {
            inode: pgnfs_server::Inode::ROOT,
            kind: Kind::Directory,
            size: 0,
            blocks: 0,
            modified: (0, 0),
            changed: (0, 0),
            links: 2,
        };
        let path = TreePath::read("/").unwrap();
        for property in [
            "<xml:lang/>",
            "<x xmlns='urn:a&amp;b'/>",
            "<x xmlns='urn:&lt;&quot;&apos;&gt;'/>",
            "<x xmlns=''/>",
            "<D:x xmlns:D='urn:ab'/>",
            "<\u{e4}-1.\u{b7} xmlns='urn:ab'/>",
            "<displayname/>",
        ] {
            let body = format!("<propfind xmlns='DAV:'><prop>{property}</prop></propfind>");
            let asked = wanted(body.as_bytes()).unwrap_or_else(|| panic!("{property}"));
            let mut xml = String::new();
            append(&mut xml, &asked, &path, &found);
            let answered = xml.replace("<response><href>/files/</href><propstat>", "");
            let end = answered.find("<status>").unwrap();
            let again = format!("<propfind xmlns='DAV:'>{}</propfind>", &answered[..end]);
            assert_eq!(wanted(again.as_bytes()), Some(asked), "{property}: {xml}");
        }
    }

    #[test]
    fn wrong_requests_are_refused() {
        for body in [
            "x",
            "<a/>",
            "<propfind/>",
            "<propfind xmlns='DAV:'>",
            "<propfind xmlns='DAV:'></x>",
            "<!DOCTYPE propfind [<!ENTITY a 'b'>]><propfind xmlns='DAV:'><allprop/></propfind>",
            "<x:propfind xmlns='DAV:'><allprop/></x:propfind>",
            "<propfind xmlns='DAV:'><prop><xmlns:x/></prop></propfind>",
            "<propfind xmlns='DAV:'><prop><a\"b/></prop></propfind>",
            "<propfind xmlns='DAV:'><prop><1/></prop></propfind>",
            "<propfind xmlns='DAV:'><prop><x xmlns='&a;'/></prop></propfind>",
        ] {
            assert_eq!(wanted(body.as_bytes()), None, "{body}");
        }
        let with = |number| {
            let names = "<x/>".repeat(number);
            wanted(format!("<propfind xmlns='DAV:'><prop>{names}</prop></propfind>").as_bytes())
        };
        assert!(with(MOST_PROPERTIES).is_some());
        assert_eq!(with(MOST_PROPERTIES + 1), None);
    }

    /// The borders of the ranges in the standard, and letters and digits that they do not have.
    #[test]
    fn names_are_those_of_xml() {
        for begin in [
            "a",
            "Z",
            "_",
            "\u{e4}",
            "\u{2ff}",
            "\u{37f}",
            "\u{1fff}",
            "\u{2070}",
            "\u{effff}",
        ] {
            assert!(
                is_name(begin) && is_name(&format!("{begin}-.9\u{b7}\u{300}\u{2040}")),
                "{begin:?}"
            );
        }
        for other in [
            "",
            "-",
            "9",
            "\u{b7}",
            "\u{300}",
            "\u{2040}",
            "\u{aa}",
            "\u{d7}",
            "\u{b2}",
            "\u{37e}",
            "\u{2c00}\u{2ff0}",
        ] {
            assert!(!is_name(other), "{other:?}");
        }
        for wrong in [
            "\u{aa}", "\u{b2}", "\u{bd}", "\u{2000}", "\u{3000}", "\u{fffe}", ":", " ", "\"",
        ] {
            assert!(!is_name(&format!("a{wrong}")), "{wrong:?}");
        }
    }
}
