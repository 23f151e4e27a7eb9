//! Somebody who shows the cluster a token that it has not seen, again and again: each is asked about at the edge.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::Command,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use e2e::{Caller, Cluster, Platform, run};
use serde_json::json;

const KUBECTL: Duration = Duration::from_secs(60);

pub struct Asking {
    over: Arc<AtomicBool>,
    asked: Arc<AtomicU64>,
    /// Held while `cloudd`, who makes tokens, is away. Those it made are good all the while.
    cloudd: Arc<Mutex<()>>,
    refused: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Asking {
    pub fn begin(platform: &Platform, cluster: &Cluster<'_>) -> Self {
        let root = Caller::root(platform);
        let account = json!({"name": "ci", "role": "project_viewer"});
        root.call("POST", "/v1/projects/default/service-accounts", &account);
        let asking = Self {
            over: Arc::default(),
            asked: Arc::default(),
            cloudd: Arc::default(),
            refused: Arc::default(),
            thread: None,
        };
        let (over, asked) = (asking.over.clone(), asking.asked.clone());
        let (cloudd, refused) = (asking.cloudd.clone(), asking.refused.clone());
        let (kubectl, config) = (platform.programs().kubectl.clone(), anonymous(platform, cluster));
        let thread = std::thread::spawn(move || {
            let mut made: Vec<String> = Vec::new();
            while !over.load(Ordering::Relaxed) {
                if made.is_empty() {
                    let _here = held(&cloudd);
                    let wanted = json!({"serviceAccount": "ci", "ttlSeconds": 3600});
                    made.extend((0..40).map(|_| {
                        let fresh = root.call("POST", "/v1/projects/default/tokens", &wanted);
                        fresh["token"].as_str().expect("a token").to_owned()
                    }));
                }
                let token = made.pop().expect("some were made");
                let mut command = Command::new(&kubectl);
                command
                    .arg("--kubeconfig")
                    .arg(&config)
                    .args(["--token", &token, "auth", "whoami"]);
                let ended = run(&mut command, KUBECTL);
                if ended.code != Some(0) || !ended.stdout.contains("sa-ci@default") {
                    held(&refused).push(format!("{} {}", ended.stdout, ended.stderr));
                }
                asked.fetch_add(1, Ordering::Relaxed);
            }
        });
        Self {
            thread: Some(thread),
            ..asking
        }
    }

    /// Does something that `cloudd` is away for; tokens are shown meanwhile, as far as there are any.
    pub fn away(&self, what: impl FnOnce()) {
        let _away = held(&self.cloudd);
        what();
    }

    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    pub fn is_fine(&self) {
        let refused = held(&self.refused);
        assert!(refused.is_empty(), "{refused:#?}");
    }

    pub fn end(mut self) -> u64 {
        self.over.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_none_or(|ended| ended.is_ok()), "it asked to the end");
        self.is_fine();
        assert!(self.asked() > 50, "{}", self.asked());
        self.asked()
    }
}

/// The cluster's kubeconfig without its user.
fn anonymous(platform: &Platform, cluster: &Cluster<'_>) -> PathBuf {
    let mut config = cluster.kubectl(&["config", "view", "--raw", "-o", "json"]).json();
    config["users"] = json!([]);
    for context in config["contexts"].as_array_mut().expect("contexts") {
        context["context"]["user"] = json!("");
    }
    let path = platform.dir().join("nobody.kubeconfig");
    fs::write(&path, config.to_string()).expect("the test's own directory");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("our own file");
    path
}
