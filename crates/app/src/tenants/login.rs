//! Logging in with a password. Wrong ones lock an account for a while. Unknown address, wrong password and locked
//! account look alike, in text and in time.

use iam::password;
use ports::{
    store::{Batch, Doc, PLATFORM, StoreError, Versioned, Write},
    vault::SecretRef,
};
use tokio::sync::Semaphore;
use types::{
    Email, Fault, FaultKind, Principal, Secret, UserId,
    tenant::{Role, User},
};

use super::{Pair, Tenants};
use crate::records;

/// Wrong passwords that cost nothing but the wait for the answer.
const TRIES: u32 = 5;
const LOCK_S: i64 = 60;
const LONGEST_LOCK_S: i64 = 15 * 60;
const PASSWORD: &str = "password";

impl Tenants {
    pub async fn login(&self, email: &str, given: &Secret, project: Option<&str>) -> Result<Pair, Fault> {
        self.passwords_are_taken()?;
        let user = match email.parse::<Email>() {
            Ok(email) => self.user_named(email.as_str()).await?,
            Err(_) => None,
        };
        let stored = match &user {
            Some(user) => self.password_of(&user.value.id).await?,
            None => None,
        };
        let given = given.clone();
        let right = at_leisure(move || password::verify(&given, stored.as_deref())).await?;
        let Some(user) = user else {
            return Err(not_let_in());
        };
        if self.is_locked(&user.value) {
            return Err(not_let_in());
        }
        if !right {
            self.failed(user).await?;
            return Err(not_let_in());
        }
        let user = self.succeeded(user).await?;
        let project = match project {
            Some(reference) => Some(self.enter(&principal(&user), reference).await?.project.id),
            None => None,
        };
        self.open_session(&user, project.as_ref(), None).await
    }

    pub(super) fn is_locked(&self, user: &User) -> bool {
        user.locked_until.is_some_and(|until| until > self.clock.now())
    }

    pub(super) async fn user_named(&self, email: &str) -> Result<Option<Versioned<User>>, Fault> {
        records::named(&*self.store, PLATFORM, email).await
    }

    pub(super) async fn password_of(&self, user: &UserId) -> Result<Option<String>, Fault> {
        let at = SecretRef::new(user.as_str(), PASSWORD);
        let hash = records::secret(&*self.store, &*self.vault, &at).await?;
        Ok(hash.and_then(|hash| hash.expose_str().ok().map(str::to_owned)))
    }

    pub(super) fn seal_password(&self, user: &UserId, hash: &str) -> Result<Write, Fault> {
        let at = SecretRef::new(user.as_str(), PASSWORD);
        let sealed = self.vault.seal(&at, &Secret::new(hash))?;
        Ok(Write::PutSecret { at, sealed })
    }

    /// Counts a wrong password; a try that races with another may go uncounted, never a lock.
    pub(super) async fn failed(&self, mut user: Versioned<User>) -> Result<(), Fault> {
        user.value.failures = user.value.failures.saturating_add(1);
        if user.value.failures >= TRIES {
            let doubled = LOCK_S << (user.value.failures - TRIES).min(8);
            user.value.locked_until = Some(self.clock.now().plus(doubled.min(LONGEST_LOCK_S)));
            tracing::warn!(user = %user.value.id, failures = user.value.failures, "locked after wrong passwords");
        }
        self.put(&user).await
    }

    async fn succeeded(&self, mut user: Versioned<User>) -> Result<User, Fault> {
        if user.value.failures > 0 {
            user.value.failures = 0;
            user.value.locked_until = None;
            self.put(&user).await?;
        }
        Ok(user.value)
    }

    async fn put(&self, user: &Versioned<User>) -> Result<(), Fault> {
        let writes = vec![Write::Put(Doc::new(&user.value, user.version))];
        match self.store.commit(Batch { fence: None, writes }).await {
            Ok(()) | Err(StoreError::Stale { .. }) => Ok(()),
            Err(error) => Err(records::fault(error)),
        }
    }
}

/// Each takes 19 MiB for its time: strangers who try passwords get no more than this of the platform's memory.
static AT_ONCE: Semaphore = Semaphore::const_new(4);

/// Hashing a password takes tens of milliseconds on purpose: not on the threads that serve everybody.
pub(super) async fn at_leisure<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    let _turn = AT_ONCE.acquire().await;
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Fault::internal("password-work", error.to_string()))
}

pub(super) fn principal(user: &User) -> Principal {
    Principal {
        id: user.id.to_string(),
        name: user.email.to_string(),
        grants: user.held(),
        token: None,
    }
}

/// Every role that counts in this project, and being an administrator of the platform, which counts everywhere.
pub(super) fn roles_in(caller: &Principal, project: &types::tenant::Project) -> Vec<Role> {
    let place = types::tenant::Place::Project(project.org.clone(), project.id.clone());
    let mut roles: Vec<Role> = caller
        .grants
        .iter()
        .filter(|grant| place.is_within(&grant.place))
        .map(|grant| grant.role)
        .collect();
    roles.sort_unstable();
    roles.dedup();
    roles
}

pub(super) fn not_let_in() -> Fault {
    Fault::new(
        FaultKind::Unauthenticated,
        "login-refused",
        "the address or the password is wrong, or the login has ended",
        "log in again with `cloud login`; after several wrong passwords wait a quarter of an hour",
    )
}
