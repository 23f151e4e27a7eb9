//! What a cluster's apiserver shows to the platform: a certificate that names the cluster.

use cluster::{material::to_secret, pki::Leaf};
use iam::pki::{not_after, serial_of};
use ports::{store::Write, vault::SecretRef};
use types::{ClusterId, Fault};

use super::{authorities, broken, horizon, key_pem};
use crate::{World, desired::target::unseal};

const NAME: &str = "identity-client";

fn place(cluster: &ClusterId) -> SecretRef {
    SecretRef::new(cluster.as_str(), NAME)
}

pub(crate) async fn client(world: &World, cluster: &ClusterId) -> Result<Option<Leaf>, Fault> {
    unseal(world, &place(cluster)).await
}

/// Whether it is there, not near its end, and of the authority that signs now.
pub(crate) async fn good_client(world: &World, cluster: &ClusterId) -> Result<bool, Fault> {
    let Some(leaf) = client(world, cluster).await? else {
        return Ok(false);
    };
    let lasts = not_after(&leaf.cert_pem).map_err(broken)? >= horizon(world);
    let pki = authorities::known(world).await?;
    Ok(lasts && pki.is_some_and(|pki| pki.signed(&leaf.cert_pem)))
}

/// A new one, to be written. The one before is good until it ends by itself: the apiserver may still be showing it.
pub(crate) async fn seal_client(world: &World, cluster: &ClusterId) -> Result<Write, Fault> {
    let issued = authorities::authorities(world)
        .await?
        .issue_client(cluster, world.clock.now())
        .map_err(broken)?;
    let leaf = Leaf {
        key_pem: key_pem(&issued)?,
        cert_pem: issued.chain_pem,
    };
    let at = place(cluster);
    let sealed = world.vault.seal(&at, &to_secret(&leaf))?;
    Ok(Write::PutSecret { at, sealed })
}

/// The cluster is going: whoever kept its certificate is not let in with it.
pub(crate) async fn revoke_client(world: &World, cluster: &ClusterId) -> Result<(), Fault> {
    let Some(leaf) = client(world, cluster).await? else {
        return Ok(());
    };
    let serial = serial_of(&leaf.cert_pem).map_err(broken)?;
    let now = world.clock.now();
    authorities::change(world, |pki| pki.revoke(&serial, now).map_err(broken)).await?;
    Ok(())
}
