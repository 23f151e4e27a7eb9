//! Images of a cluster. An archive goes to a file piece by piece: it may be larger than the daemon's memory.

use std::{io, time::Duration};

use api::cluster::ImageList;
use axum::{
    Json,
    body::{Body, BodyDataStream},
    extract::State,
    response::Response,
};
use futures::StreamExt;
use serde_json::json;
use tempfile::NamedTempFile;
use tokio::{fs::File, io::AsyncWriteExt};
use types::{Fault, FaultKind, ProjectId, cluster::Cluster};

use crate::{answer::Answer, audit::Note, guard::Referenced, router::Api};

/// Larger archives are a mistake more often than an image.
const ARCHIVE_LIMIT: u64 = 16 << 30;
/// How long a refused archive is listened to.
const DRAIN: Duration = Duration::from_secs(20);

pub async fn list(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
) -> Answer<Json<ImageList>> {
    let images = api.surface.list_images(&project, &reference).await?;
    Ok(Json(ImageList { images }))
}

pub async fn load(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
    body: Body,
) -> Answer<Response> {
    let mut pieces = body.into_data_stream();
    let taken = take(&api, &project, &reference, &mut pieces).await;
    if taken.is_err() {
        drain(&mut pieces).await;
    }
    let (cluster, images) = taken?;
    let note = Note::of(&cluster.name, &cluster.id).change(json!({"images": images}));
    Ok(note.on(Json(ImageList { images })))
}

async fn take(
    api: &Api,
    project: &ProjectId,
    reference: &str,
    pieces: &mut BodyDataStream,
) -> Result<(Cluster, Vec<String>), Fault> {
    // Asked before the upload rather than after it.
    let cluster = api.surface.get_cluster(project, reference).await?.cluster;
    let archive = NamedTempFile::new_in(api.uploads.as_path()).map_err(|error| write_fault(&error))?;
    receive(pieces, &archive).await?;
    let images = api
        .surface
        .load_images(project, reference, archive.path())
        .await?;
    Ok((cluster, images))
}

/// A client that is still sending does not read: the refusal reaches it only when its archive is out of the way.
async fn drain(pieces: &mut BodyDataStream) {
    let rest = async { while let Some(Ok(_)) = pieces.next().await {} };
    let _ = tokio::time::timeout(DRAIN, rest).await;
}

async fn receive(pieces: &mut BodyDataStream, archive: &NamedTempFile) -> Result<(), Fault> {
    let mut file = File::from_std(archive.reopen().map_err(|error| write_fault(&error))?);
    let mut size = 0u64;
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| {
            Fault::invalid(
                "upload-broken",
                format!("the archive did not arrive whole: {error}"),
                "send it again",
            )
        })?;
        size += piece.len() as u64;
        if size > ARCHIVE_LIMIT {
            return Err(Fault::invalid(
                "archive-too-large",
                format!("the archive is larger than {} GiB", ARCHIVE_LIMIT >> 30),
                "load the images in several archives",
            ));
        }
        file.write_all(&piece)
            .await
            .map_err(|error| write_fault(&error))?;
    }
    file.flush().await.map_err(|error| write_fault(&error))?;
    if size == 0 {
        return Err(Fault::invalid(
            "archive-empty",
            "the archive is empty",
            "send an OCI or docker archive",
        ));
    }
    Ok(())
}

fn write_fault(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Fault::new(
            FaultKind::Exhausted,
            "disk-full",
            "the disk of the platform's state directory is full",
            "free space there and load the archive again",
        ),
        _ => Fault::internal(
            "upload-write",
            format!("the archive could not be written: {error}"),
        ),
    }
}
