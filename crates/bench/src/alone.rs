//! One cluster of one node at rest, beside the same programs bare: memory and idle CPU. On our side everything in the
//! two machines counts, their init, journal and supervisor too; on the bare side everything in its room.

use std::{collections::BTreeSet, fmt::Write as _, time::Duration};

use e2e::{Cluster, Machine, Platform};

use crate::{
    bare::{BareCluster, Room},
    figures::Report,
    weight::{Weight, seconds_of, wait, weigh},
};

pub fn measure(platform: &Platform, report: &mut Report) {
    let rest = seconds_of("BENCH_SETTLE_S", 120);
    let watch = seconds_of("BENCH_IDLE_S", 300);
    let ours = ours(platform, rest, watch);
    let bare = bare(rest, watch);
    let memory = ours.pss_mib / bare.pss_mib;
    report.add(
        "PSS of a control plane with one node",
        format!(
            "{:.0} MiB = {memory:.2} × bare ({:.0} MiB)",
            ours.pss_mib, bare.pss_mib
        ),
        "≤ 1.0 × bare",
        Some(memory <= 1.0),
    );
    let cpu = ours.cpu_percent / bare.cpu_percent;
    report.add(
        "idle CPU of the same",
        format!(
            "{:.2} % of a core = {cpu:.2} × bare ({:.2} %)",
            ours.cpu_percent, bare.cpu_percent
        ),
        "≤ 1.0 × bare",
        Some(cpu <= 1.0),
    );
    report.explain(breakdown(&ours, &bare));
}

fn ours(platform: &Platform, rest: Duration, watch: Duration) -> Weight {
    let cluster = Cluster::create(platform, "alone", "bench", 1, &[]);
    wait(rest);
    let machines = Machine::all(platform.mark());
    let ids: Vec<&str> = machines.iter().map(|machine| machine.id.as_str()).collect();
    assert_eq!(ids.len(), 2, "a control plane and a node: {machines:?}");
    let weight = weigh(&ids, |_| false, watch);
    cluster.delete();
    weight
}

fn bare(rest: Duration, watch: Duration) -> Weight {
    let cluster = BareCluster::start();
    wait(rest);
    weigh(&[cluster.cgroup()], Room::is_wall, watch)
}

fn breakdown(ours: &Weight, bare: &Weight) -> String {
    let mut text = "One control plane with one node, by program (PSS in MiB, CPU in % of a core):\n\n\
                    | program | PSS ours | PSS bare | CPU ours | CPU bare |\n|---|---|---|---|---|\n"
        .to_owned();
    let names: BTreeSet<&String> = ours.parts.keys().chain(bare.parts.keys()).collect();
    let size = |name: &String| {
        let part = |weight: &Weight| weight.parts.get(name).map_or(0.0, |part| part.0);
        part(ours).max(part(bare))
    };
    let mut names: Vec<&String> = names.into_iter().collect();
    names.sort_by(|one, other| size(other).total_cmp(&size(one)));
    for name in names {
        let memory = |weight: &Weight| weight.parts.get(name).map(|part| format!("{:.1}", part.0));
        let cpu = |weight: &Weight| weight.parts.get(name).map(|part| format!("{:.2}", part.1));
        let cells = [memory(ours), memory(bare), cpu(ours), cpu(bare)].map(Option::unwrap_or_default);
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    let seen = |weight: &Weight| weight.parts.values().map(|part| part.1).sum::<f64>();
    let _ = writeln!(
        text,
        "| came and went | | | {:.2} | {:.2} |",
        (ours.cpu_percent - seen(ours)).max(0.0),
        (bare.cpu_percent - seen(bare)).max(0.0)
    );
    text
}
