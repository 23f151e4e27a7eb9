//! Who listens on a port that we could not have. Best effort: the answer is for a person to look at.

use std::{fs, net::SocketAddr, os::unix::ffi::OsStrExt};

const LISTEN: &str = "0A";

pub(crate) fn holder(address: SocketAddr) -> String {
    let inodes: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .flat_map(|table| {
            table
                .lines()
                .filter_map(|line| listening_inode(line, address.port()))
                .collect::<Vec<_>>()
        })
        .collect();
    inodes
        .iter()
        .find_map(|inode| process_with(inode))
        .unwrap_or_else(|| "a program that could not be found".to_owned())
}

/// The inode of a line's socket, if it listens on the port.
fn listening_inode(line: &str, port: u16) -> Option<String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (_, local_port) = fields.get(1)?.rsplit_once(':')?;
    let listens = fields.get(3) == Some(&LISTEN) && u16::from_str_radix(local_port, 16) == Ok(port);
    listens.then(|| fields.get(9).map(|inode| (*inode).to_owned()))?
}

fn process_with(inode: &str) -> Option<String> {
    let wanted = format!("socket:[{inode}]");
    for process in fs::read_dir("/proc").ok()?.flatten() {
        if process
            .file_name()
            .as_bytes()
            .iter()
            .any(|byte| !byte.is_ascii_digit())
        {
            continue;
        }
        let Ok(descriptors) = fs::read_dir(process.path().join("fd")) else {
            continue;
        };
        let holds = |link: std::path::PathBuf| link.as_os_str().as_bytes() == wanted.as_bytes();
        if descriptors
            .flatten()
            .any(|fd| fs::read_link(fd.path()).is_ok_and(holds))
        {
            let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return Some(format!(
                "'{}' (pid {})",
                name.trim(),
                process.file_name().to_string_lossy()
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_listener_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let holder = holder(listener.local_addr().unwrap());
        assert!(
            holder.contains(&format!("pid {}", std::process::id())),
            "{holder}"
        );
    }
}
