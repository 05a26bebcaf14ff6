//! JSON that is sent piece by piece, as it is made and as fast as the client takes it.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use serde::Serialize;
use tokio::task::spawn_blocking;

/// Bytes after which a piece ends.
pub(super) const PIECE: usize = 64 << 10;

/// A response of pieces. Each is made when the client has taken the one before it, in a thread that holds up no other client,
/// and none once the client has left.
pub(super) fn streamed(pieces: impl Iterator<Item = Vec<u8>> + Send + 'static) -> Response {
    let body = stream::unfold(pieces, async |mut pieces| {
        let made = spawn_blocking(move || (pieces.next(), pieces)).await;
        // After a panic, which was reported, the answer is not complete, and so no JSON.
        let (piece, pieces) = made.ok()?;
        Some((Ok::<Bytes, Infallible>(piece?.into()), pieces))
    });
    let media = [(header::CONTENT_TYPE, "application/json")];
    (media, Body::from_stream(body)).into_response()
}

/// Appends a value.
pub(super) fn append<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // What is written are texts, numbers, and lists of them, which cannot fail.
    let _ = serde_json::to_writer(out, value);
}

/// Puts parts of a text together to pieces.
pub(super) fn in_pieces(mut parts: impl Iterator<Item = String>) -> impl Iterator<Item = Vec<u8>> {
    std::iter::from_fn(move || {
        let mut piece = Vec::new();
        while piece.len() < PIECE
            && let Some(part) = parts.next()
        {
            piece.extend(part.bytes());
        }
        (!piece.is_empty()).then_some(piece)
    })
}

/// The entries of a list, with commas between them.
pub(super) fn entries<T: Serialize>(list: impl Iterator<Item = T>) -> impl Iterator<Item = String> {
    list.enumerate().map(|(n, entry)| {
        let mut text = Vec::new();
        if n > 0 {
            text.push(b',');
        }
        append(&mut text, &entry);
        String::from_utf8(text).unwrap_or_default()
    })
}
