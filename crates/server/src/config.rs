//! The daemon's settings: defaults, under the file, under flags and environment. What is not known is refused by name.

use std::{
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use types::{Fault, Name};

use crate::{master_key::MasterKey, options::Overrides, tls::TlsSettings};

pub const DEFAULT_FILE: &str = "/etc/plasmacloud/cloudd.toml";

#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Everything that must survive a restart. Readable by root only.
    pub state_dir: PathBuf,
    /// Bundles; may be shared by several instances and removed without loss.
    pub cache_dir: PathBuf,
    /// Where the API listens.
    pub listen: SocketAddr,
    /// Where people reach the API, as tokens name it; `http://<listen>` unless something stands in front.
    pub public_url: String,
    /// Where every cluster's API is reached, routed by server name.
    pub endpoint: SocketAddr,
    /// Tells several platforms on one machine apart, in the names of all they make.
    pub instance: Name,
    /// How many vCPUs are given out for one of the host's.
    pub cpu_overcommit: f64,
    /// Files that stand in for those of the built-in recipe, in clusters made from now on.
    pub recipe_dir: Option<PathBuf>,
    /// By how much more memory than there is may be given out to instances of the O series.
    pub memory_overcommit: f64,
    /// What each person or program may ask of the API, a second; three seconds' worth at once.
    pub requests_per_second: f64,
    /// How many times longer than on an ordinary host a step may take before its operation is called failed.
    pub patience: f64,
    pub log_format: LogFormat,
    /// The API over TLS, for other machines.
    pub tls: Option<TlsSettings>,
    /// Where the key comes from that all secrets are sealed under.
    pub master_key: MasterKey,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    Text,
    Json,
}

/// The file's content: every key may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    state_dir: Option<PathBuf>,
    cache_dir: Option<PathBuf>,
    listen: Option<SocketAddr>,
    public_url: Option<String>,
    endpoint: Option<SocketAddr>,
    instance: Option<String>,
    cpu_overcommit: Option<f64>,
    memory_overcommit: Option<f64>,
    recipe_dir: Option<PathBuf>,
    requests_per_second: Option<f64>,
    patience: Option<f64>,
    log_format: Option<LogFormat>,
    tls: Option<TlsSettings>,
    master_key: Option<MasterKey>,
}

impl Config {
    /// `file` is what `--config` names; without it the default file is read if it is there.
    pub fn load(file: Option<&Path>, overrides: &Overrides) -> Result<Self, Fault> {
        let (path, required) = file.map_or((Path::new(DEFAULT_FILE), false), |file| (file, true));
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !required => String::new(),
            Err(error) => {
                return Err(Fault::invalid(
                    "config-unreadable",
                    format!("{} cannot be read: {error}", path.display()),
                    "give a file that exists and is readable, or leave --config out",
                ));
            }
        };
        Self::resolve(&text, path, overrides)
    }

    fn resolve(text: &str, path: &Path, overrides: &Overrides) -> Result<Self, Fault> {
        let file: File = toml::from_str(text).map_err(|error| {
            Fault::invalid(
                "config-invalid",
                format!(
                    "{} is not valid: {}",
                    path.display(),
                    error.to_string().trim_end()
                ),
                "correct or remove that line; `cloudd --help` names every setting",
            )
        })?;
        let instance = overrides
            .instance
            .clone()
            .or(file.instance)
            .unwrap_or_else(|| "main".to_owned());
        let listen = pick(&overrides.listen, file.listen, || {
            SocketAddr::from(([127, 0, 0, 1], 7400))
        });
        let config = Self {
            state_dir: pick(&overrides.state_dir, file.state_dir, || {
                "/var/lib/plasmacloud".into()
            }),
            cache_dir: pick(&overrides.cache_dir, file.cache_dir, || {
                "/var/cache/plasmacloud".into()
            }),
            listen,
            public_url: file.public_url.map_or_else(
                || match &file.tls {
                    Some(tls) => tls.endpoint(),
                    None => format!("http://{listen}"),
                },
                |url| url.trim_end_matches('/').to_owned(),
            ),
            endpoint: pick(&overrides.endpoint, file.endpoint, || {
                SocketAddr::from(([127, 0, 0, 1], 6443))
            }),
            instance: instance.parse().map_err(|cause| {
                Fault::invalid(
                    "config-instance",
                    format!("instance: {cause}"),
                    "choose a name such as main",
                )
            })?,
            cpu_overcommit: file.cpu_overcommit.unwrap_or(8.0),
            memory_overcommit: file.memory_overcommit.unwrap_or(1.5),
            recipe_dir: file.recipe_dir,
            requests_per_second: file.requests_per_second.unwrap_or(200.0),
            patience: file.patience.unwrap_or(1.0),
            log_format: pick(&overrides.log_format, file.log_format, || LogFormat::Text),
            tls: file.tls,
            master_key: file.master_key.unwrap_or_default(),
        };
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), Fault> {
        if !self.listen.ip().is_loopback() {
            return Err(Fault::refused(
                "listen-not-loopback",
                format!(
                    "listen: {} is reachable from other machines, and nothing sent there is encrypted",
                    self.listen
                ),
                "listen on a loopback address such as 127.0.0.1:7400, and give other machines TLS with [tls]: listen = \"0.0.0.0:7443\"",
            ));
        }
        if let Some(tls) = &self.tls {
            tls.check()?;
        }
        for (name, factor) in [
            ("cpu_overcommit", self.cpu_overcommit),
            ("memory_overcommit", self.memory_overcommit),
        ] {
            if !(1.0..=1000.0).contains(&factor) {
                return Err(Fault::invalid(
                    "config-overcommit",
                    format!("{name}: {factor} is not a factor the host can be shared by"),
                    "give a number of at least 1, which means no overcommit",
                ));
            }
        }
        if !(1.0..=1_000_000.0).contains(&self.requests_per_second) {
            return Err(Fault::invalid(
                "config-requests-per-second",
                format!(
                    "requests_per_second: {} is not a number of requests",
                    self.requests_per_second
                ),
                "give a number from 1 to 1000000, such as 200",
            ));
        }
        if !(1.0..=1000.0).contains(&self.patience) {
            return Err(Fault::invalid(
                "config-patience",
                format!("patience: {} is not a factor to wait by", self.patience),
                "give a number from 1, which suits ordinary hosts, to 1000",
            ));
        }
        for (name, dir) in [("state_dir", &self.state_dir), ("cache_dir", &self.cache_dir)] {
            if !dir.is_absolute() {
                return Err(Fault::invalid(
                    "config-relative",
                    format!("{name}: {} depends on where cloudd is started", dir.display()),
                    "give an absolute path",
                ));
            }
        }
        Ok(())
    }
}

fn pick<T: Clone>(over: &Option<T>, file: Option<T>, default: impl FnOnce() -> T) -> T {
    over.clone().or(file).unwrap_or_else(default)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str) -> Result<Config, Fault> {
        Config::resolve(text, Path::new("cloudd.toml"), &Overrides::default())
    }

    #[test]
    fn an_empty_file_means_the_stated_defaults() {
        let config = resolve("").unwrap();
        assert_eq!(config.state_dir, Path::new("/var/lib/plasmacloud"));
        assert_eq!(config.cache_dir, Path::new("/var/cache/plasmacloud"));
        assert_eq!(config.listen.to_string(), "127.0.0.1:7400");
        assert_eq!(config.endpoint.to_string(), "127.0.0.1:6443");
        assert_eq!(
            (config.cpu_overcommit, config.memory_overcommit, config.patience),
            (8.0, 1.5, 1.0)
        );
    }

    #[test]
    fn the_master_key_comes_from_where_it_is_said() {
        assert_eq!(resolve("").unwrap().master_key, MasterKey::File);
        let from = |text: &str| resolve(&format!("[master_key]\n{text}")).unwrap().master_key;
        let variable = "PLASMACLOUD_MASTER_KEY".to_owned();
        assert_eq!(
            from("from = \"environment\""),
            MasterKey::Environment { variable }
        );
        let transit = "from = \"transit\"\naddress = \"https://v:8200\"\nkey = \"k\"\ntoken_file = \"/t\"";
        assert_eq!(
            from(transit),
            MasterKey::Transit {
                address: "https://v:8200".to_owned(),
                mount: "transit".to_owned(),
                key: "k".to_owned(),
                token_file: "/t".into(),
                ca_file: None,
            }
        );
    }

    #[test]
    fn over_tls_it_is_called_by_its_first_name() {
        let text = "[tls]\nlisten = \"0.0.0.0:7443\"\nnames = [\"cloud.test\", \"10.0.0.1\"]";
        let config = resolve(text).unwrap();
        assert_eq!(config.public_url, "https://cloud.test:7443");
        assert_eq!(
            config.listen.to_string(),
            "127.0.0.1:7400",
            "and locally as before"
        );
        let wanted = config.tls.unwrap().api_names().unwrap();
        assert_eq!(wanted.names, ["cloud.test"]);
        assert_eq!(
            wanted.addresses,
            ["10.0.0.1".parse::<std::net::IpAddr>().unwrap()]
        );
    }

    #[test]
    fn flags_win_over_the_file() {
        let overrides = Overrides {
            state_dir: Some("/tmp/a".into()),
            ..Overrides::default()
        };
        let text = "state_dir = \"/tmp/b\"\ncache_dir = \"/tmp/c\"";
        let config = Config::resolve(text, Path::new("f"), &overrides).unwrap();
        assert_eq!(
            (config.state_dir, config.cache_dir),
            ("/tmp/a".into(), "/tmp/c".into())
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, code, word) in [
            ("state_dri = \"/tmp\"", "config-invalid", "state_dri"),
            ("listen = \"0.0.0.0:7400\"", "listen-not-loopback", "0.0.0.0:7400"),
            ("listen = \"7400\"", "config-invalid", "listen"),
            ("cpu_overcommit = 0.5", "config-overcommit", "cpu_overcommit"),
            (
                "memory_overcommit = nan",
                "config-overcommit",
                "memory_overcommit",
            ),
            ("patience = 0.0", "config-patience", "patience"),
            (
                "requests_per_second = 0.5",
                "config-requests-per-second",
                "requests_per_second",
            ),
            ("state_dir = \"here\"", "config-relative", "state_dir"),
            ("instance = \"A b\"", "config-instance", "A b"),
            ("log_format = \"xml\"", "config-invalid", "xml"),
            ("[tls]\nnames = [\"a\"]", "config-invalid", "listen"),
            (
                "[tls]\nlisten = \"0.0.0.0:7443\"",
                "config-tls-names",
                "0.0.0.0:7443",
            ),
            (
                "[tls]\nlisten = \"127.0.0.1:7443\"\nnames = [\"https://a\"]",
                "config-tls-names",
                "https://a",
            ),
            (
                "[tls]\nlisten = \"127.0.0.1:7443\"\nkey_file = \"/k\"",
                "config-tls-files",
                "certificate_file",
            ),
            ("[master_key]\nfrom = \"hat\"", "config-invalid", "hat"),
            (
                "[master_key]\nfrom = \"transit\"\nkey = \"k\"",
                "config-invalid",
                "address",
            ),
            (
                "[master_key]\nfrom = \"environment\"\nvariabel = \"K\"",
                "config-invalid",
                "variabel",
            ),
        ] {
            let fault = resolve(text).unwrap_err();
            assert_eq!(fault.code, code, "{text}");
            assert!(fault.cause.contains(word), "{text}: {}", fault.cause);
            assert!(!fault.remedy.is_empty());
        }
    }

    #[test]
    fn a_file_that_was_asked_for_must_be_there() {
        let fault =
            Config::load(Some(Path::new("/nonexistent/cloudd.toml")), &Overrides::default()).unwrap_err();
        assert_eq!(fault.code, "config-unreadable");
    }
}
