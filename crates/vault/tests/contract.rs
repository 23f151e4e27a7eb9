//! The vault keeps the ports' contracts, with its keys in a file.

use std::path::PathBuf;

use ports::conformance::{rotation, vault as sealing};
use vault::{KeySource, KeyVault};

struct Keys(tempfile::TempDir);

impl Keys {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

async fn open(path: PathBuf, expect_existing: bool) -> KeyVault {
    KeyVault::open(KeySource::File { path }, expect_existing)
        .await
        .unwrap()
}

#[tokio::test]
async fn keeps_the_contract_of_rotation() {
    rotation::suite(async || Keys::new()).await;
}

impl rotation::Bench for Keys {
    type Subject = KeyVault;

    async fn vault(&self) -> KeyVault {
        open(self.path("ours.key"), false).await
    }

    async fn restarted(&self) -> KeyVault {
        open(self.path("ours.key"), true).await
    }
}

#[tokio::test]
async fn keeps_the_contract_of_sealing() {
    sealing::suite(async || Keys::new()).await;
}

impl sealing::Bench for Keys {
    type Subject = KeyVault;

    async fn vault(&self) -> KeyVault {
        open(self.path("ours.key"), false).await
    }

    async fn restarted(&self) -> KeyVault {
        open(self.path("ours.key"), true).await
    }

    async fn neighbour(&self) -> KeyVault {
        open(self.path("theirs.key"), false).await
    }
}
