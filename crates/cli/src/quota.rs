//! Limits as they are typed: `clusters=3,vcpu=32,memory=64Gi,storage=500Gi,loadbalancers=5`; `none` lifts one.

use std::str::FromStr;

use api::tenant::QuotaView;
use types::Bytes;

/// What each given limit becomes; what is not given stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    clusters: Option<Option<u32>>,
    vcpu: Option<Option<u32>>,
    memory: Option<Option<String>>,
    storage: Option<Option<String>>,
    loadbalancers: Option<Option<u32>>,
}

impl Limits {
    pub fn over(self, present: QuotaView) -> QuotaView {
        QuotaView {
            clusters: self.clusters.unwrap_or(present.clusters),
            vcpu: self.vcpu.unwrap_or(present.vcpu),
            memory: self.memory.unwrap_or(present.memory),
            storage: self.storage.unwrap_or(present.storage),
            loadbalancers: self.loadbalancers.unwrap_or(present.loadbalancers),
        }
    }
}

impl FromStr for Limits {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let mut limits = Self::default();
        for pair in given.split(',') {
            let (what, value) = pair
                .split_once('=')
                .ok_or_else(|| format!("'{pair}' is not such as clusters=3"))?;
            match what {
                "clusters" => once(&mut limits.clusters, pair, count(value)?)?,
                "vcpu" => once(&mut limits.vcpu, pair, count(value)?)?,
                "memory" => once(&mut limits.memory, pair, size(value)?)?,
                "storage" => once(&mut limits.storage, pair, size(value)?)?,
                "loadbalancers" => once(&mut limits.loadbalancers, pair, count(value)?)?,
                _ => {
                    return Err(format!(
                        "there is no limit '{what}'; there are clusters, vcpu, memory, storage, loadbalancers"
                    ));
                }
            }
        }
        Ok(limits)
    }
}

fn once<T>(limit: &mut Option<T>, pair: &str, value: T) -> Result<(), String> {
    match limit.replace(value) {
        Some(_) => Err(format!("'{pair}' is the second of its kind")),
        None => Ok(()),
    }
}

fn unless_none<T>(given: &str, parse: impl FnOnce(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if given == "none" {
        Ok(None)
    } else {
        parse(given).map(Some)
    }
}

fn count(given: &str) -> Result<Option<u32>, String> {
    unless_none(given, |given| {
        given
            .parse()
            .map_err(|_| format!("'{given}' is neither a number nor none"))
    })
}

fn size(given: &str) -> Result<Option<String>, String> {
    unless_none(given, |given| {
        let size: Bytes = given
            .parse()
            .map_err(|error| format!("{error}; give a size such as 64Gi, or none"))?;
        Ok(size.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_is_changed_and_the_rest_stays() {
        let present = QuotaView {
            clusters: Some(1),
            vcpu: Some(4),
            memory: Some("8Gi".to_owned()),
            ..QuotaView::default()
        };
        let limits: Limits = "clusters=3,memory=none,storage=500Gi".parse().unwrap();
        let wanted = QuotaView {
            clusters: Some(3),
            vcpu: Some(4),
            memory: None,
            storage: Some("500Gi".to_owned()),
            loadbalancers: None,
        };
        assert_eq!(limits.over(present), wanted);
    }

    #[test]
    fn what_is_no_limit() {
        for given in [
            "",
            "clusters",
            "clusters=",
            "clusters=-1",
            "gpu=1",
            "memory=lots",
            "vcpu=1,vcpu=2",
            "vcpu=1,",
        ] {
            assert!(given.parse::<Limits>().is_err(), "{given}");
        }
    }
}
