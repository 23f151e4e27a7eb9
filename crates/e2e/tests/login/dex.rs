//! Dex, built from its published modules, on a free port. People are known to it in two ways: by a password of its own, and
//! by the headers that a proxy in front of it would set, which also carry groups.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use e2e::{eventually, run};

use super::browser::Browser;

const BUILD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/dex/build");
pub const CLIENT_SECRET: &str = "a-client-secret-of-the-test-0123456789";
/// Of everybody with one; the hash below is its bcrypt.
pub const PASSWORD: &str = "password";
const HASH: &str = "$2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W";

pub struct Dex {
    program: PathBuf,
    dir: PathBuf,
    port: u16,
    child: Option<Child>,
}

impl Dex {
    /// Built, and with its files written; not started.
    pub fn prepare(dir: &Path) -> Self {
        let cache =
            std::env::var_os("PLASMACLOUD_CACHE_DIR").unwrap_or_else(|| "/var/cache/plasmacloud".into());
        let built = run(
            Command::new(BUILD).env("PLASMACLOUD_CACHE_DIR", cache),
            Duration::from_secs(1200),
        );
        let program = PathBuf::from(built.ok().trim());
        let port = TcpListener::bind(("127.0.0.1", 0))
            .and_then(|held| held.local_addr())
            .expect("a free port")
            .port();
        let dir = dir.join("dex");
        fs::create_dir_all(&dir).expect("writable");
        fs::write(dir.join("client-secret"), format!("{CLIENT_SECRET}\n")).expect("writable");
        let dex = Self {
            program,
            dir,
            port,
            child: None,
        };
        fs::write(dex.dir.join("config.yaml"), dex.config()).expect("writable");
        dex
    }

    pub fn issuer(&self) -> String {
        format!("http://127.0.0.1:{}/dex", self.port)
    }

    fn config(&self) -> String {
        format!(
            "issuer: {}\nstorage: {{type: memory}}\nweb: {{http: '127.0.0.1:{}'}}\n\
             oauth2: {{skipApprovalScreen: true}}\nenablePasswordDB: true\n\
             staticClients:\n- {{id: plasmacloud, name: PlasmaCloud, public: true, secret: {CLIENT_SECRET}}}\n\
             connectors:\n- {{type: authproxy, id: proxy, name: Proxy}}\n\
             staticPasswords:\n- {{email: bob@acme.example, hash: '{HASH}', username: bob, userID: bob-1}}\n",
            self.issuer(),
            self.port
        )
    }

    /// What the platform is told of it.
    pub fn settings(&self, password: bool) -> String {
        let group = |group: &str, role: &str, place: &str| {
            format!(
                "[[login.oidc.groups]]\ngroup = \"{group}\"\nrole = \"{role}\"\norg = \"acme\"\n{place}\n"
            )
        };
        let shop = "project = \"shop\"";
        format!(
            "[login]\npassword = {password}\n[[login.oidc]]\nname = \"corp\"\nissuer = \"{}\"\n\
             client_id = \"plasmacloud\"\nclient_secret_file = \"{}\"\nloopback = \"localhost\"\n\
             email_domains = [\"acme.example\"]\n{}{}{}{}",
            self.issuer(),
            self.dir.join("client-secret").display(),
            group("developers", "project_member", shop),
            group("readers", "project_viewer", shop),
            group("owners", "org_admin", ""),
            group("ghosts", "project_viewer", "project = \"never-was\""),
        )
    }

    pub fn start(&mut self) {
        let log = fs::File::create(self.dir.join("log")).expect("writable");
        let child = Command::new(&self.program)
            .arg("serve")
            .arg(self.dir.join("config.yaml"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a descriptor"))
            .stderr(log)
            .spawn()
            .expect("dex starts");
        self.child = Some(child);
        let keys = format!("{}/keys", self.issuer());
        eventually("dex shows its keys", Duration::from_secs(30), || {
            let page = Browser::nobody().try_get(&keys)?;
            page.body.contains("\"RSA\"").then_some(()).ok_or(page.body)
        });
    }

    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Dex {
    fn drop(&mut self) {
        self.stop();
    }
}
