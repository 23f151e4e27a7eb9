//! Who a token belongs to. Roles are what the books say now, not what the token says: what was taken is gone at once.

use iam::token;
use types::{
    Fault, FaultKind, Principal, Secret, Timestamp,
    tenant::{Grant, IssuedToken, Place, ServiceAccount, User},
};

use super::{AUDIENCE, Tenants, login::principal};
use crate::{records, root_user};

impl Tenants {
    pub async fn authenticate(&self, token: &Secret) -> Result<Principal, Fault> {
        let now = self.clock.now();
        let keys = self.key_set().await?;
        let text = token.expose_str().map_err(|_| not_good())?;
        let claims = token::verify(text, &keys, &self.issuer, &[AUDIENCE], now).map_err(|error| {
            tracing::debug!(code = error.code(), "token refused");
            not_good()
        })?;
        let good_since = |not_before: Timestamp| claims.iat >= not_before;
        if let Some(user) = records::get::<User>(&*self.store, &claims.sub).await? {
            return if good_since(user.value.not_before) {
                Ok(principal(&user.value))
            } else {
                Err(not_good())
            };
        }
        let account = records::get::<ServiceAccount>(&*self.store, &claims.sub).await?;
        let issued = records::get::<IssuedToken>(&*self.store, claims.jti.as_str()).await?;
        match (account, issued) {
            (Some(account), Some(issued))
                if good_since(account.value.not_before) && !issued.value.revoked =>
            {
                let account = account.value;
                Ok(Principal {
                    id: account.id.to_string(),
                    name: claims.email,
                    grants: vec![Grant {
                        role: account.role,
                        place: Place::Project(account.org, account.project),
                    }],
                    token: Some(claims.jti),
                })
            }
            _ => Err(not_good()),
        }
    }

    /// Whoever holds the token of the first start.
    pub async fn root(&self) -> Result<Principal, Fault> {
        let root = records::get::<User>(&*self.store, root_user().as_str()).await?;
        Ok(principal(&root.ok_or_else(not_good)?.value))
    }
}

fn not_good() -> Fault {
    Fault::new(
        FaultKind::Unauthenticated,
        "token-wrong",
        "the request's token is not good, or not any more",
        "log in with `cloud login`, or send another token",
    )
}
