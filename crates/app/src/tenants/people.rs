//! Everybody the platform knows, and forgetting somebody.

use ports::store::{Filter, Write};
use types::{
    Fault,
    tenant::{Invitation, Session, User},
};

use super::Tenants;
use crate::{books::Decision, records};

impl Tenants {
    /// Roles, logins, tokens, password and invitations: nothing of them stays but what the audit log has of them.
    pub async fn delete_user(&self, reference: &str) -> Result<User, Fault> {
        self.accept(move || {
            Box::pin(async move {
                let user = self.person(reference).await?.value;
                let mut writes = self.without_logins(&mut user.clone()).await?;
                for invitation in records::list::<Invitation>(&*self.store, &Filter::default()).await? {
                    if invitation.value.email == user.email {
                        writes.push(Write::Delete {
                            kind: "invitation",
                            id: invitation.value.id.to_string(),
                        });
                    }
                }
                let id = user.id.to_string();
                writes.extend([
                    Write::Delete {
                        kind: "password-reset",
                        id: id.clone(),
                    },
                    Write::DeleteSecrets { owner: id.clone() },
                    Write::Delete { kind: "user", id },
                ]);
                Ok(Decision::Write { writes, answer: user })
            })
        })
        .await
    }

    /// Ends every login of a person, and every token: to be written along with the person.
    pub(super) async fn without_logins(&self, user: &mut User) -> Result<Vec<Write>, Fault> {
        user.end_tokens(self.clock.now());
        let sessions = records::children::<Session>(&*self.store, user.id.as_str()).await?;
        let ended = sessions.into_iter().map(|session| Write::Delete {
            kind: "session",
            id: session.value.id.to_string(),
        });
        Ok(ended.collect())
    }
}
