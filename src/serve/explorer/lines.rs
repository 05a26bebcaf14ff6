//! Answers about a player. Each second, a line has a newer answer to the whole question, and the last line is complete.

use std::pin::Pin;

use axum::body::Body;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use pgnfs_server::FsError;
use tokio::sync::watch::{Receiver, channel};
use tokio::time::{Interval, MissedTickBehavior, interval_at};

use super::request::{ExplorerRequest, LINE_EVERY};
use crate::serve::answer::Visit;

/// The lines that answer a question. Fails if an error occurs before the first line.
pub(super) async fn of(asked: ExplorerRequest, visit: Visit) -> Result<Body, FsError> {
    let (sender, newest) = channel(asked.empty());
    let so_far = move |line| drop(sender.send_replace(line));
    let begin = tokio::time::Instant::now() + LINE_EVERY;
    let mut times = interval_at(begin, LINE_EVERY);
    // A slow client gets only the newest line, not one for each second that it missed.
    times.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut lines = PlayerLines {
        answer: Box::pin(asked.answer(visit, so_far)),
        newest,
        times,
    };
    let (first, is_last) = lines.next().await?;
    let rest = stream::try_unfold((lines, is_last), async |(mut lines, is_last)| {
        if is_last {
            return Ok::<_, FsError>(None);
        }
        let (line, is_last) = lines.next().await?;
        Ok(Some((line, (lines, is_last))))
    });
    Ok(Body::from_stream(stream::iter([Ok(first)]).chain(rest)))
}

struct PlayerLines<F> {
    answer: Pin<Box<F>>,
    /// The newest incomplete line.
    newest: Receiver<Bytes>,
    times: Interval,
}

impl<F: Future<Output = Result<Bytes, FsError>>> PlayerLines<F> {
    /// The next line, and whether it is the last one.
    async fn next(&mut self) -> Result<(Bytes, bool), FsError> {
        tokio::select! {
            answer = &mut self.answer => Ok((answer?, true)),
            _ = self.times.tick() => Ok((self.newest.borrow().clone(), false)),
        }
    }
}
