//! How `e2e.test` reaches the API. It sets the server of a kubeconfig anew, which makes client-go forget `tls-server-name`;
//! so it gets the cluster's name as host, and a table of hosts that only it sees.

use std::{fs, path::PathBuf, process::Command};

use e2e::{Cluster, Platform, run};

pub struct Endpoint {
    pub kubeconfig: PathBuf,
    hosts: PathBuf,
}

impl Endpoint {
    pub fn of(platform: &Platform, cluster: &Cluster<'_>) -> Self {
        let field = |name: &str| {
            let path = format!("-o=jsonpath={{.clusters[0].{name}}}");
            cluster.kubectl(&["config", "view", &path]).ok()
        };
        let (name, server) = (field("cluster.tls-server-name"), field("cluster.server"));
        let (host, port) = server
            .strip_prefix("https://")
            .and_then(|server| server.rsplit_once(':'))
            .unwrap_or_else(|| panic!("'{server}' is no https://host:port"));
        let kubeconfig = platform.dir().join("e2e.kubeconfig");
        fs::copy(cluster.kubeconfig(), &kubeconfig).expect("the test's own directory");
        let mut set = Command::new(&platform.programs().kubectl);
        set.arg("--kubeconfig")
            .arg(&kubeconfig)
            .args(["config", "set-cluster", &field("name")]);
        set.args([
            format!("--server=https://{name}:{port}"),
            "--tls-server-name=".to_owned(),
        ]);
        run(&mut set, std::time::Duration::from_secs(30)).ok();
        let hosts = platform.dir().join("hosts");
        let known = fs::read_to_string("/etc/hosts").unwrap_or_default();
        fs::write(&hosts, format!("{known}\n{host} {name}\n")).expect("the test's own directory");
        Self { kubeconfig, hosts }
    }

    /// A command that sees the table of hosts; the mount ends with it.
    pub fn command(&self, program: &std::path::Path) -> Command {
        let mut command = Command::new("unshare");
        command.args([
            "--mount",
            "sh",
            "-c",
            r#"mount --bind "$0" /etc/hosts && exec "$@""#,
        ]);
        command.arg(&self.hosts).arg(program);
        command
    }
}
