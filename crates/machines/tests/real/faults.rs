//! Every refusal has a code, and nothing half-made stays after it.

use std::path::PathBuf;

use ports::{Compute, Volumes, compute::Unit};
use types::Bytes;

use crate::harness::{World, plug, run};

#[test]
fn what_is_missing_is_named_and_nothing_stays() {
    let world = World::new();
    let mut machine = world.machine("exec sleep 1000");
    let refused = |machine: &_| world.wait(world.driver.apply(machine)).unwrap_err();
    assert_eq!(refused(&machine).code, "interface-missing");
    assert_eq!(world.scan(), Vec::<String>::new());
    plug(&machine.nic);
    machine.image = PathBuf::from("/nowhere");
    assert_eq!(refused(&machine).code, "image-missing");
    let mut machine = world.machine("exec sleep 1000");
    plug(&machine.nic);
    machine.config.units.push(Unit {
        name: "a.service".to_owned(),
        text: String::new(),
        enabled: true,
    });
    assert_eq!(refused(&machine).code, "machine-config-invalid");
    let mut machine = world.machine("exec sleep 1000");
    plug(&machine.nic);
    machine.config.files[0].path = PathBuf::from("relative");
    assert_eq!(refused(&machine).code, "machine-config-invalid");
    assert_eq!(world.scan(), Vec::<String>::new());
}

#[test]
fn a_volume_in_use_is_neither_mounted_twice_nor_removed() {
    let world = World::new();
    let volume = world.volume();
    let (mut first, mut second) = (world.machine("exec sleep 1000"), world.machine("exec sleep 1000"));
    world.attach(&mut first, &volume, "/data");
    world.attach(&mut second, &volume, "/data");
    world.boot(&first);
    plug(&second.nic);
    assert_eq!(
        world.wait(world.driver.apply(&second)).unwrap_err().code,
        "volume-in-use"
    );
    assert_eq!(
        world.wait(world.volumes.remove(&volume.id)).unwrap_err().code,
        "volume-in-use"
    );
    world.wait(world.driver.remove(&first.id)).unwrap();
    world.apply(&second);
}

#[test]
fn a_full_host_disk_leaves_nothing() {
    let world = World::new();
    let small = world.state.path().join("small");
    std::fs::create_dir(&small).unwrap();
    run(
        "mount",
        &["-t", "tmpfs", "-o", "size=4m", "none", small.to_str().unwrap()],
    );
    let driver = crate::harness::driver(&world.instance, &small);
    let mut machine = world.machine("exec sleep 1000");
    machine.size.disk = Some(Bytes::gib(1));
    plug(&machine.nic);
    let fault = world.wait(driver.apply(&machine)).unwrap_err();
    let left = std::fs::read_dir(small.join("machines"))
        .map(Iterator::count)
        .unwrap_or(0);
    run("umount", &[small.to_str().unwrap()]);
    assert_eq!(fault.code, "host-disk-full");
    assert_eq!(left, 0);
}
