//! The processes' output. Each writes straight to its own file, opened for appending, so that a log line costs us
//! nothing and the supervisor is in nobody's way; we come by now and then and cut what has grown too long.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

pub const LIMIT: u64 = 10 << 20;
/// Looking costs a `stat` each; a log that is growing fast is looked at more often.
const CALM: Duration = Duration::from_secs(10);
const BUSY: Duration = Duration::from_millis(500);
const FAST_GROWTH: u64 = 1 << 20;

pub fn path(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}.log"))
}

pub fn open(dir: &Path, name: &str) -> io::Result<File> {
    std::fs::create_dir_all(dir)?;
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o640)
        .open(path(dir, name))
}

#[derive(Default)]
pub struct Rotation {
    total: u64,
}

impl Rotation {
    /// Cuts what is too long and says when to look again.
    pub fn check<'a>(&mut self, dir: &Path, names: impl Iterator<Item = &'a str>) -> Duration {
        let mut total = 0;
        for name in names {
            let file = path(dir, name);
            let size = std::fs::metadata(&file).map_or(0, |m| m.len());
            if size > LIMIT {
                if let Err(error) = cut(&file) {
                    eprintln!("cloud-keeper: cannot rotate {}: {error}", file.display());
                }
                total += LIMIT;
            } else {
                total += size;
            }
        }
        let grown = total.saturating_sub(self.total);
        self.total = total;
        if grown > FAST_GROWTH { BUSY } else { CALM }
    }
}

/// Keeps the last `LIMIT` bytes as `<file>.1` and empties the file, which the writer goes on appending to.
fn cut(file: &Path) -> io::Result<()> {
    let mut reader = File::open(file)?;
    let length = reader.metadata()?.len();
    io::Seek::seek(&mut reader, io::SeekFrom::Start(length.saturating_sub(LIMIT)))?;
    let mut old = file.as_os_str().to_owned();
    old.push(".1");
    let mut writer = File::create(PathBuf::from(old))?;
    io::copy(&mut io::Read::take(reader, LIMIT), &mut writer)?;
    OpenOptions::new().write(true).open(file)?.set_len(0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_long_log_is_cut_and_its_writer_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = open(dir.path(), "a").unwrap();
        writer
            .write_all(&vec![b'x'; usize::try_from(LIMIT).unwrap() + 5])
            .unwrap();
        let mut rotation = Rotation::default();
        assert_eq!(rotation.check(dir.path(), ["a"].into_iter()), BUSY);
        writer.write_all(b"after").unwrap();
        assert_eq!(std::fs::read(path(dir.path(), "a")).unwrap(), b"after");
        assert_eq!(
            std::fs::metadata(dir.path().join("a.log.1")).unwrap().len(),
            LIMIT
        );
        assert_eq!(rotation.check(dir.path(), ["a"].into_iter()), CALM);
    }
}
