//! One good ticket, and every way in which it is not.

use std::collections::{BTreeMap, BTreeSet};

use types::{OrgId, ProjectId, TokenId};

use super::*;
use crate::{
    keys::{KeySet, SigningKey},
    review::{AUDIENCE, Reach},
    token::{TokenError, mint},
};

const NOW: Timestamp = Timestamp(1_800_000_000);
const ISSUER: &str = "https://cloud.test";
const USER: &str = "user-0123456789abcdef";

struct Scene {
    key: SigningKey,
    snapshot: Snapshot,
    network: NetworkId,
    cluster: ClusterId,
    instance: MachineId,
    claims: Claims,
}

fn scene() -> Scene {
    let key = SigningKey::generate().unwrap();
    let (network, cluster, instance) = (
        NetworkId::generate(),
        ClusterId::generate(),
        MachineId::generate(),
    );
    let (org, project) = (OrgId::generate(), ProjectId::generate());
    let reach = Reach {
        network: network.clone(),
        org: org.clone(),
        grants: Default::default(),
        projects: BTreeSet::from([project.clone()]),
    };
    Scene {
        snapshot: Snapshot {
            issuer: ISSUER.to_owned(),
            keys: KeySet(vec![key.public()]),
            principals: BTreeSet::from([USER.to_owned()]),
            clusters: BTreeMap::from([(cluster.clone(), reach)]),
            ..Snapshot::default()
        },
        claims: Claims {
            iss: ISSUER.to_owned(),
            aud: audience(&instance),
            sub: USER.to_owned(),
            email: "ana@acme.example".to_owned(),
            org_id: Some(org),
            project_id: Some(project),
            roles: vec![Role::ProjectAdmin],
            iat: NOW,
            exp: NOW.plus(LIFE_S),
            jti: TokenId::generate(),
        },
        key,
        network,
        cluster,
        instance,
    }
}

impl Scene {
    fn shown(&self, claims: &Claims, now: Timestamp) -> Result<Claims, Refusal> {
        let ticket = mint(&self.key, claims).unwrap();
        let ticket = ticket.expose_str().unwrap();
        self.snapshot
            .ticket(&self.network, &self.cluster, &self.instance, ticket, now)
    }
}

#[test]
fn a_ticket_is_for_one_instance_one_person_and_some_minutes() {
    let scene = scene();
    assert_eq!(scene.shown(&scene.claims, NOW), Ok(scene.claims.clone()));
    let ended = scene.shown(&scene.claims, NOW.plus(LIFE_S));
    assert_eq!(ended, Err(Refusal::Token(TokenError::Expired)));
    for aud in [
        AUDIENCE.to_owned(),
        audience(&MachineId::generate()),
        format!("k8s:{}", scene.cluster),
    ] {
        let claims = Claims {
            aud,
            ..scene.claims.clone()
        };
        assert_eq!(
            scene.shown(&claims, NOW),
            Err(Refusal::Token(TokenError::Audience))
        );
    }
    for roles in [vec![], vec![Role::ProjectViewer], vec![Role::ProjectMember]] {
        let claims = Claims {
            roles,
            ..scene.claims.clone()
        };
        assert_eq!(scene.shown(&claims, NOW), Err(Refusal::Role));
    }
    let elsewhere = Claims {
        project_id: Some(ProjectId::generate()),
        ..scene.claims.clone()
    };
    assert_eq!(scene.shown(&elsewhere, NOW), Err(Refusal::Reach));
}

#[test]
fn a_ticket_is_no_token_for_anything_else() {
    let scene = scene();
    let ticket = mint(&scene.key, &scene.claims).unwrap();
    let review = scene
        .snapshot
        .review(&scene.network, &scene.cluster, ticket.expose_str().unwrap(), NOW);
    assert_eq!(review.refusal, Some(Refusal::Token(TokenError::Audience)));
}

#[test]
fn forged_ones_and_wrong_places_are_refused() {
    let scene = scene();
    let forged = mint(&SigningKey::generate().unwrap(), &scene.claims).unwrap();
    let forged = forged.expose_str().unwrap();
    let ask = |network: &NetworkId, cluster: &ClusterId, ticket: &str| {
        scene
            .snapshot
            .ticket(network, cluster, &scene.instance, ticket, NOW)
    };
    assert_eq!(
        ask(&scene.network, &scene.cluster, forged),
        Err(Refusal::Token(TokenError::UnknownKey))
    );
    let good = mint(&scene.key, &scene.claims).unwrap();
    let good = good.expose_str().unwrap();
    assert_eq!(
        ask(&NetworkId::generate(), &scene.cluster, good),
        Err(Refusal::Cluster)
    );
    assert_eq!(
        ask(&scene.network, &ClusterId::generate(), good),
        Err(Refusal::Cluster)
    );
}

#[test]
fn what_was_withdrawn_does_not_stand_any_more() {
    let mut scene = scene();
    scene.snapshot.stands(&scene.claims).unwrap();
    scene.snapshot.not_before.insert(USER.to_owned(), NOW.plus(1));
    assert_eq!(scene.shown(&scene.claims, NOW), Err(Refusal::Withdrawn));
    scene.snapshot.not_before.clear();
    scene
        .snapshot
        .revoked
        .insert(scene.claims.jti.clone(), scene.claims.exp);
    assert_eq!(scene.shown(&scene.claims, NOW), Err(Refusal::Revoked));
    scene.snapshot.revoked.clear();
    scene.snapshot.principals.clear();
    assert_eq!(scene.snapshot.stands(&scene.claims), Err(Refusal::Principal));
}
