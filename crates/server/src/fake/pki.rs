//! Authorities of a platform in memory, real ones: what talks to it over TLS checks them.

use std::sync::{Mutex, PoisonError};

use iam::pki::{Level, PlatformPki};
use ports::{Clock, clock::SystemClock};
use types::{Fault, Secret, Timestamp};

use crate::surface::{ApiServing, Trust};

pub struct FakePki(Mutex<(PlatformPki, ApiServing)>);

impl Default for FakePki {
    fn default() -> Self {
        let pki = PlatformPki::new(now()).expect("authorities can be made");
        let serving = issue(&pki);
        Self(Mutex::new((pki, serving)))
    }
}

fn now() -> Timestamp {
    SystemClock::default().now()
}

fn issue(pki: &PlatformPki) -> ApiServing {
    let issued = pki.issue_server(&["cloud.test", "localhost"], &[[127, 0, 0, 1].into()], now());
    let issued = issued.expect("a certificate can be made");
    ApiServing {
        chain_pem: format!("{}{}", issued.chain_pem, pki.root_pem()),
        key_pem: Secret::new(issued.key_pem.expose()),
    }
}

impl FakePki {
    pub fn serving(&self) -> Result<ApiServing, Fault> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).1.clone())
    }

    pub fn trust(&self) -> Result<Trust, Fault> {
        Trust::of(
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .0
                .roots_pem(),
        )
    }

    /// A new certificate, as when the one before nears its end.
    pub fn renew(&self) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.1 = issue(&kept.0);
    }

    /// A new root with all below it, at once.
    pub fn replace_root(&self) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = kept.0.begin(Level::Root, now());
        assert!(begun.expect("authorities can be made"), "none was being replaced");
        for _ in 0..3 {
            kept.0.advance(now()).expect("lists can be signed");
        }
        kept.1 = issue(&kept.0);
    }
}
