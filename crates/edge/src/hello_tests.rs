//! Hellos of real clients, cut anywhere and bent in every way.

use proptest::prelude::*;

use super::*;
use crate::bent::bent;

fn vector(prefix: usize, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    [&length[4 - prefix..], content].concat()
}

fn message(extensions: Option<&[u8]>) -> Vec<u8> {
    let mut body = vec![3, 3];
    body.extend([7; 32]);
    body.extend(vector(1, &[9; 32]));
    body.extend(vector(2, &[0x13, 0x01, 0x13, 0x02]));
    body.extend(vector(1, &[0]));
    body.extend(extensions.map(|all| vector(2, all)).unwrap_or_default());
    [&[CLIENT_HELLO][..], &vector(3, &body)].concat()
}

fn extension(kind: u16, content: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &vector(2, content)].concat()
}

fn named(name: &[u8]) -> Vec<u8> {
    let entry = [&[HOST_NAME][..], &vector(2, name)].concat();
    [
        extension(10, &[0, 2, 0, 29]),
        extension(SERVER_NAME, &vector(2, &entry)),
        extension(43, &[2, 3, 4]),
    ]
    .concat()
}

/// The message in records of at most `size` bytes.
fn records(message: &[u8], size: usize) -> Vec<u8> {
    message
        .chunks(size)
        .flat_map(|part| [&[HANDSHAKE, 3, 1][..], &vector(2, part)].concat())
        .collect()
}

#[test]
fn the_name_is_found_in_whole_and_fragmented_hellos() {
    let message = message(Some(&named(b"Api.Demo.Example")));
    for size in [1, 2, 3, 5, 50, 16_384] {
        assert_eq!(
            parse(&records(&message, size)),
            Hello::Name("api.demo.example".to_owned()),
            "records of {size}"
        );
    }
}

#[test]
fn every_beginning_of_a_hello_is_incomplete_and_never_something_else() {
    let message = message(Some(&named(b"api.demo.example")));
    for size in [1, 7, 16_384] {
        let whole = records(&message, size);
        for end in 0..whole.len() {
            assert_eq!(
                parse(&whole[..end]),
                Hello::Incomplete,
                "{end} bytes in records of {size}"
            );
        }
    }
}

#[test]
fn every_flipped_byte_is_survived() {
    let whole = records(&message(Some(&named(b"api.demo.example"))), 64);
    for position in 0..whole.len() {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[position] ^= flip;
            for end in [position, bytes.len()] {
                parse(&bytes[..end]);
            }
        }
    }
}

#[test]
fn hellos_without_a_name_are_told_apart_from_garbage() {
    assert_eq!(parse(&records(&message(None), 99)), Hello::Nameless);
    assert_eq!(
        parse(&records(&message(Some(&extension(43, &[2, 3, 4]))), 99)),
        Hello::Nameless
    );
    for garbage in [
        b"GET / HTTP/1.1\r\n".to_vec(),
        vec![HANDSHAKE, 2],
        vec![HANDSHAKE, 3, 1, 0, 0],
        vec![HANDSHAKE, 3, 1, 0xff, 0xff],
        vec![HANDSHAKE, 3, 1, 0, 4, 2, 0, 0, 0],
        vec![HANDSHAKE, 3, 1, 0, 4, CLIENT_HELLO, 0xff, 0xff, 0xff],
        records(&message(Some(&named(b"two words"))), 99),
        records(&message(Some(&named(b""))), 99),
        records(&message(Some(&named(&[b'a'; 300]))), 99),
        records(&message(Some(&extension(SERVER_NAME, &[0, 9, 0]))), 99),
    ] {
        assert_eq!(parse(&garbage), Hello::NotTls, "{garbage:?}");
    }
}

#[test]
fn an_endless_hello_is_given_up() {
    let mut endless = records(&[&[CLIENT_HELLO, 0, 0x3f, 0xff][..], &[0; LIMIT]].concat(), 8);
    endless.truncate(LIMIT);
    assert_eq!(parse(&endless), Hello::NotTls);
}

proptest! {
    #[test]
    fn hostile_hellos_are_judged_and_never_change_their_verdict(
        bytes in prop_oneof![bent(records(&message(Some(&named(b"api.demo.example"))), 40), 6), proptest::collection::vec(any::<u8>(), 0..600)],
        more in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let verdict = parse(&bytes);
        if let Hello::Name(name) = &verdict {
            prop_assert!(!name.is_empty() && name.len() <= LONGEST_NAME);
        }
        // What was decided stays decided, whatever comes after.
        if verdict != Hello::Incomplete {
            prop_assert_eq!(parse(&[bytes, more].concat()), verdict);
        }
    }
}
