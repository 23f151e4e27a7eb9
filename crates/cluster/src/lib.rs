//! What every engine needs for a cluster, whatever runs its control plane: certificates, the configuration of a node,
//! the services installed into it, and the kubeconfigs handed out.

pub mod kubeconfig;
pub mod material;
pub mod node;
pub mod pki;
pub mod services;
pub mod ssh;

/// Revision of everything rendered here and in the engines: flags, manifests, templates. A cluster records the one it
/// was made with; renderers keep honouring every revision that a cluster may still have.
pub const RECIPE: u32 = 1;
