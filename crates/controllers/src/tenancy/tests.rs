//! What is kept for tenants, as a person would review it, and what is done about what is found.

use std::collections::BTreeSet;

use kube::core::DynamicObject;
use kube::runtime::watcher::Event;
use serde_json::Value;
use types::grant::{GrantRole, Granted};
use types::tenancy::{LAST_BINDING, NamespaceLimits, PodSecurity, TenantProject, project_namespace};

use super::{
    desired::objects,
    live::Live,
    object::{Key, Object},
    plan::{Act, plan},
    *,
};

const NOW: Timestamp = Timestamp(1_800_000_000);

fn project(tail: char) -> TenantProject {
    let id = |prefix: &str| format!("{prefix}-{}", tail.to_string().repeat(16));
    TenantProject {
        id: id("proj").parse().unwrap(),
        org: id("org").parse().unwrap(),
        name: "shop".parse().unwrap(),
        created_by: "ana@acme.example".to_owned(),
        pod_security: PodSecurity::Baseline,
        limits: NamespaceLimits::default(),
        remove_after: None,
    }
}

fn tenancy(projects: Vec<TenantProject>) -> Tenancy {
    Tenancy {
        cluster: "k8s-0123456789abcdef".parse().unwrap(),
        projects,
        shared: Vec::new(),
        grants: None,
    }
}

fn all_of(told: &Tenancy) -> Vec<Object> {
    objects(told, &BTreeSet::new(), NOW)
}

/// A cluster in which all this is, and was listed.
fn cluster(objects: &[Object]) -> Live {
    let mut live = Live::default();
    for kind in Kind::ALL {
        live.take(kind, Event::Init);
        for object in objects.iter().filter(|object| object.key.kind == kind) {
            let found: DynamicObject = serde_json::from_value(object.body.clone()).unwrap();
            live.take(kind, Event::InitApply(found));
        }
        live.take(kind, Event::InitDone);
    }
    live
}

fn acts(told: &Tenancy, live: &Live) -> Vec<String> {
    let shown = |act: &Act| match act {
        Act::Apply(object) => format!("apply {}", object.key),
        Act::Delete(key) => format!("delete {key}"),
    };
    plan(told, live, &Kind::ALL, NOW).acts.iter().map(shown).collect()
}

fn changed(objects: &[Object], name: &str, change: impl Fn(&mut Value)) -> Vec<Object> {
    let mut objects = objects.to_vec();
    let object = objects.iter_mut().find(|o| o.key.name == name).unwrap();
    change(&mut object.body);
    objects
}

#[test]
fn all_that_is_kept() {
    let mut told = tenancy(vec![project('a')]);
    told.shared = vec![told.projects[0].org.clone()];
    let all: Vec<String> = all_of(&told)
        .iter()
        .map(|object| {
            format!(
                "{}\n{}",
                object.key,
                serde_json::to_string_pretty(&object.body).unwrap()
            )
        })
        .collect();
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn restricted_is_selectable() {
    let mut told = tenancy(vec![project('a')]);
    told.projects[0].pod_security = PodSecurity::Restricted;
    let all = all_of(&told);
    let namespace = all.iter().find(|o| o.key.kind == Kind::Namespace).unwrap();
    let labels = &namespace.body["metadata"]["labels"];
    assert_eq!(labels["pod-security.kubernetes.io/enforce"], "restricted");
}

#[test]
fn only_groups_that_name_a_role_are_bound() {
    let mut told = tenancy(vec![project('a'), project('b')]);
    told.shared = vec![told.projects[0].org.clone()];
    let mut groups: Vec<String> = Vec::new();
    for object in all_of(&told) {
        for subject in object.body["subjects"].as_array().into_iter().flatten() {
            assert_eq!(subject["kind"], "Group");
            groups.push(subject["name"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(groups.len(), 10);
    for group in groups {
        let named = group.ends_with(":admin") || group.ends_with(":member") || group.ends_with(":viewer");
        assert!(named || group == "system:plasmacloud-admins", "{group}");
    }
}

#[test]
fn an_empty_cluster_gets_everything_guard_first_and_a_full_one_nothing() {
    let told = tenancy(vec![project('a')]);
    let all = all_of(&told);
    let made = acts(&told, &cluster(&[]));
    assert_eq!(made.len(), all.len());
    assert!(
        made[0].starts_with("apply ValidatingAdmissionPolicy "),
        "{made:?}"
    );
    assert!(
        made.last().is_some_and(|last| last.ends_with(LAST_BINDING)),
        "{made:?}"
    );
    assert!(acts(&told, &cluster(&all)).is_empty());
}

#[test]
fn what_is_gone_or_changed_comes_back_and_what_is_beside_it_stays() {
    let told = tenancy(vec![project('a')]);
    let all = all_of(&told);
    let without: Vec<Object> = all
        .iter()
        .filter(|o| o.key.name != "default-deny-all")
        .cloned()
        .collect();
    let place = project_namespace(&told.projects[0].id);
    assert_eq!(
        acts(&told, &cluster(&without)),
        [format!("apply NetworkPolicy {place}/default-deny-all")]
    );
    let lifted = changed(&all, "project-object-quota", |body| {
        body["spec"]["hard"]["pods"] = "5000".into();
    });
    assert_eq!(
        acts(&told, &cluster(&lifted)),
        [format!("apply ResourceQuota {place}/project-object-quota")]
    );
    let opened = changed(&all, "default-deny-all", |body| {
        body["spec"]["ingress"] = serde_json::json!([{}]);
    });
    assert_eq!(acts(&told, &cluster(&opened)).len(), 1);
    let named = changed(&all, &place, |body| {
        body["metadata"]["labels"]["team"] = "shop".into();
    });
    assert!(acts(&told, &cluster(&named)).is_empty());
}

#[test]
fn what_is_no_longer_wanted_of_a_kept_namespace_is_taken_out() {
    let mut told = tenancy(vec![project('a')]);
    let org = told.projects[0].org.clone();
    told.shared = vec![org.clone()];
    let before = cluster(&all_of(&told));
    told.shared.clear();
    let place = project_namespace(&told.projects[0].id);
    assert_eq!(
        acts(&told, &before),
        [format!("delete NetworkPolicy {place}/allow-org-shared")]
    );
    let orphans = plan(&told, &before, &Kind::ALL, NOW).orphans;
    assert_eq!(orphans, [format!("org-{org}-shared")]);
}

#[test]
fn a_project_keeps_its_namespace_until_its_time_is_over() {
    let mut told = tenancy(vec![project('a'), project('b')]);
    let live = cluster(&all_of(&told));
    told.projects[0].remove_after = Some(NOW.plus(60));
    let waiting = plan(&told, &live, &Kind::ALL, NOW);
    assert!(waiting.acts.is_empty(), "{waiting:?}");
    assert_eq!(waiting.next, Some(NOW.plus(60)));
    told.projects[0].remove_after = Some(NOW);
    let place = project_namespace(&told.projects[0].id);
    assert_eq!(acts(&told, &live), [format!("delete Namespace {place}")]);
}

#[test]
fn a_project_that_is_no_longer_spoken_of_loses_nothing() {
    let told = tenancy(vec![project('a'), project('b')]);
    let live = cluster(&all_of(&told));
    let fewer = tenancy(vec![project('a')]);
    let planned = plan(&fewer, &live, &Kind::ALL, NOW);
    assert!(planned.acts.is_empty(), "{planned:?}");
    assert_eq!(planned.orphans, [project_namespace(&told.projects[1].id)]);
}

#[test]
fn nothing_is_made_in_a_namespace_on_its_way_out() {
    let told = tenancy(vec![project('a')]);
    let all = all_of(&told);
    let place = project_namespace(&told.projects[0].id);
    let ending = changed(&all, &place, |body| {
        body["metadata"]["deletionTimestamp"] = "2026-11-16T00:00:00Z".into();
    });
    let emptied: Vec<Object> = ending.into_iter().filter(|o| o.key.namespace.is_none()).collect();
    assert!(acts(&told, &cluster(&emptied)).is_empty());
    let gone: Vec<Object> = emptied.into_iter().filter(|o| o.key.name != place).collect();
    assert_eq!(
        acts(&told, &cluster(&gone))[0],
        format!("apply Namespace {place}")
    );
}

#[test]
fn a_release_without_policies_gets_the_rest() {
    let told = tenancy(vec![project('a')]);
    let kinds: Vec<Kind> = Kind::ALL
        .into_iter()
        .filter(|kind| !kind.is_admission())
        .collect();
    let planned = plan(&told, &cluster(&[]), &kinds, NOW).acts;
    let guard = |act: &Act| matches!(act, Act::Apply(object) if object.key.kind.is_admission());
    assert!(!planned.is_empty() && !planned.iter().any(guard));
}

#[test]
fn keys_are_of_this_cluster_only() {
    let told = tenancy(vec![project('a')]);
    let keys: Vec<Key> = all_of(&told).into_iter().map(|object| object.key).collect();
    let distinct: BTreeSet<_> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len());
}

/// A cluster with these namespaces of others beside ours.
fn with_places(all: &[Object], places: &[&str]) -> Live {
    let mut live = cluster(all);
    for place in places {
        let found = DynamicObject::new(place, &Kind::Namespace.resource());
        live.take(Kind::Namespace, Event::Apply(found));
    }
    live
}

fn granted(role: GrantRole, namespace: Option<&str>) -> Granted {
    Granted {
        role,
        namespace: namespace.map(|n| n.parse().unwrap()),
    }
}

#[test]
fn all_that_is_kept_for_grants() {
    let mut told = tenancy(Vec::new());
    told.grants = Some(BTreeSet::from([
        granted(GrantRole::Viewer, None),
        granted(GrantRole::Viewer, Some("web")),
        granted(GrantRole::Admin, Some("web")),
        granted(GrantRole::Admin, None),
    ]));
    let places = ["web", "other", "kube-system"].map(str::to_owned).into();
    let all = objects(&told, &places, NOW);
    let of_grants = all.iter().filter(|o| o.key.name.contains("grant"));
    let shown: Vec<String> = of_grants
        .map(|o| format!("{}\n{}", o.key, serde_json::to_string_pretty(&o.body).unwrap()))
        .collect();
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[test]
fn working_is_never_granted_in_kubernetes_own_namespaces() {
    let mut told = tenancy(vec![project('a')]);
    told.grants = Some(GrantRole::ALL.map(|role| granted(role, None)).into());
    let places = ["web", "default", "kube-system", "kube-public", "kube-node-lease"];
    let all = objects(&told, &places.map(str::to_owned).into(), NOW);
    let bound: BTreeSet<&str> = all
        .iter()
        .filter(|o| o.key.kind == Kind::RoleBinding && o.key.name.contains("grant"))
        .filter_map(|o| o.key.namespace.as_deref())
        .collect();
    assert_eq!(bound, ["default", "web"].into());
    let everywhere = all.iter().filter(|o| o.key.kind == Kind::ClusterRoleBinding);
    for object in everywhere.filter(|o| o.key.name.contains("grant")) {
        let role = object.body["roleRef"]["name"].as_str().unwrap();
        assert!(
            ["plasmacloud-grant-cluster", "plasmacloud-grant-viewer"].contains(&role),
            "{role}"
        );
    }
}

#[test]
fn a_grant_follows_its_namespace_and_goes_when_it_is_taken() {
    let mut told = tenancy(vec![project('a')]);
    told.grants = Some(BTreeSet::from([granted(GrantRole::Member, Some("web"))]));
    let base = all_of(&told);
    let binding = "RoleBinding web/plasmacloud-grant-member-binding";
    assert!(
        acts(&told, &cluster(&base)).is_empty(),
        "there is no such namespace"
    );
    let live = with_places(&base, &["web", "other"]);
    assert_eq!(acts(&told, &live), [format!("apply {binding}")]);
    let whole = objects(&told, live.places(), NOW);
    let live = with_places(&whole, &["web", "other"]);
    assert!(acts(&told, &live).is_empty());
    let wider = changed(&whole, "plasmacloud-grant-member-binding", |body| {
        body["subjects"] = serde_json::json!([]);
    });
    assert_eq!(
        acts(&told, &with_places(&wider, &["web"])),
        [format!("apply {binding}")]
    );
    told.grants = Some(BTreeSet::new());
    assert_eq!(acts(&told, &live), [format!("delete {binding}")]);
    told.grants = None;
    assert!(acts(&told, &live).is_empty(), "nothing is said of grants");
}
