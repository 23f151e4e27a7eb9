//! Amounts as people write them: `512Mi`, `2`, `0.5`. YAML and JSON make numbers of the last two; both are taken.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Quantity(pub String);

struct QuantityVisitor;

impl de::Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an amount such as 512Mi, 2 or 0.5")
    }

    fn visit_str<E: de::Error>(self, given: &str) -> Result<Quantity, E> {
        Ok(Quantity(given.to_owned()))
    }

    fn visit_u64<E: de::Error>(self, given: u64) -> Result<Quantity, E> {
        Ok(Quantity(given.to_string()))
    }

    fn visit_i64<E: de::Error>(self, given: i64) -> Result<Quantity, E> {
        Ok(Quantity(given.to_string()))
    }

    fn visit_f64<E: de::Error>(self, given: f64) -> Result<Quantity, E> {
        // Thousandths are the finest there is; what is between two is the larger, as Kubernetes has it.
        Ok(Quantity(format!("{:.3}", (given * 1000.0).ceil() / 1000.0)))
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}
