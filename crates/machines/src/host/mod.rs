//! What the kernel offers, each behind one small module. Nothing here knows what a machine is.

pub mod ext4;
pub mod identity;
pub mod limits;
pub mod link;
pub mod loopdev;
pub mod mount;
pub mod mount_table;
pub mod pause;
pub mod process;
pub mod tree;
