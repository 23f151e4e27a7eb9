//! `make conformance`: upstream's own `e2e.test` against a cluster of a platform made for the purpose. Fails on every spec
//! that fails and is not among those known not to pass here, each of which has its reason in a file.

mod endpoint;
mod known;
mod page;
mod report;
mod suite;

use std::{fs, path::PathBuf, time::Instant};

use clap::Parser;
use e2e::{Cluster, Platform};

use crate::{endpoint::Endpoint, known::Known, page::Page, report::Outcome, suite::Suite};

#[derive(Parser)]
#[command(about = "Runs upstream's conformance tests against a cluster of the platform")]
struct Options {
    /// Directory with e2e.test and ginkgo
    #[arg(long)]
    tools: PathBuf,
    /// Where ginkgo's report is kept
    #[arg(long)]
    out: PathBuf,
    /// Specs that cannot pass here, with their reasons
    #[arg(long)]
    known: PathBuf,
    /// Run only specs that match this expression; may be given several times
    #[arg(long)]
    focus: Vec<String>,
    /// Leave out specs that match this expression
    #[arg(long)]
    skip: Vec<String>,
    /// Run the specs this file names, one a line
    #[arg(long, conflicts_with = "focus")]
    list: Option<PathBuf>,
    /// How many specs run at once; those that must be alone follow
    #[arg(long, default_value_t = 6)]
    procs: u8,
    /// Write the result here
    #[arg(long)]
    page: Option<PathBuf>,
}

fn main() {
    let options = Options::parse();
    let known = Known::read(&options.known);
    let named = options.list.as_deref().map(names).unwrap_or_default();
    let focus: Vec<String> = options
        .focus
        .iter()
        .cloned()
        .chain(named.iter().map(|name| literal(name)))
        .collect();

    let platform = Platform::start();
    platform
        .cloud(&["vpc", "create", "--name", "conformance", "--cidr", "10.50.0.0/16"])
        .ok();
    let cluster = Cluster::create(&platform, "conformance", "conformance", 2, &[]);
    let endpoint = Endpoint::of(&platform, &cluster);
    let start = Instant::now();
    let specs = Suite {
        tools: &options.tools,
        out: &options.out,
        endpoint: &endpoint,
        kubectl: &platform.programs().kubectl,
        focus: &focus,
        skip: &options.skip,
        procs: options.procs,
    }
    .run();
    let page = Page::new(&specs, &known, start.elapsed());
    print!("{page}");
    let whole = !specs.iter().any(|spec| spec.outcome == Outcome::Interrupted);
    if let Some(path) = options.page.filter(|_| whole) {
        fs::write(&path, page.to_string()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    let failed = page.unexpected();
    assert!(
        failed.is_empty(),
        "{} failed that are not in {}:\n{}\nginkgo's report: {}",
        failed.len(),
        options.known.display(),
        failed.join("\n"),
        options.out.join(suite::REPORT).display(),
    );
    for name in &named {
        assert!(
            specs.iter().any(|spec| spec.name == *name),
            "there is no conformance spec '{name}'"
        );
    }
    assert!(!specs.is_empty(), "no spec was run: no conformance spec matches");
    platform.finish();
}

/// Names in a file, without comments and empty lines.
fn names(path: &std::path::Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

/// An expression that matches this name and no other: ginkgo puts the name of the suite before it.
fn literal(name: &str) -> String {
    let mut expression = String::new();
    for letter in name.chars() {
        if !letter.is_alphanumeric() && letter != ' ' {
            expression.push('\\');
        }
        expression.push(letter);
    }
    expression + "$"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_by_the_letter() {
        assert_eq!(literal("[sig-a] b (c)"), r"\[sig\-a\] b \(c\)$");
    }
}
