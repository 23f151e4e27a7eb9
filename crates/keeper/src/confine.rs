//! What the processes of a system machine may not do. They serve on a network and keep files; so they run without any
//! capability and without the system calls that only administration needs. The filter is a fixed list of refusals that
//! costs nothing to build: nspawn's own takes longer than the rest of a system machine's start.

use std::io;

/// Mounts, namespaces, modules, tracing, keys, the clock, power: nothing a component of a control plane does.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_init_module,
    libc::SYS_io_uring_setup,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pivot_root,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
/// Numbers from here on are the other convention of the same processor; none of ours uses it.
const OTHER_CONVENTION: u32 = 0x4000_0000;

const LOAD: u16 = 0x20;
const EQUAL: u16 = 0x15;
const AT_LEAST: u16 = 0x35;
const ANSWER: u16 = 0x06;
const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;

pub struct Confinement {
    filter: Vec<libc::sock_filter>,
}

impl Confinement {
    pub fn new() -> Self {
        let refuse = step(ANSWER, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs());
        let mut filter = vec![
            step(LOAD, 0, 0, ARCHITECTURE_AT),
            step(EQUAL, 1, 0, ARCHITECTURE),
            refuse,
            step(LOAD, 0, 0, NUMBER_AT),
            step(AT_LEAST, 0, 1, OTHER_CONVENTION),
            refuse,
        ];
        for number in REFUSED {
            filter.push(step(EQUAL, 0, 1, u32::try_from(*number).unwrap_or(u32::MAX)));
            filter.push(refuse);
        }
        filter.push(step(ANSWER, 0, 0, libc::SECCOMP_RET_ALLOW));
        Self { filter }
    }

    /// Called between fork and exec: system calls only.
    pub fn enter(&self) -> io::Result<()> {
        let program = libc::sock_fprog {
            len: u16::try_from(self.filter.len()).unwrap_or(u16::MAX),
            filter: self.filter.as_ptr().cast_mut(),
        };
        let header: [u32; 2] = [0x2008_0522, 0];
        let nothing = [0u32; 6];
        // SAFETY: the structures are the kernel's own and live through the calls.
        unsafe {
            for capability in 0..=63 {
                // Beyond the kernel's last one it says so, which is fine.
                libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
            }
            if libc::syscall(libc::SYS_capset, header.as_ptr(), nothing.as_ptr()) != 0
                || libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::prctl(
                    libc::PR_SET_SECCOMP,
                    libc::SECCOMP_MODE_FILTER,
                    &raw const program,
                ) != 0
            {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }
}

fn step(code: u16, if_true: u8, if_false: u8, value: u32) -> libc::sock_filter {
    libc::sock_filter {
        code,
        jt: if_true,
        jf: if_false,
        k: value,
    }
}

#[cfg(test)]
mod tests {
    use std::{os::unix::process::CommandExt, process::Command};

    use super::*;

    fn confined(script: &str) -> bool {
        let confinement = Confinement::new();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        // SAFETY: system calls only.
        unsafe { command.pre_exec(move || confinement.enter()) };
        command
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap()
            .success()
    }

    #[test]
    fn ordinary_work_goes_on_and_administration_is_refused() {
        assert!(confined(
            "echo x > /dev/null && cat /proc/self/status > /dev/null"
        ));
        assert!(confined(
            "grep -q 'CapEff:.0*$' /proc/self/status && grep -q 'CapBnd:.0*$' /proc/self/status"
        ));
        assert!(!confined("mount -t tmpfs none /mnt"));
        assert!(!confined("unshare --user true"));
    }
}
