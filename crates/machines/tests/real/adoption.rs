//! A machine survives its platform: it is found again, never started twice, and comes back with its data when it dies.

use std::process::Command;

use ports::Compute;
use types::{machine::Power, status::Observed};

use crate::harness::{World, eventually, plug, read_inside, run};

const WORK: &str = "echo up >> /data/starts; exec sleep 1000";

#[test]
fn a_record_of_another_process_is_not_believed() {
    let world = World::new();
    let machine = world.machine("exec sleep 1000");
    let leader = world.boot(&machine);
    let record = world
        .state
        .path()
        .join("machines")
        .join(machine.id.as_str())
        .join("leader.json");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(
        &record,
        text.replace(&leader.pid.to_string(), &std::process::id().to_string()),
    )
    .unwrap();
    assert_eq!(world.apply(&machine), leader);
    std::fs::write(&record, "{ half").unwrap();
    assert_eq!(world.apply(&machine), leader);
}

#[test]
fn it_survives_the_death_of_nspawn_and_returns_from_its_own() {
    let world = World::new();
    let mut machine = world.machine(WORK);
    world.attach(&mut machine, &world.volume(), "/data");
    let leader = world.boot(&machine);
    eventually("first start", || {
        read_inside(leader, "/data/starts").filter(|s| s == "up\n")
    });
    let pattern = format!("--machine=pc-{}-{}", world.instance, machine.id);
    let nspawn = Command::new("pgrep")
        .args(["-f", "--", &pattern])
        .output()
        .unwrap()
        .stdout;
    run("kill", &["-9", String::from_utf8(nspawn).unwrap().trim()]);
    assert_eq!(world.apply(&machine), leader);
    run("kill", &["-9", &leader.pid.to_string()]);
    eventually("it is seen as off", || {
        let Observed::Present(seen) = world.wait(world.driver.observe(&machine.id)) else {
            return None;
        };
        (seen.power == Power::Off).then_some(())
    });
    plug(&machine.nic);
    let second = world.apply(&machine);
    assert_ne!(second, leader);
    eventually("second start with the data of the first", || {
        read_inside(second, "/data/starts").filter(|s| s == "up\nup\n")
    });
}

#[test]
fn an_interface_lost_while_it_runs_is_put_in_again() {
    let world = World::new();
    let machine = world.machine("exec sleep 1000");
    let leader = world.boot(&machine);
    let table = format!("/proc/{}/net/route", leader.pid);
    let routed = || {
        std::fs::read_to_string(&table)
            .ok()
            .filter(|t| t.contains("eth0\t00000000"))
    };
    eventually("its default route", routed);
    run(
        "nsenter",
        &["-t", &leader.pid.to_string(), "-n", "ip", "link", "del", "eth0"],
    );
    let Observed::Present(seen) = world.wait(world.driver.observe(&machine.id)) else {
        panic!("not found")
    };
    assert!(!seen.attached);
    assert_eq!(
        world.wait(world.driver.apply(&machine)).unwrap_err().code,
        "interface-missing"
    );
    plug(&machine.nic);
    assert_eq!(world.apply(&machine), leader);
    assert!(routed().is_some());
}
