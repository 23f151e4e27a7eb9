//! A typed id for every entity, so that a volume's id cannot be handed where a machine's is meant.
//! An id is `<prefix>-<16 characters of base 32>`: 80 random bits, safe in file, cgroup and unit names.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_CHARS: usize = 16;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{given}' is not an id of the form {prefix}-<{RANDOM_CHARS} characters>")]
pub struct IdError {
    given: String,
    prefix: &'static str,
}

fn random_part() -> String {
    let mut bytes = [0u8; RANDOM_CHARS];
    getrandom::fill(&mut bytes).expect("the kernel's random source answers");
    bytes
        .iter()
        .map(|b| ALPHABET[usize::from(b & 31)] as char)
        .collect()
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            pub fn generate() -> Self {
                Self(format!("{}-{}", $prefix, random_part()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The random part alone, for names whose length is bounded by the kernel.
            pub fn tail(&self) -> &str {
                &self.0[$prefix.len() + 1..]
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(given: &str) -> Result<Self, IdError> {
                let tail = given.strip_prefix(concat!($prefix, "-"));
                match tail {
                    Some(t) if t.len() == RANDOM_CHARS && t.bytes().all(|b| ALPHABET.contains(&b)) => {
                        Ok(Self(given.to_owned()))
                    }
                    _ => Err(IdError { given: given.to_owned(), prefix: $prefix }),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(given: String) -> Result<Self, IdError> {
                given.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }
    )*};
}

ids! {
    /// A tenant: an organisation of people with projects.
    OrgId = "org";
    /// A tenant's unit of ownership. The first one is called `default`.
    ProjectId = "proj";
    /// A network; the CLI calls it a VPC.
    NetworkId = "vpc";
    ClusterId = "k8s";
    /// A machine of any kind; tenants see theirs as instances.
    MachineId = "i";
    /// A machine's attachment to a network.
    PortId = "port";
    VolumeId = "vol";
    OperationId = "op";
    EventId = "ev";
    UserId = "user";
    ServiceAccountId = "sa";
    /// One token that was issued; its `jti`.
    TokenId = "tok";
    InvitationId = "inv";
    /// A login.
    SessionId = "ses";
    /// A secret that a project keeps.
    KeptSecretId = "sec";
    /// Somebody's public SSH key.
    SshKeyId = "key";
    /// One call of the API; both of its audit records carry it, and its answer.
    RequestId = "req";
    /// Rights somebody was given in one cluster.
    GrantId = "grant";
    /// One project's part in a cluster of another.
    ShareId = "share";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_id_parses_back_and_keeps_its_type() {
        let id = ClusterId::generate();
        assert_eq!(id.as_str().parse::<ClusterId>().unwrap(), id);
        assert!(id.as_str().parse::<NetworkId>().is_err());
        assert_eq!(id.tail().len(), RANDOM_CHARS);
    }

    #[test]
    fn look_alikes_are_refused() {
        for bad in [
            "k8s-",
            "k8s-short",
            "k8s-0123456789abcdeI",
            "k8s-../../etc/passwd",
            "0123456789abcdef",
        ] {
            assert!(bad.parse::<ClusterId>().is_err(), "{bad}");
        }
    }
}
