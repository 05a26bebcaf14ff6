//! `GET` of a file: whole, in ranges, or only if it has changed.

use std::ops::Range;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use headers::{
    ContentRange, ETag, HeaderMapExt, IfMatch, IfModifiedSince, IfNoneMatch, IfUnmodifiedSince, LastModified,
};
use pgnfs_server::{Attributes, FsError, OpenFile};

use super::content::{body, media_type, pieces};
use super::request::TreeRequest;
use crate::serve::answer::{HttpError, ask};

/// Maximum number of ranges that are sent. A request for more gets the whole file.
const MOST_RANGES: usize = 8;

/// The last second of the year 9999. HTTP dates have years of four digits (RFC 9110, section 5.6.7).
const LATEST: u64 = 253_402_300_799;

/// Separates ranges. It does not occur in games.
const BOUNDARY: &str = "pgnfs-4e6f7420612067616d65";

impl TreeRequest {
    pub(super) async fn file(&self, found: &Attributes, is_head: bool) -> Result<Response, HttpError> {
        let path = self.path.in_tree();
        let file = ask(self.visit, |answer| {
            self.requests.open(self.visit.visitor, &path, answer)
        })
        .await?;
        let modified = modified(found);
        let tag_text = format!("\"{:032x}\"", file.key());
        let tag = tag_text.parse::<ETag>().ok();
        let is_same = self.has_same(tag.as_ref(), modified);
        let mut response = if !self.may_have(tag.as_ref(), modified) {
            (StatusCode::PRECONDITION_FAILED, "the file has changed\n").into_response()
        } else if is_same {
            let mut response = StatusCode::NOT_MODIFIED.into_response();
            if is_head {
                // Without this header, hyper would announce an empty body.
                response
                    .headers_mut()
                    .insert(header::CONTENT_LENGTH, file.size().into());
            }
            response
        } else {
            // Ranges are defined for GET alone (section 14.2).
            let ranges = self.ranges(file.size(), &tag_text).filter(|_| !is_head);
            self.content(file, ranges, is_head).await?
        };
        let headers = response.headers_mut();
        tag.into_iter().for_each(|tag| headers.typed_insert(tag));
        headers.typed_insert(LastModified::from(modified));
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        // Makes a browser ask again each time, because the database may have changed.
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Ok(response)
    }

    /// False if the client asks for another state of the file.
    fn may_have(&self, tag: Option<&ETag>, modified: SystemTime) -> bool {
        if let (Some(wanted), Some(tag)) = (self.headers.typed_get::<IfMatch>(), tag) {
            return wanted.precondition_passes(tag);
        }
        let since = self.headers.typed_get::<IfUnmodifiedSince>();
        since.is_none_or(|since| since.precondition_passes(modified))
    }

    /// True if the client has this state of the file.
    fn has_same(&self, tag: Option<&ETag>, modified: SystemTime) -> bool {
        if let (Some(known), Some(tag)) = (self.headers.typed_get::<IfNoneMatch>(), tag) {
            return !known.precondition_passes(tag);
        }
        let since = self.headers.typed_get::<IfModifiedSince>();
        since.is_some_and(|since| !since.is_modified(modified))
    }

    /// The requested ranges; `None` for the whole file.
    fn ranges(&self, size: u64, tag: &str) -> Option<Vec<Range<u64>>> {
        let asked = self.headers.get(header::RANGE)?.to_str().ok()?;
        let mut conditions = self.headers.get_all(header::IF_RANGE).iter();
        // A date is no proof: two states of a file may be from the same second (RFC 9110, section 13.1.5).
        if !conditions.all(|condition| condition == tag) {
            return None;
        }
        read_ranges(asked, size)
    }

    async fn content(
        &self,
        file: OpenFile,
        ranges: Option<Vec<Range<u64>>>,
        is_head: bool,
    ) -> Result<Response, FsError> {
        let size = file.size();
        let media = media_type(self.path.names.last().map_or("", String::as_str));
        let visit = self.visit;
        let part = async |range: Range<u64>| {
            if is_head {
                Ok(Body::empty())
            } else {
                body(pieces(file.clone(), visit, range)).await
            }
        };
        Ok(match ranges.as_deref() {
            None => sent(StatusCode::OK, media, size, part(0..size).await?),
            Some([]) => {
                let what = format!("the file has {size} bytes\n");
                let mut response = (StatusCode::RANGE_NOT_SATISFIABLE, what).into_response();
                response
                    .headers_mut()
                    .typed_insert(ContentRange::unsatisfied_bytes(size));
                response
            }
            Some([range]) => {
                let len = range.end - range.start;
                let mut response = sent(
                    StatusCode::PARTIAL_CONTENT,
                    media,
                    len,
                    part(range.clone()).await?,
                );
                let content = ContentRange::bytes(range.clone(), size).ok();
                content
                    .into_iter()
                    .for_each(|content| response.headers_mut().typed_insert(content));
                response
            }
            Some(several) => {
                let head = |range: &Range<u64>| {
                    let last = range.end - 1;
                    format!(
                        "\r\n--{BOUNDARY}\r\nContent-Type: {media}\r\nContent-Range: bytes {}-{last}/{size}\r\n\r\n",
                        range.start
                    )
                };
                let end = format!("\r\n--{BOUNDARY}--\r\n");
                let lens = several
                    .iter()
                    .map(|range| head(range).len() as u64 + range.end - range.start);
                let len = lens.sum::<u64>() + end.len() as u64;
                let parts: Vec<_> = several
                    .iter()
                    .map(|range| {
                        // Sent with the first piece of each range, not on its own, so that the answer begins only when
                        // bytes of the file are available.
                        let mut head = Some(head(range));
                        let with_head = move |piece: Bytes| match head.take() {
                            Some(head) => [head.as_bytes(), &piece].concat().into(),
                            None => piece,
                        };
                        let pieces = pieces(file.clone(), visit, range.clone());
                        pieces.map_ok(with_head).boxed()
                    })
                    .collect();
                let all = stream::iter(parts)
                    .flatten()
                    .chain(stream::iter([Ok(end.into())]));
                let body = body(all).await?;
                let media = format!("multipart/byteranges; boundary={BOUNDARY}");
                sent(StatusCode::PARTIAL_CONTENT, &media, len, body)
            }
        })
    }
}

/// The ranges of a header that are inside a file of this size (RFC 9110, section 14.1.2). `None` if the header is
/// invalid, or has too many ranges.
fn read_ranges(text: &str, size: u64) -> Option<Vec<Range<u64>>> {
    let mut ranges = Vec::new();
    let (unit, list) = text.split_once('=')?;
    if !unit.eq_ignore_ascii_case("bytes") {
        return None;
    }
    // Empty elements of a list are ignored (section 5.6.1).
    let mut asked = list
        .split(',')
        .filter(|range| !range.trim().is_empty())
        .peekable();
    asked.peek()?;
    for range in asked {
        let (first, last) = range.trim().split_once('-')?;
        let range = match (first, last) {
            ("", len) => size.saturating_sub(position(len)?)..size,
            (first, "") => position(first)?..size,
            (first, last) => {
                let (first, last) = (position(first)?, position(last)?);
                if last < first {
                    return None;
                }
                first..last.saturating_add(1).min(size)
            }
        };
        if range.start < range.end {
            ranges.push(range);
        }
    }
    (ranges.len() <= MOST_RANGES).then_some(ranges)
}

/// A position or a length in a range, which has digits only (section 14.1.1): `parse` would accept a `+` as well.
fn position(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// A response with a body of `len` bytes.
fn sent(status: StatusCode, media: &str, len: u64, body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, media.to_owned()),
        (header::CONTENT_LENGTH, len.to_string()),
    ];
    (status, headers, body).into_response()
}

/// When a file was last changed. This is not the date of the game, which may be before 1970, as HTTP dates cannot be.
pub(super) fn modified(found: &Attributes) -> SystemTime {
    http_time(found.changed.0)
}

/// The nearest time to a number of seconds since 1970 that an HTTP date can express.
fn http_time(seconds: i64) -> SystemTime {
    let seconds = u64::try_from(seconds).unwrap_or(0).min(LATEST);
    UNIX_EPOCH + Duration::from_secs(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_beyond_http_dates_become_the_nearest_one() {
        for (seconds, date) in [
            (i64::MIN, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (253_402_300_798, "Fri, 31 Dec 9999 23:59:58 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (253_402_300_800, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (i64::MAX, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] {
            assert_eq!(httpdate::fmt_http_date(http_time(seconds)), date, "{seconds}");
        }
    }

    #[test]
    fn ranges_end_with_the_file() {
        for (text, ranges) in [
            ("bytes=0-18446744073709551615", Some(vec![(0, 10)])),
            ("bytes=0-18446744073709551614", Some(vec![(0, 10)])),
            ("bytes=0-9", Some(vec![(0, 10)])),
            ("bytes=0-8", Some(vec![(0, 9)])),
            ("bytes=9-10", Some(vec![(9, 10)])),
            ("bytes=10-11", Some(vec![])),
            ("bytes=-18446744073709551615", Some(vec![(0, 10)])),
            ("bytes=-0", Some(vec![])),
            ("bytes=0-18446744073709551616", None),
            ("bytes=+0-+5", None),
            ("bytes=0-+5", None),
            ("bytes=+0-", None),
            ("bytes=-+5", None),
        ] {
            let found = read_ranges(text, 10).map(|found| {
                let bounds = found.into_iter().map(|range| (range.start, range.end));
                bounds.collect::<Vec<_>>()
            });
            assert_eq!(found, ranges, "{text}");
        }
    }
}
