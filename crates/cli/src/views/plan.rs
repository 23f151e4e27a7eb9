//! A plan on a screen: what would be done, and that nothing was.

use api::plan::{ChangeView, PlanView};

pub fn show(name: &str, plan: &PlanView) -> String {
    let mut text = match plan.changes {
        ChangeView::Create => format!("cluster {name} would be created:\n"),
        ChangeView::Update => format!("cluster {name} would be changed:\n"),
        ChangeView::None => format!("cluster {name} is as the file says; nothing would be done\n"),
    };
    for (number, step) in plan.steps.iter().enumerate() {
        let detail = if step.detail.is_empty() {
            String::new()
        } else {
            format!("  ({})", step.detail)
        };
        text += &format!("{:4}. {}{detail}\n", number + 1, step.title);
    }
    if plan.changes != ChangeView::None {
        let replaced = match plan.impact.nodes_replaced.as_slice() {
            [] => "none".to_owned(),
            nodes => format!("{} ({})", nodes.len(), nodes.join(", ")),
        };
        let downtime = if plan.impact.api_downtime { "yes" } else { "no" };
        text += &format!("nodes replaced: {replaced}\nAPI downtime: {downtime}\n");
    }
    for note in &plan.notes {
        text += &format!("note: {note}\n");
    }
    text
}
