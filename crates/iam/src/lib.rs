//! Identity as values: who somebody is, said so that it can be checked. Nothing here knows a store, a clock or a socket;
//! times are given, and what must be kept is handed out as one `Secret` to be sealed.
//!
//! - `keys`: what tokens are signed with, and how one key follows another;
//! - `token`: the tokens themselves;
//! - `external`: what somebody else's provider says of a person, and whether to believe it;
//! - `password`, `opaque`: what people know and what programs carry;
//! - `review`: what a cluster is told about a token;
//! - `ticket`: what opens a tunnel to one instance;
//! - `pki`: certificates of the platform's own services. Clusters' authorities are their own and not of this tree.

pub mod external;
pub mod keys;
pub mod opaque;
pub mod password;
pub mod pki;
pub mod review;
pub mod ticket;
pub mod token;
