//! The daemon's own binary, refused at each thing that can be wrong before it serves. Needs nothing but loopback.

use std::{
    fs,
    net::TcpListener,
    process::{Command, Output},
};

use server::{lock::Lock, state_dir::StateDir};

fn cloudd(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloudd"));
    command
        .args(arguments)
        .env_remove("PLASMACLOUD_CONFIG")
        .output()
        .unwrap()
}

fn refused(output: &Output, code: &str) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains(&format!("error[{code}]: ")) && text.contains("\n  help: "),
        "{text}"
    );
    text
}

#[test]
fn a_second_daemon_on_one_state_directory_is_told_of_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let state = StateDir::prepare(&dir.path().join("state")).unwrap();
    let _lock = Lock::take(&state).unwrap();
    let text = refused(
        &cloudd(&["--state-dir", state.path().to_str().unwrap()]),
        "already-running",
    );
    assert!(text.contains(&std::process::id().to_string()), "{text}");
}

#[test]
fn a_taken_port_is_named_with_its_setting() {
    let dir = tempfile::tempdir().unwrap();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let state = dir.path().join("state");
    let text = refused(
        &cloudd(&["--state-dir", state.to_str().unwrap(), "--listen", &address]),
        "port-in-use",
    );
    assert!(text.contains(&address) && text.contains("--listen"), "{text}");
    assert!(!state.join("client.toml").exists(), "nothing half-made stays");
}

#[test]
fn a_wrong_setting_is_named_with_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cloudd.toml");
    fs::write(&file, "satte_dir = \"/tmp\"\n").unwrap();
    let text = refused(&cloudd(&["--config", file.to_str().unwrap()]), "config-invalid");
    assert!(
        text.contains("satte_dir") && text.contains("cloudd.toml"),
        "{text}"
    );
    refused(
        &cloudd(&["--config", dir.path().join("none").to_str().unwrap()]),
        "config-unreadable",
    );
    refused(&cloudd(&["--listen", "192.0.2.1:7400"]), "listen-not-loopback");
}

#[test]
fn version_and_check_need_no_state() {
    let version = cloudd(&["--version"]);
    assert_eq!(
        String::from_utf8_lossy(&version.stdout),
        concat!("cloudd v", env!("CARGO_PKG_VERSION"), "\n")
    );
    let check = cloudd(&["check"]);
    let text = String::from_utf8_lossy(&check.stdout);
    assert!(
        text.contains("systemd-nspawn") && text.contains("kernel: overlay"),
        "{text}"
    );
}
