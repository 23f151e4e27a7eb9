//! `/admin/backup`

use api::backup::BackupRequest;
use axum::{
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use futures::stream;
use tokio::{fs::File, io::AsyncReadExt};
use types::Secret;

use crate::{answer::Answer, body::Given, router::Api};

const CHUNK: usize = 64 * 1024;

pub async fn make(State(api): State<Api>, Given(request): Given<BackupRequest>) -> Answer<Response> {
    let file = api.backup.make(Secret::new(request.passphrase)).await?;
    let pieces = stream::try_unfold(File::from_std(file), |mut file| async move {
        let mut piece = vec![0; CHUNK];
        let read = file.read(&mut piece).await?;
        piece.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then_some((piece, file)))
    });
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, Body::from_stream(pieces)).into_response())
}
