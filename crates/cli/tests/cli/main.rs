//! The program as people and scripts use it. Needs nothing but the loopback interface.

mod commands;
mod exit_codes;
mod logins;
mod people;
mod person;
mod site;
mod tenants;
mod terminal;
