//! Labels on the command line, and on a screen.

use std::collections::BTreeMap;

use api::spec::parse_labels;

use crate::failure::{Exit, Failure};

/// `--label key=value`, as often as there are labels.
pub fn read(given: &[String]) -> Result<Option<BTreeMap<String, String>>, Failure> {
    if given.is_empty() {
        return Ok(None);
    }
    let mut labels = BTreeMap::new();
    for label in given {
        let wrong = |cause: String| {
            Failure::new(
                Exit::Usage,
                "label-invalid",
                format!("--label: {cause}"),
                "give each label once, as --label env=prod",
            )
        };
        let (key, value) = label
            .split_once('=')
            .ok_or_else(|| wrong(format!("'{label}' has no '='")))?;
        if labels.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(wrong(format!("'{key}' is given twice")));
        }
    }
    // The same reading the platform does: a mistake is found before it is sent.
    parse_labels(labels.clone(), "--label")?;
    Ok(Some(labels))
}

pub fn show(labels: &BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    pairs.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_whole_or_refused() {
        let read = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|label| (*label).to_owned()).collect();
            read(&given).map(|labels| labels.map(|labels| show(&labels)))
        };
        assert_eq!(read(&[]).unwrap(), None);
        assert_eq!(read(&["b=", "a.io/x=y"]).unwrap().as_deref(), Some("a.io/x=y,b="));
        for bad in [&["a"][..], &["a=b", "a=c"], &["=b"], &["a=b=c"], &["-a=b"]] {
            assert_eq!(read(bad).unwrap_err().exit, Exit::Usage, "{bad:?}");
        }
    }
}
