//! The authorities for people to read: which there are, and what each is for at the moment. No key is in it.

use types::Timestamp;

use super::{Facts, Level, PkiError, PlatformPki, authority::Authority};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthorityState {
    Signs,
    /// Trusted, and signs soon.
    Next,
    /// Trusted until what it signed is replaced.
    Retiring,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthorityKind {
    Root,
    Services,
    /// An authority of `services` under the root before, which leads those over who know only that one.
    Cross,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub kind: AuthorityKind,
    pub state: AuthorityState,
    pub facts: Facts,
    /// When it begins to be replaced by itself.
    pub replaced_from: Option<Timestamp>,
}

impl PlatformPki {
    pub fn authorities(&self) -> Result<Vec<Kept>, PkiError> {
        let rotation = self.rotation.as_ref();
        let coming_root = rotation.and_then(|rotation| rotation.root.as_ref());
        let coming = rotation.and_then(|rotation| rotation.services.as_ref());
        let mut all = Vec::new();
        let mut add = |kind, level, next: Option<&Authority>, kept: &[Authority]| {
            let next = next.map(|authority| (AuthorityState::Next, authority));
            let kept = kept.iter().enumerate().map(|(place, authority)| match place {
                0 => (AuthorityState::Signs, authority),
                _ => (AuthorityState::Retiring, authority),
            });
            for (state, authority) in next.into_iter().chain(kept) {
                let by_itself = Self::replaced_from(authority, level);
                all.push(Kept {
                    kind,
                    state,
                    facts: Facts::of(&authority.cert_pem)?,
                    replaced_from: (state != AuthorityState::Retiring).then_some(by_itself),
                });
                if let Some(cross) = &authority.cross_pem {
                    all.push(Kept {
                        kind: AuthorityKind::Cross,
                        state,
                        facts: Facts::of(cross)?,
                        replaced_from: None,
                    });
                }
            }
            Ok(())
        };
        add(AuthorityKind::Root, Level::Root, coming_root, &self.roots)?;
        add(AuthorityKind::Services, Level::Services, coming, &self.services)?;
        Ok(all)
    }

    /// Serial numbers of what is on the revocation list, and since when.
    pub fn revoked(&self) -> impl Iterator<Item = (&str, Timestamp)> {
        self.revoked
            .iter()
            .map(|(serial, since)| (serial.as_str(), *since))
    }
}
