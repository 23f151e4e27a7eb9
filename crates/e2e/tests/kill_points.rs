//! `cloudd` is killed at points of a plan on real machines: before an effect, after it, after its record. It comes back
//! by itself, the operation succeeds, and after the delete nothing is left.
//!
//! The points are read from the operations of an undisturbed create and delete, so a new step is a new set of points.
//! Ten are drawn (`PLASMACLOUD_KILL_POINTS`: a number, or `all`); the seed is printed, and set by `PLASMACLOUD_SEED`.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use e2e::{Platform, Stages, eventually, residue};
use serde_json::Value;
use workflow::Moment;

const NAME: &str = "kp";
const LONG: Duration = Duration::from_secs(240);

#[test]
fn a_killed_daemon_goes_on_where_it_was() {
    let platform = Platform::start();
    let mut stages = Stages::new();
    platform
        .cloud(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"])
        .ok();
    let clean = standing(&platform);
    let (mut creates, mut deletes) = enumerate(&platform);
    let wanted = std::env::var("PLASMACLOUD_KILL_POINTS").unwrap_or_else(|_| "10".to_owned());
    if wanted != "all" {
        let count: usize = wanted
            .parse()
            .expect("PLASMACLOUD_KILL_POINTS is a number or 'all'");
        let mut draw = Draw::new();
        creates = draw.some(creates, count.div_ceil(2));
        deletes = draw.some(deletes, count / 2);
    }
    // One cluster serves for a point of its creation and one of its deletion.
    for round in 0..creates.len().max(deletes.len()) {
        let (create, delete) = (creates.get(round), deletes.get(round));
        let name = format!(
            "create dies at {}, delete at {}",
            create.map_or("no point", String::as_str),
            delete.map_or("no point", String::as_str)
        );
        stages.run(&name, || {
            operation(&platform, &create_words(), create);
            let cluster = e2e::Cluster::open(&platform, NAME);
            cluster.wait_for_phase("RUNNING", LONG);
            assert_eq!(cluster.node_names().len(), 1);
            let ended = operation(&platform, &["k8s", "delete", NAME, "--no-wait"], delete);
            let report = ended["report"].to_string();
            assert!(report.contains("nothing left"), "{report}");
            assert!(!report.contains("nothing known"), "{report}");
            assert_eq!(
                standing(&platform),
                clean,
                "what stands after the delete is what stood before"
            );
        });
        // A round that failed must not fail the next.
        if platform.cloud(&["k8s", "get", NAME]).code == Some(0) {
            platform.cloud(&["k8s", "delete", NAME]);
        }
    }
    platform.finish();
    stages.end();
}

fn create_words() -> [&'static str; 11] {
    [
        "k8s",
        "create",
        "--name",
        NAME,
        "--vpc",
        "lab",
        "--workers",
        "1",
        "--instance-type",
        "u1.micro",
        "--no-wait",
    ]
}

/// The instance's things on the host, but for the numbers of its processes.
fn standing(platform: &Platform) -> Vec<String> {
    let mut found = residue(platform.mark(), platform.dir());
    found.retain(|line| !line.starts_with("process") || line.contains("nspawn"));
    found.sort();
    found
}

/// Points of an undisturbed create and delete.
fn enumerate(platform: &Platform) -> (Vec<String>, Vec<String>) {
    let create = operation(platform, &create_words(), None);
    let delete = operation(platform, &["k8s", "delete", NAME, "--no-wait"], None);
    (points(&create), points(&delete))
}

fn points(operation: &Value) -> Vec<String> {
    let steps = operation["steps"].as_array().expect("steps");
    let keys = steps.iter().map(|step| {
        let key = step["key"].as_str().expect("a key");
        // A worker's name is drawn anew for every cluster.
        let worker = format!("/{NAME}-default-");
        key.split_once(&worker)
            .map_or_else(|| key.to_owned(), |(kind, _)| format!("{kind}{worker}*"))
    });
    let mut points: Vec<String> = keys
        .flat_map(|key| Moment::ALL.map(|moment| format!("{key}:{}", moment.as_str())))
        .collect();
    points.sort();
    points.dedup();
    points
}

/// Begins an operation that prints its id, and waits until it succeeded. With a point, `cloudd` dies there.
fn operation(platform: &Platform, words: &[&str], point: Option<&String>) -> Value {
    if let Some(point) = point {
        platform.die_at(&format!("cluster/{point}"));
    }
    let armed = platform.process("cloudd");
    let start = Instant::now();
    let id = platform.cloud(words).ok().trim().to_owned();
    if let Some(point) = point {
        eventually(&format!("cloudd dies at {point}"), LONG, || {
            if !armed.is_alive() {
                return Ok(());
            }
            let seen = platform.cloud(&["operation", "get", &id, "-o", "json"]).told();
            let over = seen.contains(r#""state": "succeeded""#);
            assert!(!over || !armed.is_alive(), "it never came to {point}: {seen}");
            Err(format!("it lives; {seen}"))
        });
        platform.wait_until_healthy();
    }
    let ended = eventually(&format!("`cloud {}` succeeds", words.join(" ")), LONG, || {
        let text = platform
            .cloud(&["operation", "get", &id, "-o", "json"])
            .try_ok()?;
        let operation: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        match operation["state"].as_str() {
            Some("succeeded") => Ok(operation),
            Some("failed" | "superseded") => panic!("{operation:#}\n{}", platform.log_end("cloudd")),
            _ => Err(format!("{operation:#}\n{}", platform.log_end("cloudd"))),
        }
    });
    eprintln!("  {} took {:.1} s", words[1], start.elapsed().as_secs_f64());
    ended
}

/// Numbers that follow from a seed alone.
struct Draw(u64);

impl Draw {
    fn new() -> Self {
        let now = || {
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .expect("after 1970")
                .as_secs()
        };
        let seed =
            std::env::var("PLASMACLOUD_SEED").map_or_else(|_| now(), |seed| seed.parse().expect("a number"));
        eprintln!("PLASMACLOUD_SEED={seed}");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 27)
    }

    fn some(&mut self, mut from: Vec<String>, count: usize) -> Vec<String> {
        let mut drawn = Vec::new();
        while drawn.len() < count && !from.is_empty() {
            let at = usize::try_from(self.next() % from.len() as u64).expect("small");
            drawn.push(from.swap_remove(at));
        }
        drawn
    }
}
