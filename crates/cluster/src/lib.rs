//! What every engine needs for a cluster, whatever runs its control plane: certificates, the configuration of a node,
//! the services installed into it, and the kubeconfigs handed out.

pub mod kubeconfig;
pub mod material;
pub mod node;
pub mod pki;
pub mod recipe;
pub mod services;
pub mod ssh;
