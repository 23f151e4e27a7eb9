//! The program as people and scripts use it. Needs nothing but the loopback interface.

mod certificates;
mod commands;
mod exit_codes;
mod grants;
mod lists;
mod logins;
mod people;
mod person;
mod secrets;
mod site;
mod tenants;
mod terminal;
