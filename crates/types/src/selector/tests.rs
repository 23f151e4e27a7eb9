//! The grammar of selectors, on examples and on whatever can be written in it.

use std::collections::BTreeMap;

use proptest::{collection, option, prelude::*};

use super::*;

fn labels(pairs: &[(&str, &str)]) -> Labels {
    let given: BTreeMap<String, String> = pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    given.try_into().unwrap()
}

#[test]
fn the_grammar_of_kubernetes() {
    let shop = labels(&[("env", "prod"), ("tier", "web"), ("empty", "")]);
    for (selector, holds) in [
        ("", true),
        ("  ", true),
        ("env=prod", true),
        ("env==prod", true),
        ("env = prod , tier=web", true),
        ("env=test", false),
        ("env!=test", true),
        ("env!=prod", false),
        ("nothing!=x", true),
        ("env in (prod,test)", true),
        ("env in(test)", false),
        ("env notin (test , dev)", true),
        ("env notin (prod)", false),
        ("nothing notin (x)", true),
        ("env", true),
        ("nothing", false),
        ("!nothing", true),
        ("!env", false),
        ("empty=", true),
        ("empty in ()", true),
        ("env=", false),
        ("env in (prod,),tier,!x", true),
        ("in", false),
        ("in in (in)", false),
    ] {
        let parsed: LabelSelector = selector.parse().unwrap_or_else(|e| panic!("{selector}: {e}"));
        assert_eq!(parsed.matches(&shop), holds, "{selector}");
    }
    for bad in [
        ",",
        "a,",
        "=b",
        "a=b=c",
        "a in x",
        "a in (x",
        "a in x)",
        "!",
        "!a=b",
        "a b",
        "a in (x) y",
        "a=-",
        "-a",
        "a>1",
        "(a)",
        "a=b,,c=d",
    ] {
        assert!(bad.parse::<LabelSelector>().is_err(), "{bad}");
    }
}

#[test]
fn fields_are_compared_as_text() {
    let parsed: FieldSelector = "name=dev, phase!=RUNNING,version==v1.36.4".parse().unwrap();
    assert_eq!(parsed.to_string(), "name=dev,phase!=RUNNING,version=v1.36.4");
    for bad in ["name", "=dev", "name=dev,", "!=x"] {
        assert!(bad.parse::<FieldSelector>().is_err(), "{bad}");
    }
}

fn requirement() -> impl Strategy<Value = Requirement> {
    let values = || collection::btree_set(prop_oneof![Just(String::new()), "[a-c]"], 1..3);
    let must = prop_oneof![
        values().prop_map(Must::BeIn),
        values().prop_map(Must::NotBeIn),
        Just(Must::Exist),
        Just(Must::BeAbsent),
    ];
    ("[x-z]", must).prop_map(|(key, must)| Requirement { key, must })
}

proptest! {
    #[test]
    fn what_is_shown_reads_as_what_it_was(requirements in collection::vec(requirement(), 0..5)) {
        let selector = LabelSelector(requirements);
        let read: LabelSelector = selector.to_string().parse().unwrap();
        prop_assert_eq!(read, selector);
    }

    /// Against the definition: a label is a value or nothing.
    #[test]
    fn matching_is_the_definition(requirement in requirement(), value in option::of("[a-c]?")) {
        let given = value.as_ref().map(|value| (requirement.key.as_str(), value.as_str()));
        let labels = labels(given.as_slice());
        let expected = match (&requirement.must, &value) {
            (Must::BeIn(set), Some(value)) => set.iter().any(|one| one == value),
            (Must::BeIn(_), None) => false,
            (Must::NotBeIn(set), Some(value)) => set.iter().all(|one| one != value),
            (Must::NotBeIn(_), None) => true,
            (Must::Exist, value) => value.is_some(),
            (Must::BeAbsent, value) => value.is_none(),
        };
        prop_assert_eq!(LabelSelector(vec![requirement]).matches(&labels), expected);
    }

    #[test]
    fn hostile_text_is_read_or_refused(text in prop_oneof!["\\PC{0,80}", "[a-c=!(), in]{0,40}"]) {
        if let Ok(selector) = text.parse::<LabelSelector>() {
            prop_assert_eq!(selector.to_string().parse::<LabelSelector>().unwrap(), selector);
        }
        let _ = text.parse::<FieldSelector>();
    }
}
