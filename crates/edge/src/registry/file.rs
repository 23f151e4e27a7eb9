//! A file, or a part of it, as the body of an answer: read in pieces as the client takes them.

use std::{
    io::{self, SeekFrom},
    ops::Range,
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, SizeHint};
use tokio::{
    fs::File,
    io::{AsyncRead, AsyncSeekExt, ReadBuf},
};

use crate::metrics::Metrics;

const PIECE: usize = 64 * 1024;

pub(super) struct FileBody {
    file: File,
    left: u64,
    metrics: Arc<Metrics>,
}

impl FileBody {
    pub(super) async fn open(path: &Path, range: Range<u64>, metrics: Arc<Metrics>) -> io::Result<Self> {
        let mut file = File::open(path).await?;
        file.set_max_buf_size(PIECE);
        if range.start > 0 {
            file.seek(SeekFrom::Start(range.start)).await?;
        }
        Ok(Self {
            file,
            left: range.end - range.start,
            metrics,
        })
    }
}

impl Body for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let mut piece = BytesMut::zeroed(PIECE.min(usize::try_from(self.left).unwrap_or(PIECE)));
        let mut buffer = ReadBuf::new(&mut piece);
        ready!(Pin::new(&mut self.file).poll_read(cx, &mut buffer))?;
        let count = buffer.filled().len();
        if count == 0 {
            return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())));
        }
        piece.truncate(count);
        self.left -= count as u64;
        self.metrics.registry_bytes.add(count as u64);
        Poll::Ready(Some(Ok(Frame::data(piece.freeze()))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
