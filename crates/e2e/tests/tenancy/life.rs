//! Projects that come and go, told to the controller as the platform tells it: by a file in its machine.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use e2e::{Platform, Process, eventually, holds_for, run_with_input};
use types::{
    Timestamp,
    tenancy::{PodSecurity, TENANCY_PATH, Tenancy, TenantProject},
};

use super::{objects, person::Place};

const SECONDS: Duration = Duration::from_secs(5);

fn file(place: &Place<'_>) -> PathBuf {
    let root = format!("/proc/{}/root", place.cluster.plane().leader.pid);
    Path::new(&root).join(TENANCY_PATH.trim_start_matches('/'))
}

/// As the platform does: by whoever is root in the machine, whole, in place of the one before.
fn tell(place: &Place<'_>, tenancy: &Tenancy) {
    let (path, leader) = (file(place), place.cluster.plane().leader.pid.to_string());
    let line = r#"cat > "$1.new" && mv "$1.new" "$1""#;
    let mut command = Command::new("nsenter");
    command.args(["--target", &leader, "--user", "--setuid", "0", "--setgid", "0"]);
    command.args(["sh", "-c", line, "sh"]).arg(path);
    run_with_input(
        &mut command,
        &serde_json::to_string(tenancy).expect("plain data"),
        SECONDS,
    )
    .ok();
}

fn is_there(place: &Place<'_>, namespace: &str) -> Result<serde_json::Value, String> {
    place.cluster.get(&["namespace", namespace])
}

pub fn projects(place: &Place<'_>) {
    let before: Tenancy =
        serde_json::from_slice(&fs::read(file(place)).expect("readable")).expect("it parses");
    let guest = TenantProject {
        id: "proj-gggggggggggggggg".parse().expect("an id"),
        name: "guest".parse().expect("a name"),
        pod_security: PodSecurity::Restricted,
        ..before.projects[0].clone()
    };
    let name = format!("project-{}", guest.id);
    let mut told = before.clone();
    told.projects.push(guest);
    told.shared = vec![before.projects[0].org.clone()];
    tell(place, &told);
    eventually("the second project has its namespace", SECONDS, || {
        let found = is_there(place, &name)?;
        let level = &found["metadata"]["labels"]["pod-security.kubernetes.io/enforce"];
        let all = objects::managed(place.cluster, &name)?;
        if level == "restricted" && all.contains("NetworkPolicy allow-org-shared") && all.len() == 14 {
            Ok(())
        } else {
            Err(format!("{found} {all:?}"))
        }
    });
    let shared = format!("org-{}-shared", place.org);
    eventually("the organisation has one", SECONDS, || is_there(place, &shared));

    // One project's admin is nobody in the other's.
    place
        .holder("admin")
        .is_forbidden(&["get", "secrets", "-n", &name]);

    // No longer spoken of: nothing is lost.
    tell(place, &before);
    holds_for("a hole in the file costs nothing", Duration::from_secs(3), || {
        is_there(place, &name).map(drop)
    });

    // Ended: it stays for its time, guarded as before, and goes.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    let now = i64::try_from(since.as_secs()).expect("a time");
    told.projects[1].remove_after = Some(Timestamp(now + 5));
    told.shared.clear();
    tell(place, &told);
    is_there(place, &name).expect("it has time left");
    eventually(
        "the ended project's namespace is gone",
        Duration::from_secs(30),
        || match is_there(place, &name) {
            Err(told) if told.contains("NotFound") => Ok(()),
            other => Err(format!("{other:?}")),
        },
    );
    let own = objects::managed(place.cluster, &place.namespace).expect("what is there");
    assert!(!own.contains("NetworkPolicy allow-org-shared"), "{own:?}");
    assert_eq!(own.len(), 13, "{own:?}");
    tell(place, &before);
}

/// Another level, asked for as anybody does: the platform tells the controller, which was not started again.
pub fn restricted_by_apply(place: &Place<'_>, platform: &Platform) {
    let controller = place.cluster.plane().process("cloud-controllers");
    let file = platform.dir().join("restricted.yaml");
    let text = "apiVersion: plasmacloud.io/v1\nkind: Cluster\nmetadata: {name: dev}\nspec:\n  vpc: lab\n  \
                podSecurity: restricted\n  nodeGroups:\n    \
                default: {minReplicas: 1, maxReplicas: 1, instanceType: u1.medium}\n";
    fs::write(&file, text).expect("writable");
    platform
        .cloud(&["apply", "-f", file.to_str().expect("plain")])
        .ok();
    eventually("the namespace is restricted", SECONDS, || {
        let found = is_there(place, &place.namespace)?;
        let level = &found["metadata"]["labels"]["pod-security.kubernetes.io/enforce"];
        if level == "restricted" {
            Ok(())
        } else {
            Err(level.to_string())
        }
    });
    let plain = ["run", "plain", "--image=busybox:latest", "--", "sleep", "3600"];
    let ended = place.holder("admin").kubectl(&plain);
    assert!(
        ended.stderr.contains("violates PodSecurity \"restricted"),
        "{}",
        ended.told()
    );
    assert_eq!(place.cluster.plane().process("cloud-controllers"), controller);
}

/// What one more process in every control plane costs.
pub fn small_and_idle(place: &Place<'_>) {
    let controller = place.cluster.plane().process("cloud-controllers");
    let (time, watched) = (cpu_ms(&controller), Duration::from_secs(20));
    holds_for("it runs", watched, || {
        if controller.is_alive() {
            Ok(())
        } else {
            Err("it died".to_owned())
        }
    });
    let spent = cpu_ms(&controller) - time;
    let resident = resident_kib(&controller);
    eprintln!(
        "cloud-controllers: {resident} KiB resident, {spent} ms of CPU in {} s",
        watched.as_secs()
    );
    assert!(resident < 20 * 1024, "{resident} KiB resident");
    assert!(
        spent <= 40,
        "{spent} ms of CPU in {} s without anything to do",
        watched.as_secs()
    );
}

fn cpu_ms(process: &Process) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.pid)).expect("it runs");
    let after = stat.rsplit_once(')').expect("a name in brackets").1;
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<u64>().expect("a number");
    (ticks(11) + ticks(12)) * 10
}

fn resident_kib(process: &Process) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", process.pid)).expect("it runs");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("its size");
    line.split_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .expect("a number")
}
