//! Logins that were begun and not completed. In memory: they are short, and one that a restart cuts off is begun again.
//!
//! Guarantees: what is found is found once (a browser's) or until it is done (a device's), and not after its time. There
//! are never more than [`MOST`]; the oldest gives way, so strangers who begin logins push others out only by beginning
//! them faster than the limits for one address let them, for minutes.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use iam::opaque;
use types::Secret;

use crate::provider::Provider;

pub const MOST: usize = 4096;
/// Long enough to type a password and find a second factor.
pub const LIVES_S: u64 = 10 * 60;

/// A login in a browser.
pub struct Browser {
    pub provider: Arc<Provider>,
    pub state: Secret,
    pub nonce: Secret,
    pub verifier: Secret,
    pub redirect_uri: String,
}

/// A login on a device. One asks the provider at a time.
pub struct Device {
    pub provider: Arc<Provider>,
    pub code: Secret,
    /// As the provider has it now.
    pub interval_s: u64,
    /// When the provider may be asked again.
    pub next_ms: u64,
    pub done: bool,
}

pub enum Login {
    Browser(Box<Browser>),
    Device(Arc<tokio::sync::Mutex<Device>>),
}

struct Entry {
    login: Login,
    until_ms: u64,
    number: u64,
}

#[derive(Default)]
struct Table {
    entries: HashMap<String, Entry>,
    begun: u64,
}

#[derive(Default)]
pub struct Pending(Mutex<Table>);

impl Pending {
    /// What its holder completes it with. Only a digest of it is kept.
    pub fn put(&self, login: Login, lives_s: u64, now_ms: u64) -> Secret {
        let handle = opaque::generate("pcl");
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.entries.retain(|_, entry| entry.until_ms > now_ms);
        if table.entries.len() >= MOST {
            let oldest = table.entries.iter().min_by_key(|(_, entry)| entry.number);
            if let Some(oldest) = oldest.map(|(digest, _)| digest.clone()) {
                table.entries.remove(&oldest);
            }
        }
        table.begun += 1;
        let entry = Entry {
            login,
            until_ms: now_ms + lives_s.min(LIVES_S) * 1000,
            number: table.begun,
        };
        table.entries.insert(opaque::digest(&handle), entry);
        handle
    }

    /// A browser's is gone with this, whatever comes of it.
    pub fn take(&self, handle: &Secret, now_ms: u64) -> Option<Login> {
        let digest = opaque::digest(handle);
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = table.entries.remove(&digest)?;
        if entry.until_ms <= now_ms {
            return None;
        }
        let device = match entry.login {
            Login::Browser(_) => return Some(entry.login),
            Login::Device(device) => device,
        };
        let login = Login::Device(device.clone());
        table.entries.insert(digest, Entry { login, ..entry });
        Some(Login::Device(device))
    }

    pub fn end(&self, handle: &Secret) {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.entries.remove(&opaque::digest(handle));
    }
}
