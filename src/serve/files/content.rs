//! The bytes of an open file as a stream, and media types by file names.

use std::ops::Range;

use axum::body::Body;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use pgnfs_server::{Failure, FsError, OpenFile};

use crate::serve::answer::{Visit, ask};

/// Bytes read at a time. A download holds two of these pieces at most.
const PIECE: u32 = 256 << 10;

/// Media types by the ends of names.
const TYPES: &[(&str, &str)] = &[
    (".pgn", "application/x-chess-pgn; charset=utf-8"),
    (".csv", "text/csv; charset=utf-8"),
    (".ndjson", "application/x-ndjson"),
    (".parquet", "application/vnd.apache.parquet"),
    (".txt", "text/plain; charset=utf-8"),
    (".html", "text/html; charset=utf-8"),
];

/// The media type of a file.
pub(super) fn media_type(name: &str) -> &'static str {
    let known = TYPES.iter().find(|(end, _)| name.ends_with(end));
    known.map_or("application/octet-stream", |&(_, media)| media)
}

/// A body of pieces. The first piece is read before the answer starts, so that a source that does not answer gives an
/// error status.
pub(super) async fn body(
    pieces: impl Stream<Item = Result<Bytes, FsError>> + Send + 'static,
) -> Result<Body, FsError> {
    let mut pieces = pieces.boxed();
    let first = pieces.next().await.transpose()?;
    Ok(Body::from_stream(stream::iter(first.map(Ok)).chain(pieces)))
}

/// A range of the bytes of a file, read as fast as the client takes them.
pub(super) fn pieces(
    file: OpenFile,
    visit: Visit,
    range: Range<u64>,
) -> impl Stream<Item = Result<Bytes, FsError>> + Send + 'static {
    stream::try_unfold((file, range), move |(file, range)| async move {
        if range.is_empty() {
            return Ok(None);
        }
        let size = (range.end - range.start).min(PIECE.into()) as u32;
        let chunk = ask(visit, |answer| {
            file.read(visit.visitor, range.start, size, answer)
        })
        .await?;
        if chunk.is_empty() {
            return Err(FsError::Io(Failure::Changed));
        }
        let start = range.start + chunk.len() as u64;
        Ok(Some((Bytes::copy_from_slice(&chunk), (file, start..range.end))))
    })
}
