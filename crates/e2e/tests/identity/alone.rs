//! What goes on while parts of the platform are away.

use std::{fs, process::Command, time::Duration};

use e2e::{Platform, eventually, run};
use rustix::process::Signal;

use super::people::People;

const SOON: Duration = Duration::from_secs(30);

pub fn without_cloudd(people: &People<'_>, platform: &Platform) {
    // Not shown to the cluster yet: each is asked about anew.
    let [first, second] =
        [(); 2].map(|()| people.cluster_token(people.viewers_token(), people.cluster.name()));
    let held = platform.without_cloudd();
    people.whoami(&first).expect("cloudd is in nobody's way");
    let edge = platform.process("edge");
    edge.signal(Signal::KILL);
    eventually("the edge is there again and knows who is who", SOON, || {
        if platform.process("edge").pid == edge.pid {
            return Err("the old one".to_owned());
        }
        people.whoami(&second).map(|_| ())
    });
    drop(held);
    platform.wait_until_healthy();
}

/// The edge is also the way in from outside, so the cluster is called where it is.
pub fn without_the_edge(people: &People<'_>, platform: &Platform) {
    let config = people
        .cluster
        .kubectl(&["config", "view", "--raw", "-o", "json"])
        .json();
    assert!(
        config["users"][0]["user"]["client-certificate-data"].is_string(),
        "this kubeconfig is one with a certificate"
    );
    let slices = people
        .cluster
        .get(&["endpoints", "kubernetes"])
        .expect("the cluster's own address");
    let address = slices["subsets"][0]["addresses"][0]["ip"]
        .as_str()
        .expect("an address")
        .to_owned();
    let token = people.cluster_token(people.viewers_token(), people.cluster.name());
    let namespace = namespace(platform);
    let inside = |command: &Command| {
        let mut entered = Command::new("ip");
        entered
            .args(["netns", "exec", &namespace])
            .arg(command.get_program());
        entered.args(command.get_args());
        entered.args([
            "--server",
            &format!("https://{address}:6443"),
            "--tls-server-name",
            "kubernetes",
            "--request-timeout",
            "20s",
        ]);
        run(&mut entered, SOON)
    };
    inside(&people.cluster.kubectl_command(&["get", "nodes"])).ok();
    let edge = platform.process("edge");
    edge.signal(Signal::STOP);
    let by_certificate = inside(&people.cluster.kubectl_command(&["get", "nodes"]));
    let made = inside(
        &people
            .cluster
            .kubectl_command(&["create", "configmap", "made-without-the-edge"]),
    );
    let by_token = inside(&people.kubectl_command(&token, &["get", "--raw", "/api"]));
    edge.signal(Signal::CONT);
    by_certificate.ok();
    made.ok();
    assert_ne!(by_token.code, Some(0), "nobody could say whose token it is");
    eventually("tokens are good again", SOON, || {
        people.whoami(&token).map(|_| ())
    });
}

fn namespace(platform: &Platform) -> String {
    let prefix = format!("pc-{}-", platform.mark());
    let names = fs::read_dir("/run/netns").expect("namespaces").flatten();
    let mut names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names
        .find(|name| name.starts_with(&prefix))
        .expect("the network's")
}

pub fn no_key_on_disk(platform: &Platform) {
    let kept = fs::read_dir(platform.state().join("edge"))
        .expect("the edge's own")
        .flatten();
    for entry in kept.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())) {
        let text = fs::read(entry.path()).expect("a file");
        let text = String::from_utf8_lossy(&text);
        assert!(!text.contains("PRIVATE KEY"), "{}", entry.path().display());
    }
    let log = fs::read_to_string(platform.dir().join("log/edge.log")).expect("the edge's log");
    assert!(!log.contains("eyJ"), "a token is in the edge's log");
}
