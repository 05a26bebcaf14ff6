//! Directories for browsers and scripts, in pages.

use std::ops::ControlFlow;

use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use pgnfs_server::{Attributes, Detail, Entry, FsError, Inode, Kind, Requests, Visitor};
use serde_json::json;

use super::file::modified;
use super::request::TreeRequest;
use crate::serve::answer::{AnswerSender, HttpError, ask};
use crate::serve::html::escaped;
use crate::serve::path::encoded;

/// Entries of a page.
const PAGE: usize = 1000;

/// Offset of the first entry after `.` and `..`.
pub(super) const FIRST: u64 = 2;

/// Some entries of a directory, and the offset of the next ones; `None` at its end.
pub(super) struct ListingPage {
    pub(super) entries: Vec<Entry<'static>>,
    pub(super) next: Option<u64>,
}

impl TreeRequest {
    pub(super) async fn listing(&self, directory: &Attributes) -> Result<Response, HttpError> {
        let from = self.query.split('&').find_map(|part| part.strip_prefix("from="));
        let from = from.map(|from| {
            from.parse()
                .map_err(|_| HttpError::Bad("from: not a number".to_owned()))
        });
        let from = from.transpose()?.unwrap_or(FIRST).max(FIRST);
        let page = self.page(directory.inode, from, Detail::WithAttributes).await?;
        let accepts = self
            .headers
            .get(header::ACCEPT)
            .and_then(|value| value.to_str().ok());
        let mut response = if accepts.is_some_and(|accepts| accepts.contains("application/json")) {
            listed(&page)
        } else {
            self.html(&page, from).await.into_response()
        };
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(header::VARY, HeaderValue::from_static("Accept"));
        Ok(response)
    }

    /// Entries of a directory from an offset.
    pub(super) async fn page(
        &self,
        directory: Inode,
        from: u64,
        detail: Detail,
    ) -> Result<ListingPage, FsError> {
        ask(self.visit, |answer| {
            let visitor = PageVisitor {
                requests: self.requests.clone(),
                page: ListingPage {
                    entries: Vec::new(),
                    next: None,
                },
                last: from,
                answer,
            };
            self.requests
                .list(self.visit.visitor, directory, from, detail, visitor)
        })
        .await
    }

    async fn html(&self, page: &ListingPage, from: u64) -> Html<String> {
        let title = match self.path.in_tree() {
            path if path.is_empty() => "/".to_owned(),
            path => format!("/{path}/"),
        };
        let title = escaped(&title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<link rel=\"icon\" href=\"/board/icon.svg\">\n<link rel=\"stylesheet\" \
             href=\"/listing.css\">\n<main>\n<h1>{title}</h1>\n<table>\n"
        );
        if !self.path.names.is_empty() {
            html += "<tr><td><a href=\"../\">..</a><td>-<td>\n";
        }
        let mut shown: Vec<&Entry<'_>> = page.entries.iter().collect();
        shown.sort_by_cached_key(|listed| (listed.kind != Kind::Directory, listed.name.to_lowercase()));
        for listed in shown {
            html += &self.row(listed).await;
        }
        html += "</table>\n";
        if from > FIRST || page.next.is_some() {
            html += &format!("<p>Sorted within each page of {PAGE} entries, not across pages.\n");
        }
        if from > FIRST {
            html += "<a href=\"?\">first</a>\n";
        }
        if let Some(next) = page.next {
            html += &format!("<a href=\"?from={next}\" rel=\"next\">next</a>\n");
        }
        html += "</main>\n";
        Html(html)
    }

    async fn row(&self, listed: &Entry<'_>) -> String {
        let slash = if listed.kind == Kind::Directory { "/" } else { "" };
        let link = match listed.kind {
            // The address of a link is its target, not a path below this page, so that clients that walk down do not
            // follow it.
            Kind::Link => {
                match ask(self.visit, |answer| {
                    self.requests.target(self.visit.visitor, listed.inode, answer)
                })
                .await
                {
                    Ok(target) => {
                        let mut link = self.path.clone();
                        link.names.push(listed.name.to_string());
                        link.linked(&target).address()
                    }
                    Err(_) => String::new(),
                }
            }
            _ => format!("./{}{slash}", encoded(&listed.name)),
        };
        let name = escaped(&listed.name);
        let size = size(listed).map_or("-".to_owned(), |size| size.to_string());
        let time = listed
            .attributes
            .as_ref()
            .map_or(String::new(), |found| httpdate::fmt_http_date(modified(found)));
        format!("<tr><td><a href=\"{link}\">{name}{slash}</a><td>{size}<td>{time}\n")
    }
}

/// The size of a file, if it is known.
fn size(listed: &Entry<'_>) -> Option<u64> {
    let found = listed.attributes.as_ref()?;
    (found.kind == Kind::File).then_some(found.size)
}

fn listed(page: &ListingPage) -> Response {
    let entries = page.entries.iter().map(|listed| {
        let kind = match listed.kind {
            Kind::Directory => "directory",
            Kind::File => "file",
            Kind::Link => "link",
        };
        let time = listed.attributes.as_ref();
        let time = time.map(|found| httpdate::fmt_http_date(modified(found)));
        json!({ "name": listed.name, "type": kind, "size": size(listed), "mtime": time })
    });
    let listing = json!({ "entries": entries.collect::<Vec<_>>(), "next": page.next });
    axum::Json(listing).into_response()
}

/// Collects a page.
struct PageVisitor {
    requests: Requests,
    page: ListingPage,
    last: u64,
    answer: AnswerSender<ListingPage>,
}

impl Visitor for PageVisitor {
    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()> {
        if self.page.entries.len() == PAGE {
            self.page.next = Some(self.last);
            return ControlFlow::Break(());
        }
        self.last = entry.next;
        if !entry.is_dots() {
            self.page.entries.push(Entry {
                name: entry.name.to_string().into(),
                inode: entry.inode,
                kind: entry.kind,
                next: entry.next,
                attributes: entry.attributes,
            });
        }
        ControlFlow::Continue(())
    }
}

impl pgnfs_server::Reply<Vec<Inode>> for PageVisitor {
    fn send(self, end: Result<Vec<Inode>, FsError>) {
        let page = end.map(|gone| {
            // The listing took a reference to each entry with attributes. A page needs none of them.
            let with_attributes = self
                .page
                .entries
                .iter()
                .filter(|listed| listed.attributes.is_some());
            for listed in with_attributes.filter(|listed| !gone.contains(&listed.inode)) {
                self.requests.release(listed.inode, 1);
            }
            self.page
        });
        (self.answer)(page);
    }
}
