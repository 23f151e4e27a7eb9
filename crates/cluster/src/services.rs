//! What is installed into every cluster through its own API: the bindings our identities need, and cluster DNS.

use serde_json::Value;
use types::cluster::Ranges;

use crate::recipe::{Recipe, RecipeError, Values};

pub(crate) const RECIPE: &[(&str, &str)] = &[
    (
        "services/access.yaml",
        include_str!("../recipe/services/access.yaml"),
    ),
    (
        "services/coredns.yaml",
        include_str!("../recipe/services/coredns.yaml"),
    ),
];

/// What its placeholders may name.
pub(crate) const NAMES: &[&str] = &["coredns_image", "dns_address", "domain"];

fn values(ranges: &Ranges, coredns_image: &str) -> Values {
    Values::from([
        ("domain", ranges.domain.clone()),
        ("dns_address", ranges.dns_address().to_string()),
        ("coredns_image", coredns_image.to_owned()),
    ])
}

pub fn objects(recipe: &Recipe, ranges: &Ranges, coredns_image: &str) -> Result<Vec<Value>, RecipeError> {
    let values = values(ranges, coredns_image);
    let mut all = Vec::new();
    for name in recipe.names().filter(|name| name.starts_with("services/")) {
        all.extend(recipe.documents(name, &values)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use types::sample;

    use super::*;

    #[test]
    fn everything_installed_is_an_object_of_the_api_with_a_name_of_its_own() {
        let ranges = sample::cluster("v1.36.4").spec.ranges;
        let image = "registry.k8s.io/coredns/coredns:v1.14.2";
        let values = values(&ranges, image);
        let filled: Vec<&str> = values.into_keys().collect();
        assert_eq!(filled, NAMES);
        let objects = objects(&Recipe::new(&[]), &ranges, image).unwrap();
        let named: Vec<String> = objects
            .iter()
            .map(|o| {
                let part = |at: &str| o.pointer(at).and_then(Value::as_str).unwrap_or("-").to_owned();
                [
                    part("/apiVersion"),
                    part("/kind"),
                    part("/metadata/namespace"),
                    part("/metadata/name"),
                ]
                .join(" ")
            })
            .collect();
        insta::assert_snapshot!(named.join("\n"));
        let service = objects.iter().find(|o| o["kind"] == "Service").unwrap();
        assert_eq!(service["spec"]["clusterIP"], ranges.dns_address().to_string());
    }
}
