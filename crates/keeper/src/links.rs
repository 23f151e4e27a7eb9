//! Directories of a system machine that live on its volume: links to them, made before the first process starts.

use std::{io, path::Path};

use types::keeper::Link;

/// Makes all it can, and says what it could not.
pub fn make(links: &[Link]) -> Vec<String> {
    let failed = |link: &Link| {
        let error = place(Path::new(&link.path), Path::new(&link.target)).err()?;
        Some(format!("link {} to {}: {error}", link.path, link.target))
    };
    links.iter().filter_map(failed).collect()
}

fn place(path: &Path, target: &Path) -> io::Result<()> {
    std::fs::create_dir_all(target)?;
    if std::fs::read_link(path).is_ok_and(|now| now == target) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match std::fs::symlink_metadata(path) {
        // An empty directory of the image gives way; one with content is somebody's.
        Ok(there) if there.is_dir() => std::fs::remove_dir(path)?,
        Ok(_) => std::fs::remove_file(path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    std::os::unix::fs::symlink(target, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_replaces_an_empty_directory_but_nothing_of_value() {
        let dir = tempfile::tempdir().unwrap();
        let text = |p: &str| dir.path().join(p).display().to_string();
        let link = Link {
            path: text("log/here"),
            target: text("volume/there"),
        };
        std::fs::create_dir_all(dir.path().join("log/here")).unwrap();
        assert!(make(std::slice::from_ref(&link)).is_empty());
        assert!(make(std::slice::from_ref(&link)).is_empty());
        std::fs::write(dir.path().join("log/here/file"), b"x").unwrap();
        assert!(dir.path().join("volume/there/file").exists());
        let full = Link {
            path: text("volume"),
            target: text("other"),
        };
        assert_eq!(make(&[full]).len(), 1);
        assert!(dir.path().join("volume/there/file").exists());
    }
}
