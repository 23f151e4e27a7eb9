//! Messages as they come and as they should not come, and what becomes of each.

use proptest::prelude::*;

use super::*;
use crate::bent::bent;

const ID: u16 = 0x1234;

fn message(id: u16, flags: [u8; 2], name: &[&str], kind: u16, rest: &[u8]) -> Vec<u8> {
    let mut bytes = id.to_be_bytes().to_vec();
    bytes.extend(flags);
    bytes.extend([0, 1, 0, 0, 0, 0, 0, 1]);
    for label in name {
        bytes.push(u8::try_from(label.len()).unwrap());
        bytes.extend(label.bytes());
    }
    bytes.push(0);
    bytes.extend(kind.to_be_bytes());
    bytes.extend([0, 1]);
    bytes.extend(rest);
    bytes
}

fn asked(kind: u16) -> Vec<u8> {
    message(
        ID,
        [1, 0],
        &["www", "example"],
        kind,
        &[0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 0],
    )
}

fn query(bytes: &[u8]) -> Query {
    match receive(bytes) {
        Received::Query(query) => query,
        other => panic!("{other:?}"),
    }
}

fn refused(bytes: &[u8]) -> Vec<u8> {
    match receive(bytes) {
        Received::Refused(answer) => answer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_the_id_changes_on_the_way_there_and_back() {
    let bytes = asked(1);
    let query = query(&bytes);
    let sent = query.under(0xbeef);
    assert_eq!((&sent[..2], &sent[2..]), (&[0xbe, 0xef][..], &bytes[2..]));
    let answer = message(0xbeef, [0x83, 0x80], &["www", "example"], 1, b"records");
    let given = query.answer(0xbeef, answer.clone()).unwrap();
    assert_eq!((&given[..2], &given[2..]), (&ID.to_be_bytes()[..], &answer[2..]));
}

#[test]
fn an_answer_has_the_id_and_the_question() {
    let query = query(&asked(65));
    let answer = |id, flags, name: &[&str], kind| query.answer(id, message(id, flags, name, kind, &[]));
    assert!(answer(7, [0x81, 0x80], &["www", "example"], 65).is_some());
    assert!(answer(7, [0x81, 0x83], &["WWW", "Example"], 65).is_some());
    for (what, wrong) in [
        ("a query", answer(7, [1, 0], &["www", "example"], 65)),
        ("another operation", answer(7, [0xa9, 0], &["www", "example"], 65)),
        ("another name", answer(7, [0x81, 0], &["www", "example2"], 65)),
        ("other labels", answer(7, [0x81, 0], &["www.example"], 65)),
        // 65 and 97 are letters that differ in case only.
        ("another type", answer(7, [0x81, 0], &["www", "example"], 97)),
        (
            "no question",
            query.answer(7, vec![0, 7, 0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ),
        ("another id", {
            query.answer(8, message(7, [0x81, 0], &["www", "example"], 65, &[]))
        }),
    ] {
        assert_eq!(wrong, None, "{what}");
    }
}

#[test]
fn every_beginning_of_a_message_is_survived() {
    let whole = asked(1);
    let question = 12 + 13 + 4;
    for end in 0..whole.len() {
        match receive(&whole[..end]) {
            Received::Noise => assert!(end < 12, "{end}"),
            Received::Refused(answer) => {
                assert!((12..question).contains(&end), "{end}");
                assert_eq!(answer, [0x12, 0x34, 0x81, 0x81, 0, 0, 0, 0, 0, 0, 0, 0], "{end}");
            }
            Received::Query(_) => assert!(end >= question, "{end}"),
        }
    }
    let query = query(&whole);
    let answer = message(7, [0x81, 0x80], &["www", "example"], 1, b"records");
    for end in 0..answer.len() {
        let given = query.answer(7, answer[..end].to_vec());
        assert_eq!(given.is_some(), end >= question, "{end}");
    }
}

#[test]
fn every_flipped_byte_is_survived() {
    let (whole, query) = (asked(1), query(&asked(1)));
    for position in 0..whole.len() {
        for flip in [1, 0x40, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[position] ^= flip;
            receive(&bytes);
            query.answer(ID, bytes);
        }
    }
}

#[test]
fn what_is_no_query_is_not_relayed() {
    assert_eq!(receive(&[]), Received::Noise);
    assert_eq!(
        receive(&message(ID, [0x81, 0x80], &["a"], 1, &[])),
        Received::Noise
    );
    let code = |bytes: &[u8]| refused(bytes)[3] & CODE;
    // A status query, an update, no question, two questions, a pointer, a name without end.
    assert_eq!(code(&message(ID, [0x10, 0], &["a"], 1, &[])), 1);
    assert_eq!(code(&message(ID, [0x28, 0], &["a"], 1, &[])), 1);
    for count in [0, 2] {
        let mut bytes = asked(1);
        bytes[5] = count;
        assert_eq!(code(&bytes), 1, "{count} questions");
    }
    let mut pointing = asked(1);
    pointing[12] = 0xc0;
    assert_eq!(code(&pointing), 1);
    let long = "a".repeat(63);
    let longest = [long.as_str(), &long, &long, &long[..61]];
    query(&message(ID, [1, 0], &longest, 1, &[]));
    let too_long = [long.as_str(), &long, &long, &long[..62]];
    assert_eq!(code(&message(ID, [1, 0], &too_long, 1, &[])), 1);
    // Zone transfers.
    assert_eq!((code(&asked(251)), code(&asked(252))), (5, 5));
}

#[test]
fn our_own_answers_carry_the_question_and_nothing_after_it() {
    let failure = query(&asked(1)).failure();
    let mut expected = message(ID, [0x81, 0x82], &["www", "example"], 1, &[]);
    expected[11] = 0;
    assert_eq!(failure, expected);
    assert!(is_refusal(&failure));

    let mut long = message(ID, [0x81, 0x80], &["www", "example"], 1, &[0; 5000]);
    long[7] = 9;
    assert!(!is_refusal(&long));
    expected[2..4].copy_from_slice(&[0x83, 0x80]);
    assert_eq!(shortened(&long), expected);
}

proptest! {
    #[test]
    fn hostile_messages_get_an_answer_of_their_own_or_none(
        bytes in prop_oneof![bent(asked(1), 5), proptest::collection::vec(any::<u8>(), 0..600)],
        reply in proptest::collection::vec(any::<u8>(), 0..600),
        id in any::<u16>(),
    ) {
        let failed = match receive(&bytes) {
            Received::Noise => None,
            Received::Refused(answer) => Some(answer),
            Received::Query(query) => {
                prop_assert_eq!(&query.under(id)[2..], &bytes[2..]);
                if let Some(answer) = query.answer(id, reply) {
                    prop_assert_eq!(&answer[..2], &bytes[..2]);
                    shortened(&answer);
                    is_refusal(&answer);
                }
                Some(query.failure())
            }
        };
        if let Some(answer) = failed {
            // Never more than what was asked: nobody can be flooded through us.
            prop_assert!(answer.len() <= bytes.len());
            prop_assert_eq!(&answer[..2], &bytes[..2]);
            prop_assert!(answer[2] & ANSWER != 0);
        }
    }
}
