//! A connection that is closed if its client stops sending a request or reading an answer.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use futures_util::task::AtomicWaker;
use hyper::body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::limits::HttpLimits;

/// A stream that fails if the other side is silent for too long.
pub(super) struct Patient {
    stream: TcpStream,
    limits: HttpLimits,
    answers: Arc<AnswerCount>,
    /// The count of answers when the stream was last read.
    seen: usize,
    /// True if a part of a request has arrived.
    has_begun: bool,
    /// When to stop waiting for a request; set while one is awaited.
    read_until: Option<Pin<Box<Sleep>>>,
    /// When to stop waiting for a write; set while one waits.
    write_until: Option<Pin<Box<Sleep>>>,
    /// Becomes ready when serving ends; `None` after that.
    end: Option<ServingEnd>,
}

/// Becomes ready when requests are no longer awaited.
pub(super) type ServingEnd = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Patient {
    /// Wraps a stream. Requests are awaited only until `end`.
    pub(super) fn new(stream: TcpStream, limits: HttpLimits, end: ServingEnd) -> Patient {
        Patient {
            end: Some(end),
            stream,
            limits,
            answers: Arc::default(),
            seen: 0,
            has_begun: false,
            read_until: None,
            write_until: None,
        }
    }

    /// The counter of answers to the requests of this stream.
    pub(super) fn answers(&self) -> Arc<AnswerCount> {
        Arc::clone(&self.answers)
    }

    /// Passes on the result of a write, or an error if the write has waited for too long.
    fn written<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write_until = None;
            return written;
        }
        let silence = self.limits.silence;
        let until = self.write_until.get_or_insert_with(|| Box::pin(sleep(silence)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

/// Counts answers that have started, and answers that have ended.
#[derive(Default)]
pub(super) struct AnswerCount {
    count: AtomicUsize,
    /// The task that waits for the next request; woken when an answer has ended.
    reader: AtomicWaker,
}

/// An answer, until it is dropped.
pub(super) struct AnswerUnderway(Arc<AnswerCount>);

impl AnswerCount {
    /// Begins an answer.
    pub(super) fn begin(self: &Arc<Self>) -> AnswerUnderway {
        self.count.fetch_add(1, Ordering::AcqRel);
        AnswerUnderway(Arc::clone(self))
    }
}

impl AnswerUnderway {
    /// Keeps the answer underway until its body is sent.
    pub(super) fn sending(self, body: Body) -> Body {
        Body::new(SentBody {
            body,
            _underway: self,
        })
    }
}

impl Drop for AnswerUnderway {
    fn drop(&mut self) {
        let AnswerCount { count, reader } = &*self.0;
        count.fetch_add(1, Ordering::AcqRel);
        reader.wake();
    }
}

/// The body of an answer.
struct SentBody {
    body: Body,
    _underway: AnswerUnderway,
}

impl hyper::body::Body for SentBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.answers.reader.register(context.waker());
        let answers = self.answers.count.load(Ordering::Acquire);
        if self.seen != answers {
            (self.seen, self.has_begun, self.read_until) = (answers, false, None);
        }
        let is_answering = answers % 2 == 1;
        if is_answering {
            return read;
        }
        if self
            .end
            .as_mut()
            .is_some_and(|end| end.as_mut().poll(context).is_ready())
        {
            self.end = None;
        }
        if self.end.is_none() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let HttpLimits { head, idle, .. } = self.limits;
        if read.is_ready() {
            if !self.has_begun {
                (self.has_begun, self.read_until) = (true, Some(Box::pin(sleep(head))));
            }
            return read;
        }
        let until = self.read_until.get_or_insert_with(|| Box::pin(sleep(idle)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.written(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
