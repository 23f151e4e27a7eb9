//! The data files compiled into the crate: see `embed.rs`.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Content of `bundles/<name>`.
pub(crate) fn file(name: &str) -> Option<&'static str> {
    FILES
        .iter()
        .find(|(path, _)| *path == name)
        .map(|(_, text)| *text)
}

/// Files whose path starts with `prefix`.
pub(crate) fn below(prefix: &str) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
    FILES
        .iter()
        .copied()
        .filter(move |(path, _)| path.starts_with(prefix))
}
