//! Replacing an authority while everything below it goes on.
//!
//! Three stages, kept with the authorities, so that whoever is killed goes on where it was:
//! - `Trust`: the next authority is trusted beside the old one and signs nothing yet.
//! - `Replace`: it signs. The old one is trusted until every certificate below it was seen to be replaced.
//! - `Retire`: the old one and its key are gone, and it is taken out of every file.
//!
//! A stage ends when somebody saw that it may, never because time passed. With a root its authority of `services` is
//! replaced as well, which is signed by both roots: who missed the first stage is led over by the old one's signature.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use types::{ClusterId, Timestamp};

use super::{
    PkiError, PlatformPki,
    authority::Authority,
    platform::{ROOT_DAYS, SERVICES_DAYS, named},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    Root,
    Services,
}

impl Level {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Services => "services",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    Trust,
    Replace,
    Retire,
}

impl Stage {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trust => "trust",
            Self::Replace => "replace",
            Self::Retire => "retire",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rotation {
    pub level: Level,
    pub stage: Stage,
    pub began: Timestamp,
    /// Goes on although some cluster did not confirm.
    pub forced: bool,
    /// Since when each cluster's control plane is known to have the new roots in its files.
    pub laid: BTreeMap<ClusterId, Timestamp>,
    /// Clusters that go by them.
    pub confirmed: BTreeSet<ClusterId>,
    /// Why the stage is not over, as far as it was seen last.
    pub waiting_for: Vec<String>,
    /// What is trusted and does not sign yet.
    pub(super) root: Option<Authority>,
    pub(super) services: Option<Authority>,
}

impl Rotation {
    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.forced = false;
        self.waiting_for.clear();
    }
}

impl PlatformPki {
    pub fn rotation(&self) -> Option<&Rotation> {
        self.rotation.as_ref()
    }

    pub fn rotation_mut(&mut self) -> Option<&mut Rotation> {
        self.rotation.as_mut()
    }

    /// Makes the next authority. One rotation at a time: whether this began one.
    pub fn begin(&mut self, level: Level, now: Timestamp) -> Result<bool, PkiError> {
        if self.rotation.is_some() {
            return Ok(false);
        }
        let name = named("services", now);
        let (root, services) = match level {
            Level::Root => {
                let root = Authority::generate(&named("root", now), ROOT_DAYS, None, now)?;
                let mut services = Authority::generate(&name, SERVICES_DAYS, Some(&root), now)?;
                services.cross(&name, &self.roots[0], now)?;
                (Some(root), services)
            }
            Level::Services => {
                let services = Authority::generate(&name, SERVICES_DAYS, Some(&self.roots[0]), now)?;
                (None, services)
            }
        };
        self.rotation = Some(Rotation {
            level,
            stage: Stage::Trust,
            began: now,
            forced: false,
            laid: BTreeMap::new(),
            confirmed: BTreeSet::new(),
            waiting_for: Vec::new(),
            root,
            services: Some(services),
        });
        self.sign_lists(now)?;
        Ok(true)
    }

    /// Ends the stage it is in; seen to be done by the caller. Nothing is left after the last.
    pub fn advance(&mut self, now: Timestamp) -> Result<(), PkiError> {
        let Some(rotation) = &mut self.rotation else {
            return Ok(());
        };
        match rotation.stage {
            Stage::Trust => {
                rotation.enter(Stage::Replace);
                if let Some(root) = rotation.root.take() {
                    self.roots.insert(0, root);
                }
                if let Some(services) = rotation.services.take() {
                    self.services.insert(0, services);
                }
            }
            Stage::Replace => {
                rotation.enter(Stage::Retire);
                self.roots.truncate(1);
                self.services.truncate(1);
            }
            Stage::Retire => self.rotation = None,
        }
        self.sign_lists(now)
    }
}
