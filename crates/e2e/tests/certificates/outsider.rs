//! Somebody on another machine, as far as one host can play that: a home of their own, no client file, TLS.

use std::{fs, net::TcpListener, path::PathBuf, process::Command, time::Duration};

use e2e::{Caller, Ended, Platform, eventually, run};
use serde_json::json;

const PASSWORD: &str = "correct horse battery staple";
const SOON: Duration = Duration::from_secs(60);

pub struct Outsider {
    cloud: PathBuf,
    home: PathBuf,
    endpoint: String,
    password: PathBuf,
}

impl Outsider {
    /// Gives the platform an address over TLS first, and logs in there by nothing but the fingerprint in the invitation.
    pub fn log_in(platform: &Platform) -> Self {
        let port = TcpListener::bind(("127.0.0.1", 0)).and_then(|held| held.local_addr());
        let port = port.expect("a free port").port();
        let settings = format!("[tls]\nlisten = \"127.0.0.1:{port}\"\nnames = [\"localhost\"]\n");
        fs::write(platform.settings(), settings).expect("writable");
        platform.restart_cloudd();
        let home = platform.dir().join("outside");
        fs::create_dir_all(&home).expect("the test's own directory");
        let (code, password) = (home.join("code"), home.join("password"));
        let invited = platform
            .cloud(&["user", "invite", "ana@acme.example", "--role", "project_viewer"])
            .ok();
        let line = invited
            .lines()
            .find(|line| line.contains("cloud login"))
            .expect("what to type");
        let words: Vec<&str> = line.split_whitespace().skip(2).collect();
        let [_, endpoint, "--ca-fingerprint", fingerprint, ..] = words.as_slice() else {
            panic!("{line}");
        };
        let secret = invited
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("pci_"));
        let secret = secret.unwrap_or_else(|| panic!("{invited}"));
        fs::write(&code, secret).expect("writable");
        fs::write(&password, PASSWORD).expect("writable");
        let outsider = Self {
            cloud: platform.programs().cloud.clone(),
            home,
            endpoint: (*endpoint).to_owned(),
            password,
        };
        let words = ["login", "--endpoint", endpoint, "--ca-fingerprint", fingerprint];
        let mut login = outsider.command(&words);
        login
            .arg("--invitation-file")
            .arg(&code)
            .arg("--password-file")
            .arg(&outsider.password);
        run(&mut login, SOON).ok();
        outsider.is_known();
        outsider
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.cloud);
        command.args(words).env_clear().env("HOME", &self.home);
        command
    }

    fn cloud(&self, words: &[&str]) -> Ended {
        run(&mut self.command(words), SOON)
    }

    /// The login goes on, over whatever certificate is shown now.
    pub fn is_known(&self) {
        eventually("the platform is back", SOON, || {
            let ended = self.cloud(&["whoami"]);
            assert!(!ended.stderr.contains("platform-untrusted"), "{}", ended.stderr);
            ended
                .try_ok()
                .map(|said| assert!(said.contains("ana@acme.example"), "{said}"))
        });
    }

    pub fn believes_nobody_else(&self, platform: &Platform) {
        let wrong = format!("sha256:{}", "00".repeat(32));
        let file = self.password.display().to_string();
        let words = [
            "login",
            "--endpoint",
            &self.endpoint,
            "--email",
            "ana@acme.example",
            "--password-file",
            &file,
        ];
        let pinned: Vec<&str> = words
            .iter()
            .copied()
            .chain(["--ca-fingerprint", &wrong])
            .collect();
        for words in [&pinned[..], &words[..]] {
            let refused = self.cloud(words);
            assert_ne!(refused.code, Some(0));
            assert!(
                refused.stderr.contains("platform-untrusted"),
                "{}",
                refused.stderr
            );
            assert!(refused.stderr.contains("cloud admin ca"), "{}", refused.stderr);
        }
        let plain = self.endpoint.replace("https://", "http://");
        let refused = self.cloud(&["version", "--endpoint", &plain]);
        assert!(
            refused.stderr.contains("tls-required") || refused.stdout.contains("tls-required"),
            "{}",
            refused.told()
        );
        // What is kept of a cluster goes to this platform as this person, whatever is current by then.
        let kubeconfig = self
            .cloud(&["k8s", "kubeconfig", "dev", "--project", "default"])
            .ok();
        assert!(
            kubeconfig.contains("--context") && kubeconfig.contains("ana@acme.example"),
            "{kubeconfig}"
        );
        let health = Caller::root(platform).try_call("GET", "/v1/whoami", &json!(null));
        assert_eq!(health.0, 200, "and root is served on loopback as before");
    }
}
