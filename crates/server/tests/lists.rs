//! Lists over the real routes: pages, selectors, watches; over SQLite where a restart is part of it. Needs nothing but the
//! loopback interface.

#[path = "lists/pages.rs"]
mod pages;
#[path = "lists/site.rs"]
mod site;
#[path = "lists/watching.rs"]
mod watching;
