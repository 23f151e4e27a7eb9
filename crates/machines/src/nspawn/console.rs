//! What a machine wrote to its console. It is kept bounded: the last of it when the machine goes off, and no more than
//! its own disk holds while it runs.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use super::layout::MachineDir;

const KEPT: u64 = 64 << 10;
const LIMIT: u64 = 1 << 20;

/// The last lines, of the running machine or of its last run.
pub fn tail(place: &MachineDir, lines: usize) -> String {
    let bytes = end_of(&place.live_console())
        .or_else(|_| end_of(&place.kept_console()))
        .unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let all: Vec<&str> = text.lines().map(|line| line.trim_end_matches('\r')).collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// Before the disk is unmounted.
pub fn keep(place: &MachineDir) {
    if let Ok(bytes) = end_of(&place.live_console()) {
        let _ = std::fs::write(place.kept_console(), bytes);
    }
}

/// Empties a console that has grown too long; whoever appends to it goes on.
pub fn cut(place: &MachineDir) {
    let path = place.live_console();
    if std::fs::symlink_metadata(&path).is_ok_and(|m| m.is_file() && m.len() > LIMIT) {
        keep(place);
        let _ = OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|file| file.set_len(0));
    }
}

fn end_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(KEPT)))?;
    let mut bytes = Vec::new();
    file.take(KEPT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
