//! Labels, selectors and watches, as they are typed.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use crate::site::Site;

fn names(list: &str) -> Vec<&str> {
    list.lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

#[test]
fn what_was_labelled_is_found_again() {
    let site = Site::start();
    for (name, env) in [("a", "prod"), ("b", "test"), ("c", "prod")] {
        let label = format!("env={env}");
        site.done(&[
            "vpc",
            "create",
            "--name",
            name,
            "--cidr",
            "10.20.0.0/16",
            "--label",
            &label,
            "--label",
            "team=shop",
        ]);
    }
    let list = |more: &[&str]| site.done(&[&["vpc", "list"], more].concat());
    assert_eq!(names(&list(&["-l", "env=prod"])), ["a", "c"]);
    assert_eq!(names(&list(&["-l", "env notin (prod),team"])), ["b"]);
    assert_eq!(names(&list(&["--field-selector", "name!=b"])), ["a", "c"]);
    assert_eq!(names(&list(&["--limit", "2"])), ["a", "b"]);
    assert!(list(&["-o", "wide"]).contains("env=prod,team=shop"));
    for (words, code) in [
        (["-l", "env="], None),
        (["-l", "env==prod,,"], Some(2)),
        (["--field-selector", "colour=red"], Some(2)),
        (["--limit", "0"], Some(2)),
    ] {
        let ran = site.run(&[&["vpc", "list"], &words[..]].concat());
        assert_eq!(ran.code, code.unwrap_or(0), "{words:?}: {}", ran.err);
    }
}

#[test]
fn labels_are_changed_by_a_file_and_nothing_else_is() {
    let site = Site::start();
    let file = |env: &str| {
        format!(
            "apiVersion: plasmacloud.io/v1\nkind: VPC\nmetadata: {{name: lab, labels: {{env: {env}}}}}\nspec: {{cidr: 10.20.0.0/16}}\n\
             ---\napiVersion: plasmacloud.io/v1\nkind: Cluster\nmetadata: {{name: dev, labels: {{env: {env}}}}}\nspec: {{vpc: lab}}\n"
        )
    };
    let first = site.write("first.yaml", &file("test"));
    site.done(&["apply", "-f", &first]);
    let operations = site.done(&["operation", "list"]);
    let again = site.done(&["apply", "-f", &first]);
    assert!(
        again.contains("VPC lab is unchanged") && again.contains("cluster dev is unchanged"),
        "{again}"
    );
    let second = site.write("second.yaml", &file("prod"));
    let changed = site.done(&["apply", "-f", &second]);
    assert!(
        changed.contains("VPC lab has new labels") && changed.contains("cluster dev has new labels"),
        "{changed}"
    );
    assert_eq!(names(&site.done(&["k8s", "list", "-l", "env=prod"])), ["dev"]);
    assert_eq!(names(&site.done(&["vpc", "list", "-l", "env=prod"])), ["lab"]);
    let after = site.done(&["operation", "list"]);
    assert_eq!(names(&after), names(&operations), "no operation was begun");
}

#[test]
fn a_watch_shows_what_there_is_and_what_comes() {
    let site = Site::with_vpc();
    let mut watching = site
        .command(&["vpc", "list", "--watch", "--field-selector", "name!=other"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().starts_with("EVENT"));
    assert!(next().starts_with("added     lab"));
    for name in ["other", "second"] {
        site.done(&["vpc", "create", "--name", name, "--cidr", "10.21.0.0/16"]);
    }
    let line = next();
    assert!(line.starts_with("added     second"), "{line}");
    site.done(&["vpc", "delete", "second"]);
    let line = next();
    assert!(line.starts_with("deleted   second"), "{line}");
    watching.kill().unwrap();
    watching.wait().unwrap();
}
