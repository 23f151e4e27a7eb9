//! Files as block devices. A device detaches by itself when its file system is unmounted, so a crash between two of
//! our steps leaves none behind.

use std::{
    fs::{File, OpenOptions},
    io,
    os::{fd::AsRawFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::io::Errno;

use crate::error::{Context, MachineError, Result};

const LOOP_CTL_GET_FREE: libc::c_ulong = 0x4C82;
const LOOP_CONFIGURE: libc::c_ulong = 0x4C0A;
const LO_FLAGS_AUTOCLEAR: u32 = 4;
/// Past the host's page cache, where its file system knows how (the kernel leaves the flag out elsewhere). Through the
/// cache one machine's writes would wait there by gigabytes, in files the journal has to see on the disk before anybody
/// else's fsync returns: a tenant who fills a disk would stop every etcd of the host.
const LO_FLAGS_DIRECT_IO: u32 = 16;
/// Two processes may be offered the same free device; only one gets it.
const ATTEMPTS: usize = 64;
/// How long a file may still be held by a machine that is dying.
const RELEASE: Duration = Duration::from_secs(10);

#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

#[repr(C)]
struct LoopConfig {
    fd: u32,
    block_size: u32,
    info: LoopInfo,
    reserved: [u64; 8],
}

/// Attached for as long as this, or a mount of it, lives.
pub struct LoopDevice {
    pub path: PathBuf,
    _open: File,
}

pub fn attach(file: &Path) -> Result<LoopDevice> {
    let backing = OpenOptions::new()
        .read(true)
        .write(true)
        .open(file)
        .doing("open", file)?;
    let control_path = Path::new("/dev/loop-control");
    let control = OpenOptions::new()
        .read(true)
        .write(true)
        .open(control_path)
        .map_err(|error| MachineError::Kernel {
            feature: "loop devices",
            source: Errno::from_io_error(&error).unwrap_or(Errno::IO),
        })?;
    for _ in 0..ATTEMPTS {
        // SAFETY: this request takes no argument and answers a number.
        let number = unsafe { libc::ioctl(control.as_raw_fd(), LOOP_CTL_GET_FREE) };
        if number < 0 {
            return Err(io::Error::last_os_error()).doing("find a free loop device for", file);
        }
        let path = PathBuf::from(format!("/dev/loop{number}"));
        let device = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .doing("open", &path)?;
        match configure(&device, &backing) {
            Ok(()) => return Ok(LoopDevice { path, _open: device }),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {}
            Err(error) => return Err(error).doing("attach a loop device to", file),
        }
    }
    Err(io::Error::from_raw_os_error(libc::EBUSY)).doing("attach a loop device to", file)
}

fn configure(device: &File, backing: &File) -> io::Result<()> {
    // SAFETY: all fields are integers, for which zero is a value.
    let mut config: LoopConfig = unsafe { std::mem::zeroed() };
    config.fd = backing.as_raw_fd().unsigned_abs();
    config.info.flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO;
    // SAFETY: the structure is the kernel's `loop_config`.
    let done = unsafe { libc::ioctl(device.as_raw_fd(), LOOP_CONFIGURE, &raw const config) };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    pub device: PathBuf,
    pub file: PathBuf,
}

/// Every loop device with a file behind it.
pub fn list() -> io::Result<Vec<Attached>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir("/sys/block")? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b"loop") {
            continue;
        }
        if let Ok(file) = std::fs::read_to_string(entry.path().join("loop/backing_file")) {
            let file = file.trim_end().trim_end_matches(" (deleted)");
            all.push(Attached {
                device: Path::new("/dev").join(entry.file_name()),
                file: PathBuf::from(file),
            });
        }
    }
    Ok(all)
}

/// Waits until no device holds the file: the kernel lets go of it a little after the last mount of it is gone.
pub fn wait_until_free(file: &Path) -> Result<()> {
    let deadline = Instant::now() + RELEASE;
    while let Some(device) = holders(file).doing("look for users of", file)?.first() {
        if Instant::now() >= deadline {
            return Err(MachineError::VolumeBusy {
                path: file.to_owned(),
                holder: device.display().to_string(),
            });
        }
        super::pause::pause(Duration::from_millis(20));
    }
    Ok(())
}

/// The devices that hold this very file, whatever name it was attached by.
pub fn holders(file: &Path) -> io::Result<Vec<PathBuf>> {
    let wanted = std::fs::metadata(file)?;
    let same = |attached: &Attached| {
        std::fs::metadata(&attached.file).is_ok_and(|m| m.dev() == wanted.dev() && m.ino() == wanted.ino())
    };
    Ok(list()?
        .into_iter()
        .filter(same)
        .map(|attached| attached.device)
        .collect())
}
