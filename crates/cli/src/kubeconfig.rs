//! Merging one kubeconfig into another without losing anything of either.
//!
//! Fields that hold text are read as text: an untyped reader would make the number 123 of the token 0123. What is not
//! known is carried along as it is. Entries of the same name are replaced, as they are the same cluster's.

use std::{
    collections::BTreeMap,
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    failure::{Exit, Failure},
    yaml,
};

/// The last of the words that kubectl runs `cloud` with; as the platform writes them.
const LAST_WORDS: &str = "      - --project\n";

/// The kubeconfig with more words for `cloud`, so that it asks the same platform as the same person whatever is current
/// when kubectl runs it.
pub fn pinned(text: &str, words: &[String]) -> String {
    let Some(at) = text.find(LAST_WORDS) else {
        return text.to_owned();
    };
    let value = at + LAST_WORDS.len();
    let end = text[value..].find('\n').map_or(text.len(), |end| value + end + 1);
    let more: String = words
        .iter()
        .map(|word| format!("      - {}\n", Value::from(word.as_str())))
        .collect();
    format!("{}{more}{}", &text[..end], &text[end..])
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Kubeconfig {
    #[serde(rename = "apiVersion", skip_serializing_if = "Option::is_none")]
    api_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    clusters: Option<Vec<Cluster>>,
    contexts: Option<Vec<Context>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_context: Option<String>,
    users: Option<Vec<User>>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Cluster {
    name: String,
    #[serde(default)]
    cluster: Option<Fields>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Context {
    name: String,
    #[serde(default)]
    context: Option<Fields>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct User {
    name: String,
    #[serde(default)]
    user: Option<Fields>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

macro_rules! fields {
    ($($field:ident),*) => {
        /// Every field of a cluster, context or user whose value is text; any may be absent.
        #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case", default)]
        struct Fields {
            $(#[serde(skip_serializing_if = "Option::is_none")] $field: Option<String>,)*
            #[serde(skip_serializing_if = "Option::is_none")]
            exec: Option<Exec>,
            #[serde(skip_serializing_if = "Option::is_none")]
            auth_provider: Option<AuthProvider>,
            #[serde(flatten)]
            rest: Map<String, Value>,
        }
    };
}
fields!(
    server,
    tls_server_name,
    certificate_authority,
    certificate_authority_data,
    proxy_url,
    cluster,
    user,
    namespace,
    token,
    username,
    password,
    client_certificate,
    client_certificate_data,
    client_key,
    client_key_data,
    r#as,
    as_uid
);

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Exec {
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<Vec<BTreeMap<String, String>>>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct AuthProvider {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    config: Option<BTreeMap<String, String>>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

trait Named {
    fn name(&self) -> &str;
}

macro_rules! named {
    ($($entry:ty),*) => {$(
        impl Named for $entry {
            fn name(&self) -> &str {
                &self.name
            }
        }
    )*};
}
named!(Cluster, Context, User);

/// In the place of its namesake, or at the end.
fn put<T: Named>(into: &mut Option<Vec<T>>, from: Option<Vec<T>>) {
    let into = into.get_or_insert_default();
    for entry in from.unwrap_or_default() {
        match into.iter_mut().find(|other| other.name() == entry.name()) {
            Some(other) => *other = entry,
            None => into.push(entry),
        }
    }
}

/// `ours` merged into `theirs`; the current context becomes ours.
fn merge(theirs: &str, ours: &str, place: &str) -> Result<String, Failure> {
    let mut result: Kubeconfig = parse(theirs, place)?;
    let ours: Kubeconfig = parse(ours, "the cluster's kubeconfig")?;
    put(&mut result.clusters, ours.clusters);
    put(&mut result.contexts, ours.contexts);
    put(&mut result.users, ours.users);
    result.api_version.get_or_insert_with(|| "v1".to_owned());
    result.kind.get_or_insert_with(|| "Config".to_owned());
    result.current_context = ours.current_context.or(result.current_context);
    yaml::to_string(&result)
}

fn parse(text: &str, place: &str) -> Result<Kubeconfig, Failure> {
    if text.trim().is_empty() {
        return Ok(Kubeconfig::default());
    }
    serde_saphyr::from_str(text).map_err(|error| {
        let text = error.to_string();
        let cause = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Failure::new(
            Exit::Failed,
            "kubeconfig-unreadable",
            format!("{place} is not a kubeconfig: {cause}"),
            "correct it, or write to a file of its own: `cloud k8s kubeconfig NAME > FILE`; nothing was changed",
        )
    })
}

/// Where kubectl writes: the first file of $KUBECONFIG, else ~/.kube/config.
pub fn default_path(kubeconfig: Option<&str>, home: Option<&Path>) -> Result<PathBuf, Failure> {
    let first = kubeconfig.and_then(|paths| paths.split(':').find(|path| !path.is_empty()));
    match (first, home) {
        (Some(first), _) => Ok(first.into()),
        (None, Some(home)) => Ok(home.join(".kube/config")),
        (None, None) => Err(Failure::new(
            Exit::Usage,
            "kubeconfig-nowhere",
            "neither KUBECONFIG nor HOME is set",
            "set KUBECONFIG to the file to merge into",
        )),
    }
}

/// Merges into a file, which is replaced whole and readable by its owner only, or left as it was.
pub fn merge_into(path: &Path, ours: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        Failure::new(
            Exit::Failed,
            "kubeconfig-unwritable",
            format!("{} cannot be written: {error}", path.display()),
            "check the file, its directory and the free space there; nothing was changed",
        )
    };
    // A link stays a link: its target is replaced.
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(failed(error)),
    };
    let theirs = match fs::read_to_string(&target) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let merged = merge(&theirs, ours, &path.display().to_string())?;
    let dir = target
        .parent()
        .filter(|dir| !dir.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::create_dir_all(dir).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(dir).map_err(failed)?;
    file.write_all(merged.as_bytes())
        .and_then(|()| file.as_file().sync_all())
        .map_err(failed)?;
    file.persist(&target).map_err(|error| failed(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const THEIRS: &str = "apiVersion: v1\nkind: Config\npreferences: {colors: true}\nclusters:\n- name: work\n  cluster:\n    \
        server: https://work:6443\n    insecure-skip-tls-verify: true\n- name: dev\n  cluster: {server: https://old:1}\n\
        users:\n- name: me\n  user:\n    token: 0123\n    username: 12345678901234567890123\n    exec:\n      \
        apiVersion: client.authentication.k8s.io/v1\n      command: get-token\n      args: [--port, 0080, yes]\n      \
        env: [{name: A, value: 007}]\n      provideClusterInfo: false\ncontexts:\n- name: work\n  context: {cluster: work, \
        user: me, namespace: team}\n  note: mine\ncurrent-context: work\nextensions: []\n";
    const OURS: &str = "apiVersion: v1\nkind: Config\nclusters:\n- name: dev\n  cluster: {server: https://new:6443, \
        tls-server-name: dev.k8s}\nusers:\n- name: dev-admin\n  user: {client-key-data: QUJD}\ncontexts:\n- name: dev\n  \
        context: {cluster: dev, user: dev-admin}\ncurrent-context: dev\n";

    #[test]
    fn nothing_of_either_is_lost() {
        insta::assert_snapshot!(merge(THEIRS, OURS, "f").unwrap());
    }

    #[test]
    fn merging_twice_is_merging_once() {
        let once = merge(THEIRS, OURS, "f").unwrap();
        assert_eq!(merge(&once, OURS, "f").unwrap(), once);
    }

    #[test]
    fn an_empty_config_as_kubectl_writes_it_is_filled() {
        let empty = "apiVersion: v1\nkind: Config\nclusters: null\ncontexts: null\ncurrent-context: \"\"\nusers: null\n";
        let merged = merge(empty, OURS, "f").unwrap();
        assert!(
            merged.contains("current-context: dev") && merged.contains("https://new:6443"),
            "{merged}"
        );
    }

    #[test]
    fn the_file_is_private_replaced_whole_or_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".kube/config");
        merge_into(&path, OURS).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let broken = "clusters: {this: is not a list}\n";
        fs::write(&path, broken).unwrap();
        assert_eq!(merge_into(&path, OURS).unwrap_err().code, "kubeconfig-unreadable");
        assert_eq!(fs::read_to_string(&path).unwrap(), broken);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("real");
        fs::write(&real, THEIRS).unwrap();
        let link = dir.path().join("config");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        merge_into(&link, OURS).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::read_to_string(&real).unwrap().contains("https://new:6443"));
    }

    #[test]
    fn where_kubectl_would_write() {
        let home = Path::new("/home/me");
        assert_eq!(default_path(Some(":/a:/b"), Some(home)).unwrap(), Path::new("/a"));
        assert_eq!(
            default_path(None, Some(home)).unwrap(),
            Path::new("/home/me/.kube/config")
        );
        assert!(default_path(Some(""), None).is_err());
    }

    proptest::proptest! {
        #[test]
        fn hostile_kubeconfigs_are_merged_into_or_refused(text in proptest::prop_oneof![
            "(apiVersion|kind|clusters|users|contexts|current-context|name|user|: |- |\\{|\\}|\\[|\\]|,|&a|\\*a|\"|'|\n|  |[a-z0-9.]){0,60}",
            "\\PC{0,200}",
        ]) {
            if let Ok(merged) = merge(&text, OURS, "f") {
                let again: Kubeconfig = parse(&merged, "f").unwrap();
                proptest::prop_assert!(again.clusters.iter().flatten().any(|c| c.name == "dev"));
            }
        }
    }

    #[test]
    fn more_words_come_after_those_that_are_there() {
        let text = "users:\n- name: ana\n  user:\n    exec:\n      command: cloud\n      args:\n      - k8s\n      - token\n      - dev\n      - --project\n      - shop\n      interactiveMode: Never\n";
        let words = ["--context".to_owned(), "ana@acme.example@h:1".to_owned()];
        let read: Value = serde_saphyr::from_str(&pinned(text, &words)).unwrap();
        let exec = &read["users"][0]["user"]["exec"];
        let expected = [
            "k8s",
            "token",
            "dev",
            "--project",
            "shop",
            "--context",
            "ana@acme.example@h:1",
        ];
        assert_eq!(exec["args"], serde_json::json!(expected));
        assert_eq!(exec["interactiveMode"], "Never");
        assert_eq!(pinned("nothing\n", &words), "nothing\n");
    }
}
