//! Suites that a port's fake and its real adapters both pass, so that what holds on the fake holds on the machine.

pub mod store;
