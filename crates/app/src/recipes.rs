//! The recipes that clusters were made with, each kept once under its digest.

use std::borrow::Cow;

use cluster::recipe::Recipe;
use ports::store::{Doc, Entity, PLATFORM, Write};
use serde::{Deserialize, Serialize};
use types::Fault;

use crate::{World, records};

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    digest: String,
    recipe: Recipe,
}

impl Entity for Kept {
    const KIND: &'static str = "recipe";
    fn id(&self) -> &str {
        &self.digest
    }
    fn scope(&self) -> &str {
        PLATFORM
    }
    fn name(&self) -> Option<&str> {
        None
    }
    fn parent(&self) -> Option<&str> {
        None
    }
}

/// What must be written with a cluster that is made now, so that its recipe outlives this release.
pub(crate) async fn keep(world: &World) -> Result<Option<Write>, Fault> {
    let digest = world.recipe.digest();
    if records::get::<Kept>(&*world.store, &digest).await?.is_some() {
        return Ok(None);
    }
    let kept = Kept {
        digest,
        recipe: world.recipe.clone(),
    };
    Ok(Some(Write::Put(Doc::new(&kept, 0))))
}

/// The recipe a cluster is pinned to.
pub(crate) async fn pinned<'a>(world: &'a World, digest: &str) -> Result<Cow<'a, Recipe>, Fault> {
    if world.recipe.digest() == digest {
        return Ok(Cow::Borrowed(&world.recipe));
    }
    match records::get::<Kept>(&*world.store, digest).await? {
        Some(kept) => Ok(Cow::Owned(kept.value.recipe)),
        None => Err(Fault::internal(
            "recipe-lost",
            format!("the recipe {digest} that a cluster was made with is not on the books"),
        )),
    }
}
