//! Who one is, on a screen.

use api::tenant::WhoAmI;
use types::Timestamp;

use super::place::{Held, Names};
use crate::{
    connection::Target,
    output::{pairs, section},
};

pub fn describe(me: &WhoAmI, target: &Target, names: &Names, now: Timestamp, wide: bool) -> String {
    let held: Vec<Held<'_>> = me.grants.iter().map(|grant| Held { grant, names }).collect();
    let who = pairs(&[
        ("Name", me.name.clone()),
        ("ID", me.id.clone()),
        ("Platform", target.endpoint.clone()),
        ("Context", target.context.clone().unwrap_or_default()),
        ("Project", target.project.clone()),
    ]);
    who + &section("Roles", &held, now, wide)
}
