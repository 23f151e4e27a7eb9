//! The machine's one interface, set up by talking to the kernel directly: there is no `ip` in a system machine's root,
//! and starting programs would be most of its boot.

use std::{
    io,
    net::Ipv4Addr,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    time::{Duration, Instant},
};

use types::keeper::MachineSetup;

const INTERFACE: &std::ffi::CStr = c"eth0";
const WAIT: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    #[error("no netlink socket: {0}")]
    Socket(io::Error),
    #[error("eth0 did not appear within {} s", WAIT.as_secs())]
    NoInterface,
    #[error("{what}: {source}")]
    Kernel { what: &'static str, source: io::Error },
}

pub fn configure(setup: &MachineSetup) -> Result<(), NetworkError> {
    let socket = Netlink::open().map_err(NetworkError::Socket)?;
    let ask = |what, message: Message| {
        socket
            .ask(message)
            .map_err(|source| NetworkError::Kernel { what, source })
    };
    ask("loopback up", Message::link(1).up())?;
    let index = wait_for_interface()?;
    let mut link = Message::link(index).up();
    if setup.mtu > 0 {
        link = link.attribute(libc::IFLA_MTU, &setup.mtu.to_ne_bytes());
    }
    ask("eth0 up", link)?;
    ask(
        "address of eth0",
        Message::address(index, setup.address, setup.prefix_len),
    )?;
    ask("default route", Message::default_route(index, setup.gateway))
}

#[expect(
    clippy::disallowed_methods,
    reason = "bounded; subscribing to link events would be ten times the code"
)]
fn wait_for_interface() -> Result<u32, NetworkError> {
    let deadline = Instant::now() + WAIT;
    loop {
        // SAFETY: the name is a static C string.
        match unsafe { libc::if_nametoindex(INTERFACE.as_ptr()) } {
            0 if Instant::now() >= deadline => return Err(NetworkError::NoInterface),
            0 => std::thread::sleep(LOOK_AGAIN),
            index => return Ok(index),
        }
    }
}

/// One rtnetlink request: header, body, attributes.
struct Message {
    bytes: Vec<u8>,
}

const HEADER: usize = 16;
/// `RTNH_F_ONLINK` of `linux/rtnetlink.h`.
const ONLINK: u32 = 4;

impl Message {
    fn new(kind: u16, flags: i32, body: &[u8]) -> Self {
        let flags = u16::try_from(flags | libc::NLM_F_REQUEST | libc::NLM_F_ACK).unwrap_or_default();
        let mut bytes = vec![0; HEADER];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
        bytes.extend_from_slice(body);
        Self { bytes }
    }

    /// `ifinfomsg`: family, pad, type(2), index(4), flags(4), change(4).
    fn link(index: u32) -> Self {
        let mut body = [0; 16];
        body[4..8].copy_from_slice(&index.to_ne_bytes());
        Self::new(libc::RTM_NEWLINK, 0, &body)
    }

    fn up(mut self) -> Self {
        let up = (libc::IFF_UP as u32).to_ne_bytes();
        self.bytes[HEADER + 8..HEADER + 12].copy_from_slice(&up);
        self.bytes[HEADER + 12..HEADER + 16].copy_from_slice(&up);
        self
    }

    /// `ifaddrmsg`: family, prefix length, flags, scope, index(4).
    fn address(index: u32, address: Ipv4Addr, prefix_len: u8) -> Self {
        let mut body = [libc::AF_INET as u8, prefix_len, 0, 0, 0, 0, 0, 0];
        body[4..8].copy_from_slice(&index.to_ne_bytes());
        Self::new(libc::RTM_NEWADDR, libc::NLM_F_CREATE | libc::NLM_F_REPLACE, &body)
            .attribute(libc::IFA_LOCAL, &address.octets())
            .attribute(libc::IFA_ADDRESS, &address.octets())
    }

    /// `rtmsg`: family, destination length, source length, tos, table, protocol, scope, type, flags(4).
    fn default_route(index: u32, gateway: Ipv4Addr) -> Self {
        let mut body = [0; 12];
        body[0] = libc::AF_INET as u8;
        body[4] = libc::RT_TABLE_MAIN;
        body[5] = libc::RTPROT_BOOT;
        body[7] = libc::RTN_UNICAST;
        // The gateway is reached over this link even if no subnet contains it.
        body[8..12].copy_from_slice(&ONLINK.to_ne_bytes());
        Self::new(
            libc::RTM_NEWROUTE,
            libc::NLM_F_CREATE | libc::NLM_F_REPLACE,
            &body,
        )
        .attribute(libc::RTA_GATEWAY, &gateway.octets())
        .attribute(libc::RTA_OIF, &index.to_ne_bytes())
    }

    fn attribute(mut self, kind: u16, value: &[u8]) -> Self {
        let length = u16::try_from(4 + value.len()).unwrap_or_default();
        self.bytes.extend_from_slice(&length.to_ne_bytes());
        self.bytes.extend_from_slice(&kind.to_ne_bytes());
        self.bytes.extend_from_slice(value);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self
    }

    fn finish(mut self) -> Vec<u8> {
        let length = u32::try_from(self.bytes.len()).unwrap_or_default();
        self.bytes[0..4].copy_from_slice(&length.to_ne_bytes());
        self.bytes
    }
}

struct Netlink {
    fd: OwnedFd,
}

impl Netlink {
    fn open() -> io::Result<Self> {
        // SAFETY: a plain system call; the result is checked before it is owned.
        let fd = unsafe {
            libc::socket(
                libc::AF_NETLINK,
                libc::SOCK_RAW | libc::SOCK_CLOEXEC,
                libc::NETLINK_ROUTE,
            )
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is fresh and ours.
        Ok(Self {
            fd: unsafe { OwnedFd::from_raw_fd(fd) },
        })
    }

    /// Sends one request and waits for the kernel's word on it.
    fn ask(&self, message: Message) -> io::Result<()> {
        let bytes = message.finish();
        // SAFETY: the buffers outlive the calls and their lengths are passed.
        let mut answer = [0u8; 4096];
        let length = unsafe {
            if libc::send(self.fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), 0) < 0 {
                return Err(io::Error::last_os_error());
            }
            libc::recv(self.fd.as_raw_fd(), answer.as_mut_ptr().cast(), answer.len(), 0)
        };
        if length < 0 {
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
