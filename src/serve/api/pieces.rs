//! JSON in pieces, each made when the client has taken the previous one.

use std::io;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Bytes after which a piece ends.
pub(super) const PIECE: usize = 64 << 10;

/// Limits how many pieces are made at a time for all clients, so that most of the machine is left for other work.
static TURNS: Semaphore = Semaphore::const_new(2);

/// A response that consists of pieces. Each is made in a separate thread when the client has taken the previous one.
/// After the client has disconnected, no more are made.
pub(super) fn streamed(pieces: impl Iterator<Item = Vec<u8>> + Send + 'static) -> Response {
    let body = stream::unfold(Some(pieces), async |pieces| {
        let mut pieces = pieces?;
        // The turn lasts until the piece is made, even if the client disconnects. The semaphore is never closed.
        let turn = TURNS.acquire().await;
        let made = spawn_blocking(move || {
            let piece = pieces.next();
            drop(turn);
            (piece, pieces)
        });
        match made.await {
            Ok((piece, pieces)) => Some((Ok::<Bytes, io::Error>(piece?.into()), Some(pieces))),
            // After a panic, which was reported, the connection breaks off, because a regular end would mean that the
            // answer is complete.
            Err(error) => Some((Err(io::Error::other(error)), None)),
        }
    });
    let media = [(header::CONTENT_TYPE, "application/json")];
    (media, Body::from_stream(body)).into_response()
}

/// Appends a value.
pub(super) fn append<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // Writing texts, numbers and lists of these as JSON cannot fail.
    let _ = serde_json::to_writer(out, value);
}

/// Joins parts of a text into pieces.
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

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn an_answer_that_is_not_complete_ends_with_an_error() {
        let pieces = (0..3).map(|n: u8| vec![n; 10]);
        let whole = to_bytes(streamed(pieces.clone()).into_body(), 100).await;
        assert_eq!(whole.unwrap().len(), 30);
        let broken = pieces.inspect(|piece| assert!(piece[0] < 2, "as it should"));
        assert!(to_bytes(streamed(broken).into_body(), 100).await.is_err());
    }

    #[tokio::test]
    async fn two_pieces_are_made_at_a_time() {
        let underway = Arc::new(AtomicUsize::new(0));
        let answers = (0..6).map(|_| {
            let underway = Arc::clone(&underway);
            let pieces = (0..5).map(move |n| {
                let others = underway.fetch_add(1, Ordering::SeqCst);
                // At most two pieces are made at a time.
                assert!(others < 2 && TURNS.available_permits() < 2);
                underway.fetch_sub(1, Ordering::SeqCst);
                vec![n]
            });
            tokio::spawn(to_bytes(streamed(pieces).into_body(), 100))
        });
        for answer in answers.collect::<Vec<_>>() {
            assert_eq!(answer.await.unwrap().unwrap().len(), 5);
        }
    }
}
