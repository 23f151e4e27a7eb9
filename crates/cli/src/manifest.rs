//! Files for `apply` and `plan`: YAML documents with apiVersion, kind, metadata and spec.
//!
//! Documents are cut apart by their markers and each is read twice: once for its kind, once as that kind. Going through
//! an untyped tree instead would make the number 1.3 of the version 1.30.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::Path,
};

use api::spec::ClusterSpec;
use serde::{Deserialize, de::DeserializeOwned};

use crate::failure::{Exit, Failure};

const API_VERSION: &str = "plasmacloud.io/v1";

#[derive(Debug, Clone, PartialEq)]
pub enum Document {
    Cluster {
        metadata: Metadata,
        spec: Box<ClusterSpec>,
    },
    Network {
        metadata: Metadata,
        cidr: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    api_version: Option<String>,
    kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Whole<S> {
    #[serde(rename = "apiVersion")]
    _api_version: String,
    #[serde(rename = "kind")]
    _kind: String,
    metadata: Metadata,
    spec: S,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    pub name: String,
    /// Not written, they stay as they are.
    pub labels: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NetworkSpec {
    cidr: String,
}

/// Reads a file, or standard input for `-`.
pub fn read(path: &Path) -> Result<Vec<Document>, Failure> {
    let text = if path == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(path)
    };
    let text = text.map_err(|error| {
        Failure::new(
            Exit::Usage,
            "file-unreadable",
            format!("{} cannot be read: {error}", path.display()),
            "give a file that exists and that you may read, or - for standard input",
        )
    })?;
    let documents = parse(&text, &path.display().to_string())?;
    if documents.is_empty() {
        return Err(invalid(&path.display().to_string(), "it holds no document"));
    }
    Ok(documents)
}

fn parse(text: &str, file: &str) -> Result<Vec<Document>, Failure> {
    cut(text)
        .iter()
        .map(|document| parse_one(document, file))
        .collect()
}

/// Each document with as many empty lines before it as it needs to keep its line numbers.
fn cut(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for (number, line) in text.lines().enumerate() {
        let marker = line.strip_prefix("---").or_else(|| line.strip_prefix("..."));
        match marker {
            Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t']) => {
                documents.push("\n".repeat(number) + rest + "\n");
            }
            Some(_) | None => {
                let current = documents.last_mut().expect("there is always one");
                current.push_str(line);
                current.push('\n');
            }
        }
    }
    let empty = |document: &String| {
        document
            .lines()
            .all(|line| line.trim().is_empty() || line.trim().starts_with('#'))
    };
    documents.retain(|document| !empty(document));
    documents
}

fn parse_one(document: &str, file: &str) -> Result<Document, Failure> {
    let header: Header = from_yaml(document, file)?;
    match header.api_version.as_deref() {
        Some(API_VERSION) => {}
        Some(other) => {
            return Err(invalid(
                file,
                &format!("apiVersion is '{other}', not {API_VERSION}"),
            ));
        }
        None => {
            return Err(invalid(
                file,
                &format!("a document has no apiVersion ({API_VERSION})"),
            ));
        }
    }
    match header.kind.as_deref() {
        Some("Cluster") => {
            let Whole { metadata, spec, .. } = from_yaml::<Whole<Box<ClusterSpec>>>(document, file)?;
            Ok(Document::Cluster { metadata, spec })
        }
        Some("VPC") => {
            let Whole { metadata, spec, .. } = from_yaml::<Whole<NetworkSpec>>(document, file)?;
            Ok(Document::Network {
                metadata,
                cidr: spec.cidr,
            })
        }
        Some(other) => Err(invalid(
            file,
            &format!("there is no kind '{other}'; known are Cluster and VPC"),
        )),
        None => Err(invalid(file, "a document has no kind (Cluster or VPC)")),
    }
}

fn from_yaml<T: DeserializeOwned>(document: &str, file: &str) -> Result<T, Failure> {
    serde_saphyr::from_str(document).map_err(|error| {
        // The first line says where and what; a drawing of the place follows it.
        let text = error.to_string();
        invalid(
            file,
            text.lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: "),
        )
    })
}

fn invalid(file: &str, cause: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        "manifest-invalid",
        format!("{file}: {cause}"),
        "correct the file; `cloud k8s get NAME -o yaml` shows the spec of a cluster that exists",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# a lab\n---\napiVersion: plasmacloud.io/v1\nkind: VPC\nmetadata: {name: lab, labels: {env: prod}}\nspec: {cidr: 10.20.0.0/16}\n\
        --- # the cluster\nspec:\n  version: 1.30\n  vpc: lab\n  nodeGroups:\n    default: {minReplicas: 2, resources: {cpu: 2}}\n\
        kind: Cluster\nmetadata:\n  name: dev\napiVersion: plasmacloud.io/v1\n---\n";

    #[test]
    fn several_documents_in_any_order_of_keys() {
        let documents = parse(FILE, "f").unwrap();
        assert_eq!(
            documents[0],
            Document::Network {
                metadata: Metadata {
                    name: "lab".into(),
                    labels: Some([("env".to_owned(), "prod".to_owned())].into()),
                },
                cidr: "10.20.0.0/16".into()
            }
        );
        let Document::Cluster { metadata, spec } = &documents[1] else {
            panic!("{documents:?}")
        };
        assert_eq!(
            (metadata.name.as_str(), &metadata.labels, spec.version.as_deref()),
            ("dev", &None, Some("1.30"))
        );
        assert_eq!(spec.node_groups["default"].min_replicas, Some(2));
        assert_eq!(documents.len(), 2);
    }

    #[test]
    fn mistakes_are_named_with_their_line_in_the_file() {
        let head = "apiVersion: plasmacloud.io/v1\nkind: Cluster\nmetadata: {name: dev}\n";
        for (text, words) in [
            (
                format!("---\n{head}spec: {{}}\n---\n{head}spec:\n  vpc: lab\n  wrokers: 2\n"),
                ["line 12", "wrokers"],
            ),
            (
                format!("{head}spec: {{nodeGroups: {{a: {{minReplicas: -1}}}}}}\n"),
                ["line 4", "u32"],
            ),
            (format!("{head}spec: {{}}\nextra: 1\n"), ["line 5", "extra"]),
            (head.to_owned(), ["spec", "missing"]),
            ("apiVersion: v1\nkind: Cluster\n".to_owned(), ["apiVersion", "v1"]),
            (
                "apiVersion: plasmacloud.io/v1\nkind: Pod\n".to_owned(),
                ["Pod", "VPC"],
            ),
            ("kind: [\n".to_owned(), ["line", "1"]),
        ] {
            let failure = parse(&text, "f.yaml").unwrap_err();
            assert_eq!(
                (failure.code.as_str(), failure.exit),
                ("manifest-invalid", Exit::Usage)
            );
            for word in words {
                assert!(failure.cause.contains(word), "{word} in {}", failure.cause);
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn hostile_files_are_read_or_refused(text in proptest::prop_oneof![
            "(---|apiVersion|kind|metadata|spec|name|cidr|: |- |\\{|\\}|\\[|\\]|,|&a|\\*a|\"|'|\\||\n|  |[a-z0-9.]){0,60}",
            "\\PC{0,200}",
        ]) {
            let _ = parse(&text, "f");
        }
    }
}
