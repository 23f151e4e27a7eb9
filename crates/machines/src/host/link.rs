//! Moving an interface into a machine, under its name there, in one request: it is never seen inside half-named.

use std::{
    ffi::CString,
    io,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
};

const HEADER: usize = 16;
const BODY: usize = 16;

/// The interface's number on the host; absent if there is none of that name.
pub fn index(name: &str) -> Option<u32> {
    let name = CString::new(name).ok()?;
    // SAFETY: the name is a C string that outlives the call.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => None,
        index => Some(index),
    }
}

pub fn move_into(index: u32, pid: u32, as_name: &str) -> io::Result<()> {
    let mut message = vec![0u8; HEADER + BODY];
    let flags = u16::try_from(libc::NLM_F_REQUEST | libc::NLM_F_ACK).unwrap_or_default();
    message[4..6].copy_from_slice(&libc::RTM_NEWLINK.to_ne_bytes());
    message[6..8].copy_from_slice(&flags.to_ne_bytes());
    message[HEADER + 4..HEADER + 8].copy_from_slice(&index.to_ne_bytes());
    let name = [as_name.as_bytes(), &[0]].concat();
    attribute(&mut message, libc::IFLA_NET_NS_PID, &pid.to_ne_bytes());
    attribute(&mut message, libc::IFLA_IFNAME, &name);
    let length = u32::try_from(message.len()).unwrap_or_default();
    message[0..4].copy_from_slice(&length.to_ne_bytes());
    ask(&message)
}

fn attribute(message: &mut Vec<u8>, kind: u16, value: &[u8]) {
    let length = u16::try_from(4 + value.len()).unwrap_or_default();
    message.extend_from_slice(&length.to_ne_bytes());
    message.extend_from_slice(&kind.to_ne_bytes());
    message.extend_from_slice(value);
    message.resize(message.len().next_multiple_of(4), 0);
}

fn ask(message: &[u8]) -> io::Result<()> {
    // SAFETY: results are checked before use; buffers outlive the calls and their lengths are passed.
    unsafe {
        let fd = libc::socket(
            libc::AF_NETLINK,
            libc::SOCK_RAW | libc::SOCK_CLOEXEC,
            libc::NETLINK_ROUTE,
        );
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let fd = OwnedFd::from_raw_fd(fd);
        let mut answer = [0u8; 4096];
        if libc::send(fd.as_raw_fd(), message.as_ptr().cast(), message.len(), 0) < 0
            || libc::recv(fd.as_raw_fd(), answer.as_mut_ptr().cast(), answer.len(), 0) < 0
        {
            return Err(io::Error::last_os_error());
        }
        let error = i32::from_ne_bytes([answer[16], answer[17], answer[18], answer[19]]);
        if error == 0 {
            Ok(())
        } else {
            Err(io::Error::from_raw_os_error(-error))
        }
    }
}
