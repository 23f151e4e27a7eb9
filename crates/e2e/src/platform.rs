//! A platform of the test's own, in a directory of its own, taken away at the end with a look at what stayed.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::process::Signal;

use crate::{
    command::{Ended, run},
    evidence::keep_evidence,
    process::Process,
    programs::Programs,
    residue::residue,
    supervisor::Supervisor,
    wait::eventually,
};

/// No command of a test takes longer: a cluster is there in seconds, and a busy machine gets its chance.
const LONG: Duration = Duration::from_secs(300);

pub struct Platform {
    dir: PathBuf,
    programs: Programs,
    listen: SocketAddr,
    endpoint: SocketAddr,
    mark: String,
    supervisor: Option<Supervisor>,
}

impl Platform {
    pub fn start() -> Self {
        Self::start_in(own_dir())
    }

    /// The same in a directory that the caller made, and has to remove if it is a mount.
    pub fn start_in(dir: PathBuf) -> Self {
        let mut platform = Self::laid_out(dir);
        platform.boot();
        platform
    }

    /// Where everything will be; nothing runs before [`Platform::boot`].
    pub fn laid_out(dir: PathBuf) -> Self {
        let [listen, endpoint] = free_ports();
        let programs = Programs::find();
        Self {
            dir,
            programs,
            listen,
            endpoint,
            mark: String::new(),
            supervisor: None,
        }
    }

    /// Starts the supervisor, again after [`Platform::power_cut`].
    pub fn boot(&mut self) {
        assert!(self.supervisor.is_none(), "it runs");
        if !self.settings().exists() {
            fs::write(self.settings(), "").expect("writable");
        }
        let (state, words) = (self.state(), self.words());
        self.supervisor = Some(Supervisor::start(&self.dir, &state, &self.programs, &words));
        self.wait_until_healthy();
        self.mark = fs::read_to_string(state.join("instance"))
            .expect("drawn at the first start")
            .trim()
            .to_owned();
        eprintln!(
            "platform {} at {} in {}",
            self.mark,
            self.listen,
            self.dir.display()
        );
    }

    /// The daemon's arguments.
    pub fn words(&self) -> Vec<String> {
        let words = [
            ("--config", self.settings().display().to_string()),
            ("--state-dir", self.state().display().to_string()),
            ("--cache-dir", self.programs.cache.display().to_string()),
            ("--listen", self.listen.to_string()),
            ("--endpoint", self.endpoint.to_string()),
        ];
        words
            .into_iter()
            .flat_map(|(flag, value)| [flag.to_owned(), value])
            .collect()
    }

    pub fn wait_until_healthy(&self) {
        eventually("the platform answers /healthz", Duration::from_secs(60), || {
            health(self.listen).map_err(|seen| format!("{seen}; {}", self.log_end("cloudd")))
        });
    }

    /// The daemon's settings: empty until a test writes some and restarts it.
    pub fn settings(&self) -> PathBuf {
        self.dir.join("cloudd.toml")
    }

    pub fn state(&self) -> PathBuf {
        self.dir.join("state")
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What everything of this instance on the host is marked with.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// Where the clusters' APIs are reached.
    pub fn endpoint(&self) -> SocketAddr {
        self.endpoint
    }

    pub fn listen(&self) -> SocketAddr {
        self.listen
    }

    /// `cloud` with these words, as a user of this platform types them.
    pub fn cloud(&self, words: &[&str]) -> Ended {
        run(&mut self.cloud_command(words), LONG)
    }

    pub fn cloud_command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.programs.cloud);
        command
            .args(words)
            .env("PLASMACLOUD_CLIENT_FILE", self.state().join("client.toml"));
        for name in ["PLASMACLOUD_ENDPOINT", "PLASMACLOUD_TOKEN", "PLASMACLOUD_PROJECT"] {
            command.env_remove(name);
        }
        command
    }

    /// A `cloudd` beside the supervised one, with these words and no others.
    pub fn second_cloudd(&self, words: &[String]) -> Ended {
        run(
            Command::new(&self.programs.cloudd).args(words),
            Duration::from_secs(60),
        )
    }

    fn supervisor(&self) -> &Supervisor {
        self.supervisor.as_ref().expect("it was started")
    }

    /// The supervised process `cloudd` or `edge`.
    pub fn process(&self, name: &str) -> Process {
        eventually("a supervised process runs", Duration::from_secs(30), || {
            self.supervisor().kept(name).ok_or_else(|| format!("no {name}"))
        })
    }

    /// Kills `cloudd`; with a `point` the next one dies there, and the one after it knows nothing of it.
    /// `cloudd` kills itself when it comes to this point, `<kind of subject>/<step>:<moment>`.
    pub fn die_at(&self, point: &str) {
        let (new, file) = (self.dir.join("kill-at.new"), self.dir.join("kill-at"));
        fs::write(&new, point)
            .and_then(|()| fs::rename(new, file))
            .expect("writable");
    }

    pub fn restart_cloudd(&self) {
        self.kill_cloudd();
        self.wait_until_healthy();
    }

    pub fn kill_cloudd(&self) {
        let before = self.process("cloudd");
        before.signal(Signal::KILL);
        eventually("cloudd dies", Duration::from_secs(20), || {
            if before.is_alive() {
                Err(format!("{before:?} lives"))
            } else {
                Ok(())
            }
        });
    }

    /// Kills `cloudd` and keeps it from starting until the answer is dropped.
    pub fn without_cloudd(&self) -> Held {
        let file = self.dir.join("hold");
        fs::write(&file, "").expect("writable");
        self.kill_cloudd();
        Held(file)
    }

    /// Everything of the instance that the kernel holds is gone at once, as by a power cut. Files stay.
    pub fn power_cut(&mut self) {
        self.supervisor.take().expect("it was started").kill();
        crate::host::plug_pulled(&self.mark, &self.dir);
        // What is in memory only is gone as well.
        if let Some(keys) = edge::keys_file(&self.state().join("edge")) {
            let _ = fs::remove_file(keys);
        }
    }

    pub fn log_end(&self, name: &str) -> String {
        let text = fs::read_to_string(self.dir.join(format!("log/{name}.log"))).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        format!(
            "end of {name}'s log:\n{}",
            lines[lines.len().saturating_sub(15)..].join("\n")
        )
    }

    /// Stops it, has it removed, and looks whether anything stayed.
    pub fn finish(mut self) {
        let left = self.remove();
        assert!(left.is_empty(), "left on the host:\n{}", left.join("\n"));
    }

    fn remove(&mut self) -> Vec<String> {
        if let Some(supervisor) = self.supervisor.take() {
            supervisor.stop();
        }
        let mut words = vec!["teardown".to_owned()];
        words.extend(self.words());
        let ended = run(Command::new(&self.programs.cloudd).args(&words), LONG);
        let mut left = residue(&self.mark, &self.dir);
        if ended.code != Some(0) {
            left.push(ended.told());
        }
        if self.state().exists() {
            left.push(format!("file {}", self.state().display()));
        }
        if left.is_empty() && !std::thread::panicking() {
            fs::remove_dir_all(&self.dir).expect("the test's own directory");
        }
        left
    }
}

impl Drop for Platform {
    fn drop(&mut self) {
        if self.dir.exists() && (self.supervisor.is_some() || self.state().exists()) {
            keep_evidence(&self.state(), &self.dir.join("log"));
            eprintln!(
                "logs are kept in {}/log\n{}",
                self.dir.display(),
                self.log_end("cloudd")
            );
            for left in self.remove() {
                eprintln!("left on the host: {left}");
            }
        }
    }
}

/// While it lives, `cloudd` is not started.
pub struct Held(PathBuf);

impl Drop for Held {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn own_dir() -> PathBuf {
    let base =
        std::env::var_os("PLASMACLOUD_TEST_DIR").map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    // Short, because sockets below it have short paths only.
    let dir = base.join(format!(
        "pct-{:x}-{:x}",
        std::process::id(),
        since.subsec_micros()
    ));
    fs::create_dir_all(&dir).expect("the base directory is writable");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).expect("our own directory");
    dir
}

fn free_ports() -> [SocketAddr; 2] {
    let held = [(); 2].map(|()| TcpListener::bind(("127.0.0.1", 0)).expect("a free port"));
    held.each_ref()
        .map(|listener| listener.local_addr().expect("bound"))
}

fn health(address: SocketAddr) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{address}: {error}");
    let mut stream = TcpStream::connect(address).map_err(told)?;
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .map_err(told)?;
    stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n").map_err(told)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(told)?;
    let first = answer.lines().next().unwrap_or_default();
    if first.contains(" 200 ") {
        Ok(())
    } else {
        Err(answer)
    }
}
