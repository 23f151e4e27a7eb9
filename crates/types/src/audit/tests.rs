//! The encoding is fixed, every field counts, and every way of tampering is told apart.

use serde_json::json;

use super::*;

fn entry(request: &str) -> Entry {
    Entry {
        at_ms: 1_794_776_400_123,
        stage: Stage::Ended,
        actor: Actor {
            id: "user-0000000000000001".to_owned(),
            name: "ana@acme.example".to_owned(),
        },
        origin: Origin {
            address: "127.0.0.1:4000".to_owned(),
            agent: "cloud/0.1.0".to_owned(),
        },
        action: "createCluster".to_owned(),
        object: Object {
            kind: "cluster".to_owned(),
            name: Some("dev".to_owned()),
            id: None,
        },
        project: Some("proj-0000000000000000".to_owned()),
        org: None,
        change: Some(Change::of(&json!({"workers": 2, "vpc": "lab"}))),
        status: Some(202),
        code: None,
        request: request.to_owned(),
    }
}

fn chain(length: u64) -> Vec<AuditRecord> {
    let mut head = Head::default();
    (1..=length)
        .map(|n| {
            let record = entry(&n.to_string()).after(head);
            head = record.head();
            record
        })
        .collect()
}

fn verdict(records: &[AuditRecord], sealed: Option<Head>, known: Option<Head>) -> Verdict {
    let mut walk = Walk::new(known);
    for record in records {
        if let Err(broken) = walk.step(record) {
            return walk.broken(broken);
        }
    }
    walk.end(sealed)
}

fn broken(records: &[AuditRecord], sealed: Option<Head>) -> (u64, Breakage) {
    let Broken { sequence, how } = verdict(records, sealed, None).broken.expect("it is told");
    (sequence, how)
}

/// Whoever checks a log without this code needs the encoding to stay what the documentation says: this hash was computed
/// by another program from those words.
#[test]
fn the_encoding_is_as_documented() {
    assert_eq!(entry("r").after(Head::default()).hash.to_string(), HASH);
}
const HASH: &str = "f3885296bc4e9cd335edcf0e6d945bc0ef0c902933f0cf74d512ef655bc0af24";

type ChangeOne = fn(&mut Entry);

#[test]
fn every_field_is_hashed() {
    let record = entry("r").after(Head::default());
    let serde_json::Value::Object(fields) = serde_json::to_value(&record.entry).unwrap() else {
        panic!()
    };
    let changes: [(&str, ChangeOne); 12] = [
        ("atMs", |e| e.at_ms += 1),
        ("stage", |e| e.stage = Stage::Begun),
        ("actor", |e| e.actor.name.push('x')),
        ("origin", |e| e.origin.address.clear()),
        ("action", |e| e.action = "deleteCluster".to_owned()),
        ("object", |e| e.object.id = Some(String::new())),
        ("project", |e| e.project = None),
        ("org", |e| e.org = Some("o".to_owned())),
        ("change", |e| e.change = None),
        ("status", |e| e.status = Some(409)),
        ("code", |e| e.code = Some(String::new())),
        ("request", |e| e.request = "s".to_owned()),
    ];
    assert_eq!(
        changes.len(),
        fields.len(),
        "a new field is hashed and tested, too"
    );
    for (name, change) in changes {
        assert!(fields.contains_key(name), "{name}");
        let mut changed = record.clone();
        change(&mut changed.entry);
        assert_ne!(changed.computed(), record.hash, "{name}");
    }
    let moved = AuditRecord {
        sequence: 2,
        ..record.clone()
    };
    assert_ne!(moved.computed(), record.hash);
    let relinked = AuditRecord {
        previous: Hash([1; 32]),
        ..record.clone()
    };
    assert_ne!(relinked.computed(), record.hash);
}

#[test]
fn text_cannot_be_shifted_from_one_field_to_the_next() {
    let mut shifted = entry("r");
    shifted.actor = Actor {
        id: "user-0000000000000001ana".to_owned(),
        name: "@acme.example".to_owned(),
    };
    assert_ne!(
        shifted.after(Head::default()).hash,
        entry("r").after(Head::default()).hash
    );
}

#[test]
fn a_sound_chain_is_sound() {
    let records = chain(5);
    let head = records[4].head();
    let good = verdict(&records, Some(head), Some(records[2].head()));
    assert_eq!((good.records, good.head, good.broken), (5, head, None));
    assert_eq!(
        verdict(&[], None, None).broken,
        None,
        "a platform that was never called"
    );
}

#[test]
fn every_way_of_tampering_is_told() {
    let records = chain(5);
    let sealed = Some(records[4].head());

    let mut changed = records.clone();
    changed[2].entry.actor.name = "somebody else".to_owned();
    assert_eq!(broken(&changed, sealed), (3, Breakage::Changed));

    changed[2].hash = changed[2].computed();
    assert_eq!(
        broken(&changed, sealed),
        (4, Breakage::Unlinked),
        "its own hash made anew: the next one tells"
    );

    let mut gap = records.clone();
    gap.remove(1);
    assert_eq!(broken(&gap, sealed), (3, Breakage::Gap { expected: 2 }));

    let mut first = records.clone();
    first.remove(0);
    assert_eq!(broken(&first, sealed), (2, Breakage::Gap { expected: 1 }));

    let mut twice = records.clone();
    twice.insert(2, records[1].clone());
    assert_eq!(broken(&twice, sealed), (2, Breakage::Order { expected: 3 }));

    assert_eq!(broken(&records[..4], sealed), (4, Breakage::Cut { sealed: 5 }));
    assert_eq!(broken(&[], sealed), (0, Breakage::Cut { sealed: 5 }));
    assert_eq!(broken(&records, None), (5, Breakage::HeadLost));
    assert_eq!(
        broken(&records, Some(records[3].head())),
        (5, Breakage::Unsealed),
        "a forged last record"
    );

    let forged: Vec<AuditRecord> = {
        let mut head = Head::default();
        let again = |n: u64| {
            let record = entry(&format!("forged {n}")).after(head);
            head = record.head();
            record
        };
        (1..=5).map(again).collect()
    };
    assert_eq!(
        broken(&forged, sealed),
        (
            5,
            Breakage::OtherThan {
                expected: records[4].head()
            }
        ),
        "a whole new chain"
    );
}

#[test]
fn what_was_noted_down_must_still_be_there() {
    let records = chain(5);
    let sealed = Some(records[4].head());
    let noted = Head {
        sequence: 3,
        hash: Hash([7; 32]),
    };
    let told = verdict(&records, sealed, Some(noted)).broken.unwrap();
    assert_eq!(
        (told.sequence, told.how),
        (3, Breakage::OtherThan { expected: noted })
    );
    // Log and head put back together to an older state, which the head alone does not tell.
    let told = verdict(&records[..3], Some(records[2].head()), Some(records[4].head()))
        .broken
        .unwrap();
    assert_eq!((told.sequence, told.how), (3, Breakage::Cut { sealed: 5 }));
}

#[test]
fn heads_and_hashes_read_back() {
    let head = chain(2)[1].head();
    assert_eq!(head.to_string().parse::<Head>().unwrap(), head);
    let json = serde_json::to_string(&head).unwrap();
    assert_eq!(serde_json::from_str::<Head>(&json).unwrap(), head);
    for bad in ["", "1", "1:", "x:00", "1:0g", &format!("1:{}", "+f".repeat(32))] {
        assert!(bad.parse::<Head>().is_err(), "{bad}");
    }
}
