//! `cloud-keeper run` with real processes: restarts, gates, order, rests, reload, stop.

mod harness;

use std::{
    net::TcpListener,
    process::Command,
    time::{Duration, Instant},
};

use harness::{Keeper, alive, eventually, shell, write_config};

#[test]
fn what_dies_is_started_again_after_growing_rests() {
    let keeper = Keeper::start(&shell("a", "date +%s%N >> DIR/starts; exit 3", ""));
    eventually("four starts", || {
        (keeper.read("starts").lines().count() >= 4).then_some(())
    });
    let starts: Vec<u64> = keeper
        .read("starts")
        .lines()
        .map(|l| l.parse().unwrap())
        .collect();
    let rests: Vec<u64> = starts.windows(2).map(|w| (w[1] - w[0]) / 1_000_000).collect();
    assert!(rests[0] >= 100 && rests[1] >= 200 && rests[2] >= 400, "{rests:?}");
    let process = keeper.process("a").unwrap();
    assert_eq!(process.last_exit.as_deref(), Some("exited with status 3"));
    assert!(process.restarts >= 3);
}

#[test]
fn a_killed_process_returns_and_says_how_it_ended() {
    let keeper = Keeper::start(&shell("a", "exec sleep 100", ""));
    let first = eventually("it runs", || keeper.process("a")?.pid);
    assert!(
        Command::new("kill")
            .args(["-9", &first.to_string()])
            .status()
            .unwrap()
            .success()
    );
    let again = eventually("it runs again", || {
        keeper
            .process("a")
            .filter(|p| p.pid.is_some_and(|pid| pid != first))
    });
    assert_eq!(again.restarts, 1);
    assert_eq!(again.last_exit.as_deref(), Some("killed by signal 9"));
}

#[test]
fn a_program_that_is_not_there_is_said_to_be_missing() {
    let keeper = Keeper::start(r#"{"name":"a","argv":["/no/such/program"]}"#);
    let process = eventually("it failed", || keeper.process("a").filter(|p| p.restarts >= 1));
    assert!(process.last_exit.unwrap().contains("could not be started"));
}

#[test]
fn a_gate_holds_a_process_back_until_somebody_listens() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let gated = shell(
        "late",
        "touch DIR/late; exec sleep 100",
        &format!(r#","after":[{{"tcp-port":{port}}}]"#),
    );
    let free = shell("early", "touch DIR/early; exec sleep 100", "");
    let keeper = Keeper::start(&format!("{gated},{free}"));
    eventually("the free one starts", || {
        keeper.path("early").exists().then_some(())
    });
    assert!(!keeper.path("late").exists());
    let _listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    eventually("the gated one starts", || {
        keeper.path("late").exists().then_some(())
    });
}

#[test]
fn a_stop_ends_processes_last_first_and_waits_for_each() {
    let one = |name: &str| {
        let script = format!(
            "trap 'sleep 0.2; echo {name} >> DIR/ends; exit' TERM; touch DIR/{name}; while :; do sleep 0.05; done"
        );
        shell(name, &script, "")
    };
    let keeper = Keeper::start(&format!("{},{},{}", one("a"), one("b"), one("c")));
    for name in ["a", "b", "c"] {
        eventually("it runs", || keeper.path(name).exists().then_some(()));
    }
    let pids: Vec<u32> = keeper
        .status()
        .unwrap()
        .processes
        .iter()
        .filter_map(|p| p.pid)
        .collect();
    let dir = keeper.stop();
    assert_eq!(
        std::fs::read_to_string(dir.path().join("ends")).unwrap(),
        "c\nb\na\n"
    );
    assert!(pids.iter().all(|pid| !alive(*pid)));
    assert!(!dir.path().join("pid").exists());
}

#[test]
fn a_reload_touches_only_what_changed() {
    let keep = shell("keep", "exec sleep 100", "");
    let keeper = Keeper::start(&format!(
        "{keep},{},{}",
        shell("change", "exec sleep 101", ""),
        shell("go", "exec sleep 102", "")
    ));
    let pid = |name: &str| keeper.process(name).and_then(|p| p.pid);
    let before = eventually("all run", || Some((pid("keep")?, pid("change")?, pid("go")?)));
    write_config(
        &keeper.dir,
        &format!(
            "{keep},{},{}",
            shell("change", "exec sleep 201", ""),
            shell("new", "exec sleep 202", "")
        ),
    );
    keeper.signal("-HUP");
    let changed = eventually("the changed one is a new process", || {
        pid("change").filter(|p| *p != before.1)
    });
    eventually("the new one runs", || pid("new"));
    eventually("the removed one is gone", || {
        keeper.process("go").is_none().then_some(())
    });
    assert_eq!(pid("keep"), Some(before.0));
    assert!(alive(changed) && !alive(before.2));
    // One that cannot be read changes nothing and is said.
    std::fs::write(keeper.path("config.json"), "{ half").unwrap();
    keeper.signal("-HUP");
    eventually("the problem is said", || {
        keeper
            .status()?
            .problems
            .iter()
            .any(|p| p.contains("reload"))
            .then_some(())
    });
    assert_eq!(pid("keep"), Some(before.0));
}

#[test]
fn its_children_end_when_it_is_killed() {
    let mut keeper = Keeper::start(&shell("a", "exec sleep 100", ""));
    let pid = eventually("it runs", || keeper.process("a")?.pid);
    keeper.child.kill().unwrap();
    keeper.child.wait().unwrap();
    eventually("the child is gone", || (!alive(pid)).then_some(()));
}

#[test]
fn a_second_one_on_the_same_pidfile_is_refused() {
    let keeper = Keeper::start(&shell("a", "exec sleep 100", ""));
    eventually("it runs", || keeper.process("a")?.pid);
    let output = Command::new(env!("CARGO_BIN_EXE_cloud-keeper"))
        .arg("run")
        .arg("--config")
        .arg(keeper.path("config.json"))
        .arg("--pidfile")
        .arg(keeper.path("pid"))
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("another supervisor"));
}

#[test]
fn an_idle_supervisor_uses_no_processor_and_little_memory() {
    let keeper = Keeper::start(&shell("a", "exec sleep 100", ""));
    eventually("it runs", || keeper.process("a")?.pid);
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", keeper.child.id())).unwrap();
        let fields: Vec<u64> = stat
            .rsplit(") ")
            .next()
            .unwrap()
            .split(' ')
            .skip(11)
            .take(2)
            .map(|f| f.parse().unwrap())
            .collect();
        fields.iter().sum::<u64>()
    };
    let switches = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", keeper.child.id())).unwrap();
        let line = status
            .lines()
            .find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"))
            .unwrap();
        line.trim().parse::<u64>().unwrap()
    };
    let (ticks, woken) = (used(), switches());
    let until = Instant::now() + Duration::from_secs(2);
    eventually("two seconds pass", || (Instant::now() >= until).then_some(()));
    assert!(used() - ticks <= 1);
    assert!(switches() - woken <= 2, "it wakes without a reason");
}
