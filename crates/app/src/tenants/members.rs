//! Who has a role in an organisation or a project, and taking it away.

use ports::{
    Store,
    paging::Order,
    store::{Doc, Filter, PLATFORM, Write},
};
use types::{
    Email, Fault, FaultKind, Timestamp, UserId,
    tenant::{Grant, Invitation, Place, User},
};

use super::{Tenants, grants};
use crate::{
    books::Decision,
    paged::{self, Paged, Part},
    records, root_user,
};

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
            .filter_map(|user| member(user.value, place))
            .collect();
        members.sort_by(|a, b| a.email.cmp(&b.email));
        Ok(members)
    }

    /// The same by the page.
    pub async fn page_members(&self, place: &Place, part: &Part) -> Result<Paged<Member>, Fault> {
        let here = |user| member(user, place);
        paged::read(&*self.store, Some(PLATFORM), Order::Name, part, here).await
    }

    /// Takes every role of a person at a place, and below it; what they hold elsewhere stays. Their tokens end. What they
    /// had by a group comes back with their next login, unless they are taken out of the group at their provider.
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
                without(&mut user.value, |held| held.is_within(place));
                user.value.end_tokens(self.clock.now());
                let mut writes = vec![Write::Put(Doc::new(&user.value, user.version))];
                writes.extend(grants::lost(&*self.store, &user.value, Some(place)).await?);
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

/// What somebody holds there, if anything.
fn member(user: User, place: &Place) -> Option<Member> {
    let mut grants = user.held();
    grants.retain(|grant| grant.place.is_within(place));
    let User { id, email, .. } = user;
    (!grants.is_empty() || *place == Place::Platform).then_some(Member { id, email, grants })
}

/// Everybody without the roles they held at places that go away.
pub(super) async fn without_place(
    store: &dyn Store,
    goes: impl Fn(&Place) -> bool,
    now: Timestamp,
) -> Result<Vec<Write>, Fault> {
    let mut writes = Vec::new();
    for mut user in records::list::<User>(store, &Filter::default()).await? {
        if without(&mut user.value, &goes) {
            user.value.end_tokens(now);
            writes.push(Write::Put(Doc::new(&user.value, user.version)));
            writes.extend(grants::lost(store, &user.value, None).await?);
        }
    }
    Ok(writes)
}

/// Whether there was any.
fn without(user: &mut User, goes: impl Fn(&Place) -> bool) -> bool {
    let before = user.grants.len() + user.by_group.len();
    user.grants.retain(|grant| !goes(&grant.place));
    user.by_group.retain(|held| !goes(&held.grant.place));
    user.grants.len() + user.by_group.len() != before
}
