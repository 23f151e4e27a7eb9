//! What no plan may be: two steps of one key, a dependency on a step that is not there, a circle.

use std::collections::{BTreeMap, BTreeSet};

use crate::Step;

#[derive(Debug, PartialEq, Eq)]
pub enum PlanError {
    Twice(String),
    Dangling { step: String, after: String },
    Circle(Vec<String>),
}

pub fn check(steps: &[Step]) -> Result<(), PlanError> {
    let mut open: BTreeMap<&str, &[String]> = BTreeMap::new();
    for step in steps {
        if open.insert(&step.key, &step.after).is_some() {
            return Err(PlanError::Twice(step.key.clone()));
        }
    }
    for step in steps {
        if let Some(after) = step.after.iter().find(|key| !open.contains_key(key.as_str())) {
            return Err(PlanError::Dangling {
                step: step.key.clone(),
                after: after.clone(),
            });
        }
    }
    let mut done: BTreeSet<&str> = BTreeSet::new();
    while done.len() < open.len() {
        let ready: Vec<&str> = open
            .iter()
            .filter(|(key, after)| !done.contains(**key) && after.iter().all(|a| done.contains(a.as_str())))
            .map(|(key, _)| *key)
            .collect();
        if ready.is_empty() {
            let left = open
                .keys()
                .filter(|key| !done.contains(**key))
                .map(|key| (*key).to_owned())
                .collect();
            return Err(PlanError::Circle(left));
        }
        done.extend(ready);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;

    fn step(key: &str, after: &[&str]) -> Step {
        let after: Vec<String> = after.iter().map(|k| (*k).to_owned()).collect();
        Step::new(key, key, Action::PublishEdge).after(&after)
    }

    #[test]
    fn broken_plans_are_named() {
        assert_eq!(check(&[step("a", &[]), step("b", &["a"])]), Ok(()));
        assert_eq!(
            check(&[step("a", &[]), step("a", &[])]),
            Err(PlanError::Twice("a".to_owned()))
        );
        assert!(matches!(
            check(&[step("a", &["x"])]),
            Err(PlanError::Dangling { .. })
        ));
        assert!(matches!(
            check(&[step("a", &["b"]), step("b", &["a"])]),
            Err(PlanError::Circle(_))
        ));
    }
}
