//! Our own controllers: what the platform keeps inside the cluster for its tenants. Nothing waits for them, and they go
//! on while the platform's daemon is dead.

use cluster::{
    kubeconfig,
    node::{API_PORT, leaf_files},
    recipe::{Recipe, RecipeError, Values},
};
use ports::compute::{Content, FileEntry};
use types::{
    Bytes, MilliCpu,
    grant::GrantRole,
    keeper::{Gate, Limits},
    tenancy::{TENANCY_PATH, grant_role},
};

use crate::{
    PlaneInput,
    child::{Child, process, text},
    local_api,
    paths::pki,
};

const NAME: &str = "cloud-controllers";
const BINARY: &str = "/usr/lib/plasmacloud/cloud-controllers";
const KUBECONFIG: &str = "/etc/kubernetes/controllers.conf";
/// Several times what it takes; counted with the machine's rest.
const LIMITS: Limits = Limits {
    cpu: Some(MilliCpu(100)),
    memory: Some(Bytes::mib(64)),
};

/// Recipes from before there were controllers have none.
pub fn has_controllers(recipe: &Recipe) -> bool {
    recipe.has(&format!("plane/{NAME}.flags"))
}

/// Whether the controllers of clusters made with it may keep what grants need.
pub fn keeps_grants(recipe: &Recipe) -> bool {
    let access = recipe.text("services/access.yaml", &Values::default());
    has_controllers(recipe) && access.is_ok_and(|text| text.contains(&grant_role(GrantRole::Viewer)))
}

/// None in a cluster that was made before there were controllers: it is rendered as it was then.
pub(crate) fn child(input: &PlaneInput<'_>) -> Result<Option<Child>, RecipeError> {
    let leaf = input.material.control_plane.controllers.as_ref();
    let Some(leaf) = leaf.filter(|_| has_controllers(input.recipe)) else {
        return Ok(None);
    };
    let mut files = leaf_files(&pki("controllers"), leaf).to_vec();
    let config = kubeconfig::from_files(
        &local_api(),
        &pki("ca.crt"),
        &pki("controllers.crt"),
        &pki("controllers.key"),
    );
    files.push(text(KUBECONFIG, 0o600, config));
    let tenancy = serde_json::to_string_pretty(input.tenancy).expect("what tenants are serialises");
    files.push(text(TENANCY_PATH, 0o644, tenancy));
    files.push(FileEntry {
        path: BINARY.into(),
        mode: 0o755,
        content: Content::HostFile(input.controllers.to_owned()),
    });
    let mut process = process(input, NAME, vec![Gate::TcpPort(API_PORT)], LIMITS)?;
    BINARY.clone_into(&mut process.argv[0]);
    Ok(Some(Child { files, process }))
}
