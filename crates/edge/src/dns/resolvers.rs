//! The host's own resolvers, as its `resolv.conf` names them. The file is looked at when somebody asks and read when it
//! changed, so nothing runs while nobody asks.

use std::{
    collections::BTreeMap,
    fs, io,
    net::{IpAddr, SocketAddr, SocketAddrV6},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, Instant},
};

use super::PORT;

/// As many as the host's own programs use.
const MOST: usize = 3;
/// How long a resolver that was silent is asked last.
const SHUNNED: Duration = Duration::from_secs(30);

pub(super) struct Resolvers {
    path: PathBuf,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// `None` before the first look and while there is no file.
    version: Option<Version>,
    servers: Vec<SocketAddr>,
    /// When each of those that did not answer was asked last.
    silent: BTreeMap<SocketAddr, Instant>,
}

/// Tells one content of the file from another; the time alone is too coarse for two writes in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Version {
    modified: (i64, i64),
    size: u64,
    file: (u64, u64),
}

impl Resolvers {
    pub(super) fn new(path: PathBuf) -> Self {
        let known = Mutex::default();
        Self { path, known }
    }

    /// In the order to ask them: as the file has them, but those that were silent a moment ago last.
    pub(super) fn current(&self) -> Vec<SocketAddr> {
        let mut known = self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Err(error) = known.refresh(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "the host's resolvers could not be read");
        }
        let now = Instant::now();
        known
            .silent
            .retain(|_, since| now.duration_since(*since) < SHUNNED);
        let mut servers = known.servers.clone();
        servers.sort_by_key(|server| known.silent.contains_key(server));
        servers
    }

    /// It did not answer: for a while others are asked before it, so that not every query waits for it.
    pub(super) fn was_silent(&self, server: SocketAddr) {
        let mut known = self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        known.silent.insert(server, Instant::now());
    }
}

impl Known {
    /// A file that cannot be read says nothing new; one that is not there says that there are no resolvers.
    fn refresh(&mut self, path: &Path) -> io::Result<()> {
        let (version, text) = match version(path) {
            Ok(version) if self.version == Some(version) => return Ok(()),
            // Looked at before it is read: what is written in between is noticed next time.
            Ok(version) => (Some(version), fs::read(path)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (None, Vec::new()),
            Err(error) => return Err(error),
        };
        let servers = parse(&String::from_utf8_lossy(&text));
        if servers != self.servers {
            tracing::info!(path = %path.display(), ?servers, "the host's resolvers");
        }
        *self = Self {
            version,
            servers,
            silent: BTreeMap::new(),
        };
        Ok(())
    }
}

fn version(path: &Path) -> io::Result<Version> {
    let metadata = fs::metadata(path)?;
    Ok(Version {
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        size: metadata.size(),
        file: (metadata.dev(), metadata.ino()),
    })
}

fn parse(text: &str) -> Vec<SocketAddr> {
    text.lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            words.next().filter(|word| *word == "nameserver")?;
            address(words.next()?)
        })
        .take(MOST)
        .collect()
}

/// An address, or one of a link with the link's name behind it.
fn address(word: &str) -> Option<SocketAddr> {
    let Some((address, link)) = word.split_once('%') else {
        return Some(SocketAddr::new(word.parse::<IpAddr>().ok()?, PORT));
    };
    let index = link.parse().ok().or_else(|| index(link))?;
    Some(SocketAddrV6::new(address.parse().ok()?, PORT, 0, index).into())
}

fn index(link: &str) -> Option<u32> {
    let name = Path::new(link).file_name().filter(|name| *name == link)?;
    let text = fs::read_to_string(Path::new("/sys/class/net").join(name).join("ifindex")).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<String> {
        parse(text).iter().map(SocketAddr::to_string).collect()
    }

    #[test]
    fn nameservers_are_read_in_order_and_the_rest_is_ignored() {
        let text = "# nameserver 9.9.9.9\n; nameserver 9.9.9.8\nsearch a.example b.example\noptions ndots:5\n\
                    \tnameserver\t127.0.0.53 # local\nnameserver\nnameserver dns.example\nnameserverx 9.9.9.7\n\
                    nameserver fd00::1\r\nnameserver fe80::1%7\nnameserver 10.0.0.4\n";
        assert_eq!(plain(text), ["127.0.0.53:53", "[fd00::1]:53", "[fe80::1%7]:53"]);
        assert_eq!(plain("nameserver fe80::1%lo"), ["[fe80::1%1]:53"]);
        for nothing in [
            "",
            "nameserver fe80::1%../lo",
            "nameserver 10.0.0.1%lo",
            "nameserver fe80::1%none",
        ] {
            assert_eq!(plain(nothing), [""; 0], "{nothing}");
        }
    }

    #[test]
    fn those_that_were_silent_are_asked_last_until_the_file_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("resolv.conf");
        fs::write(&path, "nameserver 10.0.0.1\nnameserver 10.0.0.2\n").unwrap();
        let resolvers = Resolvers::new(path.clone());
        let [first, second] = resolvers.current()[..] else {
            panic!("two are named")
        };
        resolvers.was_silent(first);
        assert_eq!(resolvers.current(), [second, first]);
        resolvers.was_silent(second);
        assert_eq!(resolvers.current(), [first, second]);
        resolvers.was_silent(first);
        fs::write(&path, "nameserver 10.0.0.1\nnameserver 10.0.0.2\n# new\n").unwrap();
        assert_eq!(resolvers.current(), [first, second]);
    }

    #[test]
    fn a_change_is_noticed_and_so_is_a_file_that_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("resolv.conf");
        let resolvers = Resolvers::new(path.clone());
        let servers = || {
            resolvers
                .current()
                .iter()
                .map(|s| s.ip().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(servers(), [""; 0]);
        fs::write(&path, "nameserver 10.0.0.1\n").unwrap();
        assert_eq!(servers(), ["10.0.0.1"]);
        fs::write(&path, "nameserver 10.0.0.1\nnameserver 10.0.0.2\n").unwrap();
        assert_eq!(servers(), ["10.0.0.1", "10.0.0.2"]);
        // As most programs write it: another file under the same name, of the same size.
        let other = dir.path().join("new");
        fs::write(&other, "nameserver 10.0.0.3\nnameserver 10.0.0.4\n").unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(servers(), ["10.0.0.3", "10.0.0.4"]);
        fs::remove_file(&path).unwrap();
        assert_eq!(servers(), [""; 0]);
    }
}
