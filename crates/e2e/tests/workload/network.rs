//! Reaching pods: by name, by node port, through the API, and with the client's own address.

use std::{process::Command, time::Duration};

use e2e::{Cluster, Platform, Session, eventually, run};
use serde_json::Value;

use super::pods::probes;

const SOON: Duration = Duration::from_secs(30);

pub fn by_name(cluster: &Cluster<'_>) {
    probes(cluster);
    for probe in ["probe-0", "probe-1"] {
        eventually("the service's name answers", SOON, || {
            let page = cluster
                .shell(probe, "curl -sS -m 3 http://web.default.svc.cluster.local/")
                .try_ok()?;
            if page.contains("nginx") { Ok(()) } else { Err(page) }
        });
    }
    // From a pod on one node straight to the pod on the other: not by chance to its neighbour.
    let pods = cluster.get(&["pods", "-l", "app=web"]).expect("pods");
    let here = cluster.get(&["pod", "probe-0"]).expect("a pod")["spec"]["nodeName"].clone();
    let there = pods["items"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|pod| pod["spec"]["nodeName"] != here);
    let address = there.expect("one is on the other node")["status"]["podIP"]
        .as_str()
        .expect("an address")
        .to_owned();
    cluster
        .shell("probe-0", &format!("curl -sS -m 3 http://{address}/"))
        .ok();
    // A name outside the cluster has a definite answer, not a time-out.
    let outside = cluster.shell("probe-0", "getent hosts kubernetes.default.svc.cluster.local");
    assert!(outside.ok().contains("10.96.0.1"));
}

pub fn port_forward(cluster: &Cluster<'_>) {
    let mut session = Session::start(&mut cluster.kubectl_command(&["port-forward", "service/web", ":80"]));
    let said = session.hears("Forwarding from 127.0.0.1:", SOON);
    let port = said
        .split("127.0.0.1:")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .expect("a port")
        .to_owned();
    let url = format!("http://127.0.0.1:{port}/");
    for _ in 0..3 {
        assert!(
            run(Command::new("curl").args(["-sS", "-m", "5", &url]), SOON)
                .ok()
                .contains("nginx")
        );
    }
}

pub fn node_port(cluster: &Cluster<'_>, platform: &Platform) {
    cluster.apply(
        r#"
apiVersion: v1
kind: Service
metadata: {name: web-port}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80, nodePort: 30080}]}
"#,
    );
    let vpc = platform.cloud(&["vpc", "get", "lab", "-o", "json"]).json();
    let id = vpc["id"].as_str().expect("an id");
    let namespace = format!(
        "pc-{}-{}",
        platform.mark(),
        id.rsplit('-').next().expect("a tail")
    );
    for address in node_addresses(cluster) {
        let url = format!("http://{address}:30080/");
        for probe in ["probe-0", "probe-1"] {
            eventually("the node port answers a pod", SOON, || {
                cluster.shell(probe, &format!("curl -sS -m 3 {url}")).try_ok()
            });
        }
        eventually("the node port answers in the VPC", SOON, || {
            let curl = ["netns", "exec", &namespace, "curl", "-sS", "-m", "3", &url];
            run(Command::new("ip").args(curl), SOON).try_ok()
        });
    }
}

fn node_addresses(cluster: &Cluster<'_>) -> Vec<String> {
    let nodes = cluster.get(&["nodes"]).expect("nodes");
    let address = |node: &Value| {
        let all = node["status"]["addresses"].as_array().expect("addresses");
        let internal = all
            .iter()
            .find(|address| address["type"] == "InternalIP")
            .expect("an internal one");
        internal["address"].as_str().expect("text").to_owned()
    };
    nodes["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(address)
        .collect()
}

pub fn proxy(cluster: &Cluster<'_>) {
    let path = "/api/v1/namespaces/default/services/web:80/proxy/";
    assert!(cluster.kubectl(&["get", "--raw", path]).ok().contains("nginx"));
    let mut session = Session::start(&mut cluster.kubectl_command(&["proxy", "--port=0"]));
    let said = session.hears("Starting to serve on ", SOON);
    let address = said.trim().rsplit(' ').next().expect("an address").to_owned();
    let url = format!("http://{address}{path}");
    assert!(
        run(Command::new("curl").args(["-sS", "-m", "5", &url]), SOON)
            .ok()
            .contains("nginx")
    );
}

pub fn source_address(cluster: &Cluster<'_>) {
    let pod = |name: &str| cluster.get(&["pod", name]).expect("a pod");
    let address = |name: &str| {
        pod(name)["status"]["podIP"]
            .as_str()
            .expect("an address")
            .to_owned()
    };
    for (client, server) in [("probe-0", "probe-1"), ("probe-1", "probe-0")] {
        let seen = cluster
            .shell(
                client,
                &format!("curl -sS -m 3 http://{}:8080/clientip", address(server)),
            )
            .ok();
        assert!(
            seen.starts_with(&format!("{}:", address(client))),
            "{client} at {} is seen as {seen}",
            address(client)
        );
    }
}
