//! The registry inside a network, asked as containerd asks.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddrV4, TcpStream},
    path::Path,
    time::Duration,
};

use bundle::{Digest, ImageStore};
use ports::{Edge as _, edge::REGISTRY_PORT};
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};

use crate::edge::{Edge, MACHINE, PLATFORM, STRANGER, inside};

struct Answer {
    status: u16,
    headers: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// One request from an address of the namespace.
fn ask(namespace: &Path, from: Ipv4Addr, request: &str, extra: &str) -> Answer {
    inside(namespace, || {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        bind(&socket, &SocketAddrV4::new(from, 0)).unwrap();
        connect(&socket, &SocketAddrV4::new(PLATFORM, REGISTRY_PORT)).unwrap();
        let mut stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: registry\r\nConnection: close\r\n{extra}\r\n"
        )
        .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let headers = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            headers,
            body: bytes[end + 4..].to_vec(),
        }
    })
}

/// A docker archive with one layer.
fn archive(tag: &str, layer: &[u8]) -> Vec<u8> {
    let config = format!(
        r#"{{"architecture":"amd64","os":"linux","rootfs":{{"type":"layers","diff_ids":["{}"]}}}}"#,
        Digest::of(layer)
    );
    let manifest = format!(r#"[{{"Config":"config.json","RepoTags":["{tag}"],"Layers":["layer.tar"]}}]"#);
    let mut tar = Vec::new();
    for (name, data) in [
        ("config.json", config.as_bytes()),
        ("layer.tar", layer),
        ("manifest.json", manifest.as_bytes()),
    ] {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..107].copy_from_slice(b"0000644");
        header[124..135].copy_from_slice(format!("{:011o}", data.len()).as_bytes());
        header[156] = b'0';
        header[257..263].copy_from_slice(b"ustar\0");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        tar.extend(header);
        tar.extend(data);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

#[tokio::test]
async fn a_machine_reads_what_its_tenant_loaded_and_a_stranger_nothing() {
    let edge = Edge::start().await;
    edge.client.apply(&edge.config).await.unwrap();
    let namespace = &edge.config.networks[0].namespace;
    let path = "/v2/library/app/manifests/v1?ns=docker.io";
    assert_eq!(ask(namespace, MACHINE, &format!("GET {path}"), "").status, 404);
    // Loaded while the edge runs: there at once.
    let layer: Vec<u8> = (0..300_000u32).flat_map(u32::to_le_bytes).collect();
    let store = ImageStore::open(edge.dir.path().join("images")).unwrap();
    store.import(archive("app:v1", &layer).as_slice()).unwrap();

    let ping = ask(namespace, MACHINE, "GET /v2/", "");
    assert_eq!(
        (ping.status, ping.header("docker-distribution-api-version")),
        (200, Some("registry/2.0"))
    );
    let head = ask(namespace, MACHINE, &format!("HEAD {path}"), "");
    let manifest = ask(namespace, MACHINE, &format!("GET {path}"), "");
    let digest = Digest::of(&manifest.body).to_string();
    for answer in [&head, &manifest] {
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("docker-content-digest"), Some(digest.as_str()));
        assert_eq!(
            answer.header("content-length"),
            Some(manifest.body.len().to_string().as_str())
        );
        assert!(
            answer.header("content-type").unwrap().contains("manifest"),
            "{}",
            answer.headers
        );
    }
    assert!(head.body.is_empty());
    let parsed: serde_json::Value = serde_json::from_slice(&manifest.body).unwrap();
    let by_digest = ask(
        namespace,
        MACHINE,
        &format!("GET /v2/library/app/manifests/{digest}?ns=docker.io"),
        "",
    );
    assert_eq!(by_digest.body, manifest.body);

    let blob = format!(
        "GET /v2/library/app/blobs/{}?ns=docker.io",
        parsed["layers"][0]["digest"].as_str().unwrap()
    );
    let whole = ask(namespace, MACHINE, &blob, "");
    assert_eq!(
        (whole.status, whole.header("accept-ranges")),
        (200, Some("bytes"))
    );
    let part = ask(namespace, MACHINE, &blob, "Range: bytes=70000-\r\n");
    assert_eq!(part.status, 206);
    assert_eq!(part.body, whole.body[70_000..]);
    let size = whole.body.len();
    assert_eq!(
        part.header("content-range"),
        Some(format!("bytes 70000-{}/{size}", size - 1).as_str())
    );
    assert_eq!(
        ask(namespace, MACHINE, &blob, &format!("Range: bytes={size}-\r\n")).status,
        416
    );

    let refused = ask(namespace, STRANGER, &format!("GET {path}"), "");
    assert_eq!(refused.status, 403);
    let errors: serde_json::Value = serde_json::from_slice(&refused.body).unwrap();
    assert_eq!(errors["errors"][0]["code"], "DENIED");
    for (request, status, code) in [
        (
            "GET /v2/library/app/manifests/v2?ns=docker.io",
            404,
            "MANIFEST_UNKNOWN",
        ),
        (
            &format!("GET /v2/library/app/blobs/{}", Digest::of("other")),
            404,
            "BLOB_UNKNOWN",
        ),
        ("GET /v2/../../etc/passwd", 404, "NAME_INVALID"),
        ("PUT /v2/library/app/manifests/v1", 405, "UNSUPPORTED"),
    ] {
        let answer = ask(namespace, MACHINE, request, "");
        assert_eq!(answer.status, status, "{request}");
        assert!(String::from_utf8_lossy(&answer.body).contains(code), "{request}");
    }
}

#[tokio::test]
async fn clients_come_and_go_with_pushes() {
    let mut edge = Edge::start().await;
    edge.client.apply(&edge.config).await.unwrap();
    let namespace = edge.config.networks[1].namespace.clone();
    assert_eq!(ask(&namespace, MACHINE, "GET /v2/", "").status, 200);
    edge.config.generation = 2;
    edge.config.networks[1].clients[0].address = STRANGER;
    edge.client.apply(&edge.config).await.unwrap();
    assert_eq!(ask(&namespace, MACHINE, "GET /v2/", "").status, 403);
    assert_eq!(ask(&namespace, STRANGER, "GET /v2/", "").status, 200);
}
