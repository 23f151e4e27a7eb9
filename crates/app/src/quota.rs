//! What a project and its organisation have, against what they may have. Counted from the books inside the decision that adds to it, so that of
//! a hundred who ask at once exactly as many get through as fit.

use types::{
    Bytes, Fault, OrgId, ProjectId,
    cluster::Cluster,
    machine::Machine,
    tenant::{Organisation, Project, Quota},
};

use crate::{World, records};

/// The tenant's own machines and clusters; what the platform runs for them is not theirs to pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub clusters: u64,
    pub vcpu: u64,
    pub memory: u64,
    pub storage: u64,
    pub loadbalancers: u64,
}

/// One resource, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub resource: &'static str,
    pub used: String,
    pub limit: Option<String>,
}

struct Counted {
    resource: &'static str,
    used: u64,
    limit: Option<u64>,
    shown: fn(u64) -> String,
}

impl Usage {
    pub fn of<'a>(clusters: u64, machines: impl Iterator<Item = &'a Machine>) -> Self {
        let mut usage = Self {
            clusters,
            ..Self::default()
        };
        for machine in machines.filter(|machine| machine.is_worker() && !machine.deleting) {
            usage.vcpu += u64::from(machine.size.vcpus);
            usage.memory += machine.size.memory.0;
            usage.storage += machine.size.disk.map_or(0, |disk| disk.0);
        }
        usage
    }

    fn plus(self, more: Self) -> Self {
        Self {
            clusters: self.clusters + more.clusters,
            vcpu: self.vcpu + more.vcpu,
            memory: self.memory + more.memory,
            storage: self.storage + more.storage,
            loadbalancers: self.loadbalancers + more.loadbalancers,
        }
    }

    pub fn lines(&self, quota: &Quota) -> Vec<Line> {
        let line = |counted: Counted| Line {
            resource: counted.resource,
            used: (counted.shown)(counted.used),
            limit: counted.limit.map(counted.shown),
        };
        self.counted(quota).into_iter().map(line).collect()
    }

    fn counted(&self, quota: &Quota) -> [Counted; 5] {
        let number = |resource, used, limit: Option<u32>| Counted {
            resource,
            used,
            limit: limit.map(u64::from),
            shown: |n| n.to_string(),
        };
        let bytes = |resource, used, limit: Option<Bytes>| Counted {
            resource,
            used,
            limit: limit.map(|bytes| bytes.0),
            shown: |n| Bytes(n).to_string(),
        };
        [
            number("clusters", self.clusters, quota.clusters),
            number("vcpu", self.vcpu, quota.vcpu),
            bytes("memory", self.memory, quota.memory),
            bytes("storage", self.storage, quota.storage),
            number("loadbalancers", self.loadbalancers, quota.loadbalancers),
        ]
    }
}

pub(crate) async fn used(world: &World, project: &ProjectId) -> Result<Usage, Fault> {
    let clusters = records::within::<Cluster>(&*world.store, project.as_str()).await?;
    let machines = records::within::<Machine>(&*world.store, project.as_str()).await?;
    let own = machines.iter().map(|machine| &machine.value);
    Ok(Usage::of(clusters.len() as u64, own))
}

/// What all projects of an organisation have.
pub(crate) async fn used_by_org(world: &World, org: &OrgId) -> Result<Usage, Fault> {
    let mut all = Usage::default();
    for project in records::within::<Project>(&*world.store, org.as_str()).await? {
        all = all.plus(used(world, &project.value.id).await?);
    }
    Ok(all)
}

/// Refused when the project, or its organisation, would have more than it may.
pub(crate) async fn check(world: &World, project: &ProjectId, more: Usage) -> Result<(), Fault> {
    let found = records::get::<Project>(&*world.store, project.as_str()).await?;
    let project = found.ok_or_else(|| Fault::not_found("project", project.as_str()))?;
    let Project {
        id, org, name, quota, ..
    } = project.value;
    fits(
        &format!("the project '{name}'"),
        used(world, &id).await?,
        more,
        &quota,
    )?;
    let org = records::get::<Organisation>(&*world.store, org.as_str()).await?;
    match org.map(|org| org.value) {
        // Counting every project is for those who are counted.
        Some(org) if org.quota != Quota::default() => {
            let used = used_by_org(world, &org.id).await?;
            fits(
                &format!("the organisation '{}'", org.name),
                used,
                more,
                &org.quota,
            )
        }
        Some(_) | None => Ok(()),
    }
}

fn fits(whose: &str, used: Usage, more: Usage, quota: &Quota) -> Result<(), Fault> {
    let after = used.plus(more).counted(quota);
    let over = used
        .counted(quota)
        .into_iter()
        .zip(after)
        .find(|(before, after)| {
            after.used > before.used && after.limit.is_some_and(|limit| after.used > limit)
        });
    let Some((before, after)) = over else {
        return Ok(());
    };
    let (resource, shown) = (before.resource, before.shown);
    Err(Fault::refused(
        "quota-exceeded",
        format!(
            "{whose} has {} of {} {resource}, and this takes {} more",
            shown(before.used),
            shown(after.limit.unwrap_or_default()),
            shown(after.used - before.used),
        ),
        "delete something, ask for less, or have an administrator of the platform raise the quota; see `cloud quota show`",
    ))
}
