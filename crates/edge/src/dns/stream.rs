//! Messages on a TCP connection: each behind its length.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The next message; `None` when the other side is done.
pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 2];
    if from.read(&mut length[..1]).await? == 0 {
        return Ok(None);
    }
    from.read_exact(&mut length[1..]).await?;
    let mut message = vec![0; u16::from_be_bytes(length).into()];
    from.read_exact(&mut message).await?;
    Ok(Some(message))
}

pub(super) async fn write(to: &mut (impl AsyncWrite + Unpin), message: &[u8]) -> io::Result<()> {
    let length = u16::try_from(message.len()).map_err(io::Error::other)?;
    // In one piece: some servers do not wait for a second one.
    to.write_all(&[&length.to_be_bytes(), message].concat()).await?;
    to.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_come_out_as_they_went_in() {
        let mut wire = Vec::new();
        let messages = [b"one".to_vec(), Vec::new(), vec![7; 65_535]];
        for message in &messages {
            write(&mut wire, message).await.unwrap();
        }
        assert!(write(&mut wire, &vec![7; 65_536]).await.is_err());
        let mut rest = wire.as_slice();
        for message in &messages {
            assert_eq!(read(&mut rest).await.unwrap().as_ref(), Some(message));
        }
        assert_eq!(read(&mut rest).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_message_that_breaks_off_is_an_error() {
        let mut wire = Vec::new();
        write(&mut wire, b"a message").await.unwrap();
        for end in 1..wire.len() {
            let error = read(&mut &wire[..end]).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{end}");
        }
    }
}
