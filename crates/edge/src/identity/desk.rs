//! The one who answers: the snapshot in force, and what was answered from it.

use std::{
    sync::{Arc, RwLock},
    time::{SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use iam::{
    review::{Refusal, Snapshot},
    token::Claims,
};
use tokio::sync::watch;
use types::{ClusterId, MachineId, NetworkId, Timestamp};

use super::{
    answer::{Answers, Unreadable, token},
    cache::{self, Cache},
};
use crate::metrics::Metrics;

#[derive(Default)]
pub struct Desk {
    current: RwLock<Arc<Current>>,
    changed: watch::Sender<()>,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct Current {
    snapshot: Snapshot,
    cache: Cache,
}

impl Desk {
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            current: RwLock::default(),
            changed: watch::Sender::default(),
            metrics,
        }
    }

    /// Answers from this snapshot from now on. Without one nobody is known.
    pub fn configure(&self, snapshot: Option<&Snapshot>) {
        let snapshot = snapshot.cloned().unwrap_or_default();
        let mut current = self
            .current
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        // A number alone changes no answer.
        let same = Snapshot {
            generation: snapshot.generation,
            ..current.snapshot.clone()
        } == snapshot;
        if !same {
            *current = Arc::new(Current {
                snapshot,
                cache: Cache::default(),
            });
            self.changed.send_replace(());
        }
    }

    /// Told of every snapshot that changes answers.
    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Whose ticket it is, good now for that instance.
    pub(crate) fn ticket(
        &self,
        network: &NetworkId,
        cluster: &ClusterId,
        instance: &MachineId,
        ticket: &str,
    ) -> Result<Claims, Refusal> {
        self.current()
            .snapshot
            .ticket(network, cluster, instance, ticket, now())
    }

    /// Whether claims that were good are withdrawn by nothing since; their time does not count.
    pub(crate) fn stands(&self, claims: &Claims) -> bool {
        self.current().snapshot.stands(claims).is_ok()
    }

    fn current(&self) -> Arc<Current> {
        self.current
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
    }

    fn review(&self, network: &NetworkId, cluster: &ClusterId, token: &str, now: Timestamp) -> Bytes {
        self.metrics.reviews.add(1);
        let current = self.current();
        let key = cache::key(network, cluster, token);
        if let Some(answer) = current.cache.find(&key, now) {
            self.metrics.reviews_remembered.add(1);
            return answer;
        }
        let review = current.snapshot.review(network, cluster, token, now);
        let answer = Bytes::from(review.document());
        match review.refusal {
            None => current.cache.keep(key, answer.clone(), review.until),
            Some(refusal) => {
                // Never the token, nor anything of it.
                tracing::debug!(%network, %cluster, code = refusal.code(), "a token is refused");
                self.metrics.refused_review(refusal.code());
            }
        }
        answer
    }
}

impl Answers for Desk {
    fn answer(&self, network: &NetworkId, cluster: &ClusterId, question: &[u8]) -> Result<Bytes, Unreadable> {
        let token = token(question)?;
        Ok(self.review(network, cluster, &token, now()))
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use iam::{
        keys::{KeySet, SigningKey},
        review::{AUDIENCE, Reach},
        token::{Claims, mint},
    };
    use types::{OrgId, ProjectId, TokenId, tenant::Role};

    use super::*;

    #[test]
    fn an_answer_is_remembered_and_forgotten_with_what_it_came_from() {
        let key = SigningKey::generate().unwrap();
        let (network, cluster) = (NetworkId::generate(), ClusterId::generate());
        let (org, project) = (OrgId::generate(), ProjectId::generate());
        let claims = Claims {
            iss: "https://cloud.test".to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: "user-0123456789abcdef".to_owned(),
            email: "ana@acme.example".to_owned(),
            org_id: Some(org.clone()),
            project_id: Some(project.clone()),
            roles: vec![Role::ProjectViewer],
            iat: Timestamp(1000),
            exp: Timestamp(2000),
            jti: TokenId::generate(),
        };
        let mut snapshot = Snapshot {
            generation: 1,
            issuer: claims.iss.clone(),
            keys: KeySet(vec![key.public()]),
            principals: BTreeSet::from([claims.sub.clone()]),
            clusters: BTreeMap::from([(
                cluster.clone(),
                Reach {
                    network: network.clone(),
                    org,
                    projects: BTreeSet::from([project]),
                    grants: BTreeMap::new(),
                },
            )]),
            ..Snapshot::default()
        };
        let token = mint(&key, &claims).unwrap();
        let token = token.expose_str().unwrap();
        let desk = Desk::default();
        let good = |now| {
            let answer = desk.review(&network, &cluster, token, Timestamp(now));
            String::from_utf8_lossy(&answer).contains(r#""authenticated":true"#)
        };
        assert!(!good(1500), "nobody is known yet");
        desk.configure(Some(&snapshot));
        assert!(good(1500) && good(1501));
        assert_eq!(desk.metrics.reviews_remembered.get(), 1);
        assert!(!good(2000), "its time is over, remembered or not");
        snapshot.generation = 2;
        desk.configure(Some(&snapshot));
        assert!(good(1502));
        assert_eq!(
            desk.metrics.reviews_remembered.get(),
            2,
            "a number changes no answer"
        );
        snapshot.revoked.insert(claims.jti.clone(), claims.exp);
        desk.configure(Some(&snapshot));
        assert!(!good(1503));
        assert!(
            desk.metrics
                .render(1, 0, 0)
                .contains("edge_reviews_refused_total{code=\"token-revoked\"} 1")
        );
        desk.configure(None);
        assert!(!good(1503));
    }
}
