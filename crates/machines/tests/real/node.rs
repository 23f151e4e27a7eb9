//! What a machine costs to start and to remove, printed; the bounds are wide, for a machine that does other work too.

use std::time::{Duration, Instant};

use ports::Compute;
use types::Bytes;

use crate::harness::{World, eventually, status};

#[test]
fn a_system_machine_starts_and_goes_quickly() {
    let world = World::new();
    let mut applies = Vec::new();
    for round in 0..3 {
        let mut machine = world.machine("exec sleep 1000");
        if round == 2 {
            machine.size.disk = Some(Bytes::gib(20));
        }
        world.attach(&mut machine, &world.volume(), "/data");
        crate::harness::plug(&machine.nic);
        let start = Instant::now();
        let leader = world.apply(&machine);
        let applied = start.elapsed();
        eventually("its process runs", || status(leader)?.processes[0].pid);
        let ran = start.elapsed();
        let again = Instant::now();
        world.apply(&machine);
        let unchanged = again.elapsed();
        let removing = Instant::now();
        world.wait(world.driver.remove(&machine.id)).unwrap();
        eprintln!("apply {applied:?}, process {ran:?}, unchanged apply {unchanged:?}, remove {:?}", removing.elapsed());
        applies.push(applied);
    }
    applies.sort();
    assert!(applies[1] < Duration::from_secs(2), "{applies:?}");
}
