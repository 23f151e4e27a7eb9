//! The vault keeps the port's contract.

use ports::conformance::vault::{Bench, suite};
use vault::FileVault;

#[tokio::test]
async fn keeps_the_contract() {
    suite(async || Keys(tempfile::tempdir().unwrap())).await;
}

struct Keys(tempfile::TempDir);

impl Bench for Keys {
    type Subject = FileVault;

    fn vault(&self) -> FileVault {
        FileVault::open(self.0.path().join("ours.key"), false).unwrap()
    }

    fn restarted(&self) -> FileVault {
        FileVault::open(self.0.path().join("ours.key"), true).unwrap()
    }

    fn neighbour(&self) -> FileVault {
        FileVault::open(self.0.path().join("theirs.key"), false).unwrap()
    }
}
