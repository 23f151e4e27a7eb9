//! A new password: by whoever knows the old one, or by whoever holds a code that an administrator of the platform gave
//! out. Every login and token from before ends with it.

use iam::{
    opaque,
    password::{self, PasswordError},
};
use ports::store::{Doc, PLATFORM, Versioned, Write};
use types::{
    Fault, FaultKind, Secret, Timestamp, UserId,
    tenant::{PasswordReset, User},
};

use super::{
    Tenants,
    login::{at_leisure, not_let_in},
    sessions::Pair,
};
use crate::{books::Decision, records, root_user};

const GOOD_FOR_S: i64 = 86_400;

/// Somebody who may choose a new password with this code, shown once.
#[derive(Debug)]
pub struct Reset {
    pub user: User,
    pub code: Secret,
    pub expires: Timestamp,
}

impl Tenants {
    /// Wrong guesses at the old password count as those at a login do.
    pub async fn change_password(&self, id: &UserId, old: &Secret, new: &Secret) -> Result<Pair, Fault> {
        self.passwords_are_taken()?;
        let found = records::get::<User>(&*self.store, id.as_str()).await?;
        let user = found.ok_or_else(not_let_in)?;
        let stored = self.password_of(id).await?;
        if stored.is_none() {
            return Err(Fault::refused(
                "password-none",
                "whoever is logged in here has no password",
                "log in as you did; the platform's first administrator has the token on the host",
            ));
        }
        if self.is_locked(&user.value) {
            return Err(not_let_in());
        }
        let (old, new) = (old.clone(), new.clone());
        let (right, hash) = at_leisure(move || {
            let right = password::verify(&old, stored.as_deref());
            (right, password::hash(&new))
        })
        .await?;
        if !right {
            self.failed(user).await?;
            return Err(not_let_in());
        }
        let hash = hash.map_err(|error| unfit(&error))?;
        self.begin_anew(id, &hash, |_| true).await
    }

    /// A code for somebody who lost their password; one from before is good for nothing then.
    pub async fn offer_reset(&self, reference: &str) -> Result<Reset, Fault> {
        self.passwords_are_taken()?;
        let code = opaque::generate("pcp");
        let digest = &opaque::digest(&code);
        let expires = self.clock.now().plus(GOOD_FOR_S);
        let user = self
            .accept(move || {
                Box::pin(async move {
                    let user = self.person(reference).await?.value;
                    let earlier = records::get::<PasswordReset>(&*self.store, user.id.as_str()).await?;
                    let reset = PasswordReset {
                        id: user.id.clone(),
                        code: digest.clone(),
                        expires,
                    };
                    let version = earlier.map_or(0, |earlier| earlier.version);
                    Ok(Decision::Write {
                        writes: vec![Write::Put(Doc::new(&reset, version))],
                        answer: user,
                    })
                })
            })
            .await?;
        Ok(Reset { user, code, expires })
    }

    /// With the code, which is good once. Ends in a login.
    pub async fn reset_password(&self, code: &Secret, new: &Secret) -> Result<Pair, Fault> {
        self.passwords_are_taken()?;
        let digest = opaque::digest(code);
        let reset = self.reset_of(&digest).await?;
        let new = new.clone();
        // The same work whether the code is known or not.
        let hash = at_leisure(move || password::hash(&new)).await?;
        let reset = reset.ok_or_else(code_refused)?;
        let hash = hash.map_err(|error| unfit(&error))?;
        self.begin_anew(&reset.value.id, &hash, |found| {
            found.is_some_and(|found| found.code == digest)
        })
        .await
    }

    /// Whose password this is now; what came before it ends. `still` looks at the code that waits, if any.
    async fn begin_anew(
        &self,
        id: &UserId,
        hash: &str,
        still: impl Fn(Option<&PasswordReset>) -> bool + Send + Sync,
    ) -> Result<Pair, Fault> {
        let sealed = &self.seal_password(id, hash)?;
        let still = &still;
        let user = self
            .accept(move || {
                Box::pin(async move {
                    let reset = records::get::<PasswordReset>(&*self.store, id.as_str()).await?;
                    if !still(reset.as_ref().map(|reset| &reset.value)) {
                        return Err(code_refused());
                    }
                    let found = records::get::<User>(&*self.store, id.as_str()).await?;
                    let mut user = found.ok_or_else(code_refused)?;
                    user.value.failures = 0;
                    user.value.locked_until = None;
                    let mut writes = self.without_logins(&mut user.value).await?;
                    writes.extend([
                        Write::Put(Doc::new(&user.value, user.version)),
                        sealed.clone(),
                        Write::Delete {
                            kind: "password-reset",
                            id: id.to_string(),
                        },
                    ]);
                    Ok(Decision::Write {
                        writes,
                        answer: user.value,
                    })
                })
            })
            .await?;
        self.open_session(&user, None, None).await
    }

    async fn reset_of(&self, digest: &str) -> Result<Option<Versioned<PasswordReset>>, Fault> {
        let now = self.clock.now();
        let found = records::named::<PasswordReset>(&*self.store, PLATFORM, digest).await?;
        Ok(found.filter(|found| found.value.expires > now))
    }

    /// By address or id; not the platform's first administrator, who has no password and needs none.
    pub(super) async fn person(&self, reference: &str) -> Result<Versioned<User>, Fault> {
        let by_id = records::get::<User>(&*self.store, reference).await?;
        let found = match by_id {
            Some(found) => Some(found),
            None => self.user_named(&reference.to_lowercase()).await?,
        };
        let found = found.ok_or_else(|| {
            Fault::new(
                FaultKind::NotFound,
                "user-not-found",
                format!("the platform knows nobody called '{reference}'"),
                "see whom it knows with `cloud user list --all`",
            )
        })?;
        if found.value.id == root_user() {
            return Err(Fault::refused(
                "user-root",
                "the platform's first administrator has no password, and stays",
                "nothing: whoever has root on the host is that administrator",
            ));
        }
        Ok(found)
    }
}

pub(super) fn unfit(error: &PasswordError) -> Fault {
    Fault::unfit(
        "password-unfit",
        error.to_string(),
        "choose another one: any characters, a few words in a row are good",
    )
    .at("password")
}

fn code_refused() -> Fault {
    Fault::new(
        FaultKind::Unauthenticated,
        "reset-refused",
        "the code is wrong, was used, or has run out",
        "ask an administrator of the platform for a new one",
    )
}
