//! Who has a role in an organisation or a project, and taking it away.

use ports::{
    Store,
    store::{Doc, Filter, Write},
};
use types::{
    Email, Fault, FaultKind, Timestamp, UserId,
    tenant::{Grant, Invitation, Place, User},
};

use super::Tenants;
use crate::{books::Decision, records, root_user};

/// Somebody with a role at a place or below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub id: UserId,
    pub email: Email,
    pub grants: Vec<Grant>,
}

impl Tenants {
    /// Those with a role at the place itself, and, of an organisation, in its projects. The platform's are all there are,
    /// those without any role included.
    pub async fn list_members(&self, place: &Place) -> Result<Vec<Member>, Fault> {
        let mut members: Vec<Member> = records::list::<User>(&*self.store, &Filter::default())
            .await?
            .into_iter()
            .filter_map(|user| {
                let user = user.value;
                let grants: Vec<Grant> = user
                    .grants
                    .into_iter()
                    .filter(|grant| grant.place.is_within(place))
                    .collect();
                (!grants.is_empty() || *place == Place::Platform).then_some(Member {
                    id: user.id,
                    email: user.email,
                    grants,
                })
            })
            .collect();
        members.sort_by(|a, b| a.email.cmp(&b.email));
        Ok(members)
    }

    /// Takes every role of a person at a place, and below it; what they hold elsewhere stays. Their tokens end.
    pub async fn remove_member(&self, place: &Place, reference: &str) -> Result<(), Fault> {
        self.accept(move || {
            Box::pin(async move {
                let members = self.list_members(place).await?;
                let member = members
                    .into_iter()
                    .find(|m| m.id.as_str() == reference || m.email.as_str().eq_ignore_ascii_case(reference));
                let Some(member) = member else {
                    return Err(Fault::new(
                        FaultKind::NotFound,
                        "user-not-found",
                        format!("'{reference}' has no role here"),
                        "see who has with `cloud user list`",
                    ));
                };
                if member.id == root_user() {
                    return Err(Fault::refused(
                        "user-root",
                        "the platform's first administrator keeps its roles",
                        "nothing: whoever has root on the host has them anyway",
                    ));
                }
                let found = records::get::<User>(&*self.store, member.id.as_str()).await?;
                let mut user = found.ok_or_else(|| Fault::not_found("user", reference))?;
                user.value.grants.retain(|grant| !grant.place.is_within(place));
                user.value.end_tokens(self.clock.now());
                let mut writes = vec![Write::Put(Doc::new(&user.value, user.version))];
                // What they were invited to there and did not take up is taken back too.
                for invitation in records::list::<Invitation>(&*self.store, &Filter::default()).await? {
                    let invitation = invitation.value;
                    if invitation.email == user.value.email && invitation.grant.place.is_within(place) {
                        writes.push(Write::Delete {
                            kind: "invitation",
                            id: invitation.id.to_string(),
                        });
                    }
                }
                Ok(Decision::Write { writes, answer: () })
            })
        })
        .await
    }
}

/// Everybody without the roles they held at places that go away.
pub(super) async fn without_place(
    store: &dyn Store,
    goes: impl Fn(&Place) -> bool,
    now: Timestamp,
) -> Result<Vec<Write>, Fault> {
    let mut writes = Vec::new();
    for mut user in records::list::<User>(store, &Filter::default()).await? {
        let before = user.value.grants.len();
        user.value.grants.retain(|grant| !goes(&grant.place));
        if user.value.grants.len() != before {
            user.value.end_tokens(now);
            writes.push(Write::Put(Doc::new(&user.value, user.version)));
        }
    }
    Ok(writes)
}
