//! A tiny root: a shell and a few programs of this host, with the libraries they load.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

const PROGRAMS: [&str; 12] = [
    "sh", "cat", "sleep", "dd", "head", "tail", "mkdir", "ls", "mount", "mknod", "date", "grep",
];

/// Made once, in the build's own directory for such things; whole or not there.
pub static TINY: LazyLock<PathBuf> = LazyLock::new(|| {
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tiny-root");
    if !made.exists() {
        let making = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fill(&making.path().join("root"));
        // Another run may have been faster; its tree is as good.
        let _ = std::fs::rename(making.path().join("root"), &made);
    }
    made
});

fn fill(root: &Path) {
    for dir in [
        "usr/bin", "etc", "proc", "sys", "dev", "run", "tmp", "var", "root",
    ] {
        std::fs::create_dir_all(root.join(dir)).unwrap();
    }
    std::os::unix::fs::symlink("usr/bin", root.join("bin")).unwrap();
    for program in PROGRAMS {
        let of_host = ["/usr/bin", "/bin"]
            .iter()
            .map(|dir| Path::new(dir).join(program));
        let path = of_host.into_iter().find(|path| path.exists()).unwrap();
        std::fs::copy(&path, root.join("usr/bin").join(program)).unwrap();
        let libraries = Command::new("ldd").arg(&path).output().unwrap().stdout;
        for word in String::from_utf8_lossy(&libraries)
            .split_whitespace()
            .filter(|word| word.starts_with('/'))
        {
            let at = root.join(word.trim_start_matches('/'));
            std::fs::create_dir_all(at.parent().unwrap()).unwrap();
            std::fs::copy(word, at).unwrap();
        }
    }
}
