//! Lists over HTTP: by the page, with cursors that are good for their own question only.

use api::{client::Select, cluster::ClusterList, routes};
use serde_json::Value;

use super::site::{Site, network, start};

fn select(labels: &str, fields: &str) -> Select {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Select {
        labels: given(labels),
        fields: given(fields),
    }
}

async fn names(site: &Site, select: &Select, limit: u32) -> Vec<String> {
    let mut pages = site.client.clusters(select);
    let mut names = Vec::new();
    while let Some(page) = pages.next(limit).await.unwrap() {
        assert!(page.clusters.len() == limit as usize || page.next.is_none());
        names.extend(page.clusters.into_iter().map(|cluster| cluster.name));
    }
    names
}

#[tokio::test]
async fn every_selection_pages_to_exactly_what_it_selects() {
    let dir = tempfile::tempdir().unwrap();
    let site = start(&dir.path().join("s.db"), None).await;
    site.books.clusters(130).await;
    let expected = |wanted: fn(u64) -> bool| -> Vec<String> {
        (0..130)
            .filter(|n| wanted(*n))
            .map(|n| format!("c-{n:05}"))
            .collect()
    };
    for limit in [1, 7, 65, 130, 500] {
        for (labels, fields, wanted) in [
            ("", "", (|_| true) as fn(u64) -> bool),
            ("env=prod", "", |n| n.is_multiple_of(5)),
            ("env notin (prod)", "", |n| !n.is_multiple_of(5)),
            ("!env", "", |_| false),
            ("", "phase=RUNNING", |n| n.is_multiple_of(3)),
            ("env in (prod,x)", "phase!=RUNNING", |n| {
                n.is_multiple_of(5) && !n.is_multiple_of(3)
            }),
            ("", "name=c-00007", |n| n == 7),
        ] {
            let seen = names(&site, &select(labels, fields), limit).await;
            assert_eq!(seen, expected(wanted), "{labels} {fields} by {limit}");
        }
    }
}

#[tokio::test]
async fn a_cursor_is_good_for_its_own_question_only() {
    let dir = tempfile::tempdir().unwrap();
    let site = start(&dir.path().join("s.db"), None).await;
    site.books.clusters(9).await;
    for n in 1..4 {
        site.books.put(&network(n, &format!("n{n}"), &[])).await;
    }
    let (status, body) = site.get("clusters?limit=2", "").await;
    assert_eq!(status, 200, "{body}");
    let list: ClusterList = serde_json::from_str(&body).unwrap();
    let cursor = list.next.unwrap();
    let refused = |answer: (u16, String), what: &str| {
        let problem: Value = serde_json::from_str(&answer.1).unwrap();
        assert_eq!(
            (answer.0, &problem["code"]),
            (422, &Value::from("cursor-invalid")),
            "{what}"
        );
    };
    let (status, body) = site.get(&format!("clusters?limit=3&cursor={cursor}"), "").await;
    let list: ClusterList = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (status, list.clusters[0].name.as_str()),
        (200, "c-00002"),
        "another size is the same question"
    );
    for (path, what) in [
        (format!("networks?cursor={cursor}"), "another list"),
        (
            format!("clusters?labelSelector=env%3Dprod&cursor={cursor}"),
            "a filter",
        ),
        (format!("clusters?cursor={}A", cursor), "longer"),
        (format!("clusters?cursor={}", &cursor[..cursor.len() - 4]), "cut"),
        ("clusters?cursor=".to_owned(), "empty"),
        ("clusters?cursor=%2e%2e%2f".to_owned(), "nonsense"),
    ] {
        refused(site.get(&path, "").await, what);
    }
}

/// From the table itself: a list that somebody adds is asked, too.
#[tokio::test]
async fn no_route_takes_a_parameter_it_does_not_declare() {
    let dir = tempfile::tempdir().unwrap();
    let site = start(&dir.path().join("s.db"), None).await;
    let mut limited = 0;
    for route in routes::TABLE {
        let Some(path) = route.path.strip_prefix("/v1/projects/{project}/") else {
            continue;
        };
        if route.method != routes::Method::Get || path.contains('{') {
            continue;
        }
        let (status, body) = site.get(&format!("{path}?colour=red"), "").await;
        assert!(
            status == 400 && body.contains("query-unknown") && body.contains("colour"),
            "{path}: {body}"
        );
        if route.query.iter().any(|parameter| parameter.name == "limit") {
            for bad in ["0", "-1", "501", "x", ""] {
                let (status, body) = site.get(&format!("{path}?limit={bad}"), "").await;
                assert!(
                    status == 400 && body.contains("limit-range"),
                    "{path} {bad}: {body}"
                );
            }
            limited += 1;
        }
    }
    assert!(limited >= 8, "{limited}");
}

#[tokio::test]
async fn what_is_wrong_with_a_selector_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let site = start(&dir.path().join("s.db"), None).await;
    for (path, words) in [
        (
            "clusters?labelSelector=a%20b",
            ["selector-invalid", "labelSelector"],
        ),
        (
            "clusters?fieldSelector=colour%3Dred",
            ["field-unknown", "networkId"],
        ),
        (
            "clusters?fieldSelector=name",
            ["selector-invalid", "fieldSelector"],
        ),
        ("instances?labelSelector=a", ["query-unknown", "labelSelector"]),
        ("clusters?resume=x", ["query-misplaced", "watch=true"]),
        ("clusters?watch=true&limit=5", ["query-misplaced", "limit"]),
        ("clusters?watch=true&resume=x", ["resume-invalid", "same filters"]),
        ("clusters?watch=maybe", ["query-invalid", "true or false"]),
    ] {
        let (status, body) = site.get(path, "").await;
        // What the document can say is refused as not fitting it; what it cannot, as understood and refused.
        let said = words[0] == "query-unknown" || words[0] == "query-invalid";
        assert_eq!(status, if said { 400 } else { 422 }, "{path}: {body}");
        for word in words {
            assert!(body.contains(word), "{path}: {word} in {body}");
        }
    }
}
