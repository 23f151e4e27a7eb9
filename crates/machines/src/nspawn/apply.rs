//! Making a machine be as desired. What is there is looked at first; every step before the start of nspawn can be done
//! again, and after it the machine is found by its cgroup even if we died before writing down that it runs.

use std::time::{Duration, Instant};

use ports::compute::{Init, Leader, MachineDesired, MachineObserved};
use rustix::process::Signal;
use types::machine::Power;

use super::{
    Inner, lay, layout::MachineDir, leader, members, nic, record, record::Laid, record::Record, root, start,
    stop,
};
use crate::{
    error::{Context, Result},
    host::process,
};

/// For an nspawn that is running but whose machine is not there yet: we died right after starting it.
const EMERGE: Duration = Duration::from_secs(3);

impl Inner {
    pub(super) fn apply(&self, desired: &MachineDesired) -> Result<MachineObserved> {
        let place = self.place(&desired.id);
        let running = self.running(&place)?;
        let leader = match (desired.power, running) {
            (Power::On, Some(leader)) => Some(self.keep(&place, desired, leader)?),
            (Power::On, None) => Some(self.boot(&place, desired)?),
            (Power::Off, Some(leader)) => {
                stop::halt(leader, desired.init)?;
                stop::clear(&place, &self.cgroups, &self.ranges)?;
                None
            }
            (Power::Off, None) => {
                stop::clear(&place, &self.cgroups, &self.ranges)?;
                // Off is not absent, also for one that was never on.
                std::fs::create_dir_all(&place.dir).doing("make", &place.dir)?;
                None
            }
        };
        let laid: Laid = record::read(&place.laid()).unwrap_or_default();
        Ok(MachineObserved {
            power: desired.power,
            leader,
            config_digest: laid.digest,
            attached: leader.is_some_and(nic::is_attached),
        })
    }

    fn running(&self, place: &MachineDir) -> Result<Option<Leader>> {
        let deadline = Instant::now() + EMERGE;
        loop {
            if let Some(leader) = leader::find(place, &self.cgroups)? {
                return Ok(Some(leader));
            }
            if members::supervisors(place)?.is_empty() || Instant::now() >= deadline {
                return Ok(None);
            }
            crate::host::pause::pause(Duration::from_millis(10));
        }
    }

    fn boot(&self, place: &MachineDir, desired: &MachineDesired) -> Result<Leader> {
        nic::require(&desired.nic)?;
        stop::clear(place, &self.cgroups, &self.ranges)?;
        let booted = self.boot_clean(place, desired);
        if booted.is_err() {
            // The error is what matters; what cannot be cleared now is cleared before the next try.
            if let Err(error) = stop::clear(place, &self.cgroups, &self.ranges) {
                tracing::warn!(machine = %desired.id, %error, "a machine that did not start was not cleared");
            }
        }
        booted
    }

    fn boot_clean(&self, place: &MachineDir, desired: &MachineDesired) -> Result<Leader> {
        let fresh = !place.dir.exists();
        std::fs::create_dir_all(&place.dir).doing("make", &place.dir)?;
        let range = self.ranges.claim(&desired.id, desired.init)?;
        let made = root::assemble(place, desired, range).and_then(|()| {
            let before: Laid = record::read(&place.laid()).unwrap_or_default();
            let laid = lay::lay_all(place, desired, self.options.keeper(), range, &before)?;
            record::write(&place.laid(), &laid)?;
            start::start(place, desired, range, &self.cgroups)
        });
        if made.is_err() && fresh {
            // Nothing of a machine that never ran is worth keeping, least of all on a full disk.
            let _ = stop::clear(place, &self.cgroups, &self.ranges);
            let _ = std::fs::remove_dir_all(&place.dir);
        }
        let leader = made?;
        nic::attach(&desired.nic, leader)?;
        self.remember(place, leader)?;
        Ok(leader)
    }

    /// A machine that runs: its record, its interface, its files.
    fn keep(&self, place: &MachineDir, desired: &MachineDesired, leader: Leader) -> Result<Leader> {
        let known: Option<Record> = record::read(&place.record());
        if known.is_none_or(|known| known.leader != leader) {
            self.remember(place, leader)?;
        }
        let before: Laid = record::read(&place.laid()).unwrap_or_default();
        if before.digest != lay::digest(&desired.config) {
            self.refresh(place, desired, leader, &before)?;
        }
        if !nic::is_inside(leader) {
            nic::attach_live(&desired.nic, leader, place, self.options.keeper())?;
        }
        Ok(leader)
    }

    fn refresh(
        &self,
        place: &MachineDir,
        desired: &MachineDesired,
        leader: Leader,
        before: &Laid,
    ) -> Result<()> {
        let range = match leader::range_of(leader) {
            Some(range) => range,
            None => self.ranges.claim(&desired.id, desired.init)?,
        };
        let (laid, changed) = lay::refresh(place, desired, range, before)?;
        match (changed, desired.init) {
            (lay::Changed::FirstProcessMustReload, Init::Systemd | Init::Keeper) => {
                process::signal_and_wait(leader.pid, leader.start_time, Signal::HUP, Duration::ZERO)?;
            }
            (lay::Changed::Nothing | lay::Changed::FilesOnly, Init::Systemd | Init::Keeper) => {}
        }
        // Written last: if we die before this, the files are laid again and nothing is different.
        record::write(&place.laid(), &laid)
    }

    fn remember(&self, place: &MachineDir, leader: Leader) -> Result<()> {
        let boot = record::boot_id().doing("read", &place.record())?;
        record::write(&place.record(), &Record { leader, boot })
    }
}
