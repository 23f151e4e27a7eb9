//! What only this driver can refuse, beside what the contract has: nothing half-made stays after it.

use std::path::PathBuf;

use ports::Compute;
use types::Bytes;

use crate::harness::{World, plug, run};

#[test]
fn a_missing_image_is_named_and_nothing_stays() {
    let world = World::new();
    let mut machine = world.machine("exec sleep 1000");
    machine.image = PathBuf::from("/nowhere");
    plug(&machine.nic);
    let refused = world.wait(world.driver.apply(&machine)).unwrap_err();
    assert_eq!(refused.code, "image-missing");
    assert_eq!(world.scan(), Vec::<String>::new());
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
