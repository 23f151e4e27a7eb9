//! Finding the rest of what does not fit: what was found is mended in a copy, whatever is wanted there, and the copy is
//! tried again.

use serde_json::{Map, Value};
use types::{Fault, Findings};

use super::{
    fault,
    strict::{Misfit, Step},
};

/// Whoever has more than this wrong is not helped by more.
pub const MOST: usize = 20;

pub fn every(given: &Value, first: Misfit, try_again: impl Fn(&Value) -> Option<Misfit>) -> Fault {
    let mut found = Findings::default();
    let (mut copy, mut places) = (given.clone(), vec![first.path.clone()]);
    found.note(fault(&first));
    let mut misfit = first;
    while places.len() < MOST {
        let Some(next) = mended(&mut copy, &misfit, &try_again) else {
            break;
        };
        // What is wrong with a stand-in of ours is not the caller's.
        if !places.iter().any(|known| next.path.starts_with(known)) {
            found.note(fault(&next));
        }
        places.push(next.path.clone());
        misfit = next;
    }
    match found.verdict() {
        Err(fault) => fault,
        Ok(()) => Fault::internal(
            "body-unread",
            "nothing was found wrong with a body that does not fit",
        ),
    }
}

/// Makes the copy fit at one place; answers what does not fit elsewhere.
fn mended(
    copy: &mut Value,
    misfit: &Misfit,
    try_again: &impl Fn(&Value) -> Option<Misfit>,
) -> Option<Misfit> {
    for candidate in candidates() {
        let mut changed = copy.clone();
        replace(&mut changed, &misfit.path, candidate)?;
        match try_again(&changed) {
            // Something else is wanted there.
            Some(next) if next.path == misfit.path => {}
            Some(next) => {
                *copy = changed;
                return Some(next);
            }
            None => return None,
        }
    }
    None
}

/// Not there at all, or of each kind that may be wanted.
fn candidates() -> [Option<Value>; 6] {
    [
        None,
        Some(Value::String(String::new())),
        Some(Value::Object(Map::new())),
        Some(Value::Array(Vec::new())),
        Some(Value::from(0)),
        Some(Value::Bool(false)),
    ]
}

fn replace(value: &mut Value, path: &[Step], by: Option<Value>) -> Option<()> {
    let (last, above) = path.split_last()?;
    let mut place = value;
    for step in above {
        place = match step {
            Step::Key(key) => place.get_mut(key)?,
            Step::At(at) => place.get_mut(*at)?,
        };
    }
    match (last, by) {
        (Step::Key(key), None) => {
            place.as_object_mut()?.remove(key);
        }
        (Step::Key(key), Some(by)) => {
            place.as_object_mut()?.insert(key.clone(), by);
        }
        // What stands in a list cannot be left out without moving the rest; null is the nearest.
        (Step::At(at), by) => *place.get_mut(*at)? = by.unwrap_or(Value::Null),
    }
    Some(())
}
