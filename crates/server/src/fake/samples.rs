//! Things with fixed ids and times, so that what is printed of them can be compared.

use std::net::Ipv4Addr;

use app::{
    identity::{self, Certificate, CertificateState, Certificates, Facts, Level, Stage},
    ops::SshPass,
};
use cluster::ssh::{Pass, PublicKey, SshKey};
use types::{
    Bytes, Cidr, Fault, Labels, Name, Principal, ProjectId, Secret, Timestamp,
    catalogue::{DEFAULT_INSTANCE_TYPE, instance_type},
    cluster::{Cluster, ClusterSpec, ClusterStatus, Pins, Progress, Scale},
    machine::{Mac, Machine, Power, Role, Size},
    network::{HOST_ACCOUNT, LOCAL_HOST, Network},
    operation::{Event, Operation, OperationKind, OperationState, Severity, Subject, SubjectKind},
    status::{ClusterPhase, Condition, ConditionKind, MachinePhase},
};

pub const NOW: Timestamp = Timestamp(1_794_776_400);

/// `prefix-000000000000000n`, of whichever type is asked for.
fn id<T: TryFrom<String, Error: std::fmt::Debug>>(prefix: &str, n: u64) -> T {
    T::try_from(format!("{prefix}-{n:016}")).expect("digits are in the alphabet")
}

pub fn project() -> ProjectId {
    app::default_project()
}

pub fn network(n: u64, name: Name, cidr: Cidr) -> Network {
    Network {
        id: id("vpc", n),
        project: project(),
        account: HOST_ACCOUNT.to_owned(),
        host: LOCAL_HOST.to_owned(),
        name,
        labels: Labels::default(),
        cidr,
        generation: 1,
        uplink: 1,
        deleting: false,
        created: NOW,
    }
}

pub fn cluster(n: u64, name: Name, network: &Network, spec: ClusterSpec) -> Cluster {
    let scales: std::collections::BTreeMap<_, _> = spec
        .node_groups
        .iter()
        .map(|(group, settings)| {
            (
                group.clone(),
                Scale {
                    replicas: settings.min(),
                    generation: 1,
                },
            )
        })
        .collect();
    let nodes_wanted = scales.values().map(|scale| scale.replicas).sum();
    Cluster {
        id: id("k8s", n),
        project: project(),
        server_name: format!("{name}.k8s.test"),
        name,
        labels: Labels::default(),
        network: network.id.clone(),
        spec,
        scales,
        pins: Pins {
            version: "v1.36.4".parse().expect("a patch"),
            bundle: "sha256:aaaa".to_owned(),
            node_image: "sha256:bbbb".to_owned(),
            recipe: "sha256:r".to_owned(),
        },
        generation: 1,
        realm: 1,
        deleting: false,
        held: false,
        status: ClusterStatus {
            phase: ClusterPhase::Provisioning,
            reason: String::new(),
            observed_generation: 0,
            conditions: vec![Condition {
                kind: ConditionKind::ControlPlaneReady,
                holds: true,
                reason: "Healthy".to_owned(),
                message: "the API answers".to_owned(),
                since: NOW,
            }],
            nodes_ready: 0,
            nodes_wanted,
            progress: Progress::default(),
        },
        created: NOW,
    }
}

pub fn worker(n: u64, cluster: &Cluster, group: &Name, number: u32) -> Machine {
    let kind = instance_type(DEFAULT_INSTANCE_TYPE).expect("the default is in the table");
    let port = id("port", n);
    Machine {
        id: id("i", n),
        project: project(),
        cluster: cluster.id.clone(),
        network: cluster.network.clone(),
        host: LOCAL_HOST.to_owned(),
        hostname: format!("{}-{group}-{number}", cluster.name),
        role: Role::Worker {
            group: group.clone(),
            pods: cluster
                .spec
                .ranges
                .pods
                .nth_subnet(24, number)
                .expect("a small number"),
        },
        instance_type: Some(kind.name.to_owned()),
        size: Size {
            vcpus: kind.vcpus,
            memory: kind.memory,
            disk: Some(Bytes::gib(20)),
        },
        mac: Mac::for_port(&port),
        port,
        address: Ipv4Addr::new(10, 20, 0, u8::try_from(9 + number).expect("a small number")),
        power: Power::On,
        deleting: false,
        phase: MachinePhase::Pending,
        created: NOW,
    }
}

pub fn operation(n: u64, kind: OperationKind, subject: Subject, name: &str) -> Operation {
    Operation {
        id: id("op", n),
        project: project(),
        subject,
        subject_name: name.to_owned(),
        kind,
        generation: 1,
        state: OperationState::Running,
        steps: Vec::new(),
        fault: None,
        report: Vec::new(),
        started: NOW,
        started_ms: 0,
        finished: None,
    }
}

pub fn event(n: u64, kind: SubjectKind, subject: &str, name: &str, reason: &str, message: &str) -> Event {
    Event {
        id: id("ev", n),
        project: project(),
        subject: Subject {
            kind,
            id: subject.to_owned(),
        },
        subject_name: name.to_owned(),
        severity: Severity::Normal,
        reason: reason.to_owned(),
        message: message.to_owned(),
        at: NOW,
    }
}

pub fn kubeconfig(cluster: &Name, kind: &str) -> Secret {
    Secret::new(format!(
        "apiVersion: v1\nkind: Config\nclusters:\n- name: {cluster}\n  cluster:\n    server: https://127.0.0.1:6443\n    \
         tls-server-name: {cluster}.k8s.test\nusers:\n- name: {cluster}-{kind}\n  user:\n    token: \"0123\"\ncontexts:\n- \
         name: {cluster}\n  context:\n    cluster: {cluster}\n    user: {cluster}-{kind}\ncurrent-context: {cluster}\n"
    ))
}

/// With a certificate of an authority that nobody trusts, and a way that leads nowhere.
pub fn ssh_pass(caller: &Principal, machine: Machine, public: &PublicKey) -> Result<SshPass, Fault> {
    let expires = NOW.plus(300);
    let certificate = SshKey::generate("authority")?.certify(
        public,
        Pass {
            who: &caller.name,
            principal: machine.id.as_str(),
            sources: &[machine.address],
            now: NOW,
            until: expires,
            serial: 1,
        },
    )?;
    Ok(SshPass {
        user: "root",
        certificate,
        serial: 1,
        fingerprint: public.fingerprint(),
        host_key: SshKey::generate(&machine.hostname)?.public_openssh,
        expires,
        endpoint: ([127, 0, 0, 1], 1).into(),
        server_name: ports::edge::tunnel_name(&machine.network),
        authorities: String::new(),
        machine,
    })
}

pub fn certificates() -> Certificates {
    let facts = |subject: &str, issuer: &str, days: i64| Facts {
        subject: format!("CN={subject}"),
        issuer: format!("CN={issuer}"),
        serial: "4a11".to_owned(),
        names: Vec::new(),
        not_before: NOW,
        not_after: NOW.plus(days * 86_400),
        fingerprint: "ab".repeat(32),
    };
    let own = Certificate {
        what: "platform-root",
        of: None,
        project: None,
        org: None,
        facts: Some(facts("PlasmaCloud root", "PlasmaCloud root", 3650)),
        serial: "4a11".to_owned(),
        renewed_from: Some(NOW.plus(2433 * 86_400)),
        revoked: None,
        state: CertificateState::Ok,
    };
    let client = Certificate {
        what: "webhook-client",
        of: Some("dev".to_owned()),
        project: Some("default".to_owned()),
        org: Some("org-0000000000000000".to_owned()),
        facts: Some(facts("cluster-0000000000000001", "PlasmaCloud services", 20)),
        renewed_from: Some(NOW.plus(-10 * 86_400)),
        state: CertificateState::Due,
        ..own.clone()
    };
    let gone = Certificate {
        what: "webhook-client",
        of: None,
        facts: None,
        serial: "4b22".to_owned(),
        renewed_from: None,
        revoked: Some(NOW),
        state: CertificateState::Revoked,
        ..own.clone()
    };
    Certificates {
        certificates: vec![own, client, gone],
        rotation: None,
    }
}

/// One that waits for a cluster.
pub fn rotation(level: Level, forced: bool) -> identity::Progress {
    identity::Progress {
        level,
        stage: Stage::Trust,
        began: NOW,
        forced,
        waiting_for: vec!["cluster dev: its control plane has not got the new root yet".to_owned()],
    }
}
