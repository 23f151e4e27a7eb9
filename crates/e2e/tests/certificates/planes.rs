//! What a control plane has in its files, and what the edge says to whoever shows it.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use e2e::{Cluster, Platform, run};
use iam::pki::Facts;

const SOON: Duration = Duration::from_secs(30);

pub struct Plane {
    files: PathBuf,
    dir: PathBuf,
    namespace: String,
}

/// A certificate with its key, where a program finds them.
pub struct Shown {
    ca: PathBuf,
    cert: PathBuf,
    key: PathBuf,
}

impl Shown {
    /// The same certificate, by somebody who trusts what `other` trusts.
    pub fn trusting(self, other: &Self) -> Self {
        let ca = other.ca.clone();
        Self { ca, ..self }
    }
}

impl Plane {
    pub fn of(platform: &Platform, cluster: &Cluster<'_>) -> Self {
        let machines = fs::read_dir(platform.state().join("machines"))
            .expect("machines")
            .flatten();
        let mut files = machines.map(|entry| entry.path().join("root/etc/k8shost"));
        let files = files.find(|files| files.join("ca.crt").exists());
        let prefix = format!("pc-{}-", platform.mark());
        let names = fs::read_dir("/run/netns").expect("namespaces").flatten();
        let mut names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        Self {
            files: files.unwrap_or_else(|| panic!("{} has a control plane", cluster.name())),
            dir: platform.dir().to_owned(),
            namespace: names
                .find(|name| name.starts_with(&prefix))
                .expect("the network's"),
        }
    }

    /// Fingerprints of the roots it has.
    pub fn roots(&self) -> Vec<String> {
        let text = fs::read_to_string(self.files.join("ca.crt")).expect("roots");
        let facts = Facts::all(&text).expect("certificates").into_iter();
        facts.map(|facts| facts.fingerprint).collect()
    }

    /// A copy of what it shows to the platform now.
    pub fn client(&self) -> Shown {
        let serial = fs::read_to_string(self.files.join("apiserver-client.crt")).expect("a certificate");
        let serial = Facts::of(&serial).expect("a certificate").serial;
        let copy = |name: &str| {
            let to = self.dir.join(format!("{serial}-{name}"));
            fs::copy(self.files.join(name), &to).expect("the test's own directory");
            to
        };
        Shown {
            ca: copy("ca.crt"),
            cert: copy("apiserver-client.crt"),
            key: copy("apiserver-client.key"),
        }
    }

    /// The status that the edge answers with, or why there was no answer.
    pub fn edge_says(&self, shown: &Shown) -> Result<u16, String> {
        let mut curl = Command::new("ip");
        curl.args([
            "netns",
            "exec",
            &self.namespace,
            "curl",
            "-sS",
            "-m",
            "20",
            "-o",
            "/dev/null",
        ])
        .args([
            "-w",
            "%{http_code}",
            "--resolve",
            "iam-server:3000:10.20.0.2",
            "--cacert",
        ])
        .arg(&shown.ca)
        .arg("--cert")
        .arg(&shown.cert)
        .arg("--key")
        .arg(&shown.key)
        .arg("https://iam-server:3000/apis/iam.plasmacloud.io/v1/authenticate");
        let ended = run(&mut curl, SOON);
        match ended.code {
            Some(0) => Ok(ended.stdout.trim().parse().expect("a status")),
            _ => Err(ended.told()),
        }
    }
}
