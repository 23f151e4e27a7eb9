//! The forms a list or a single thing is shown in.

use clap::{Args, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;
use types::Timestamp;

use crate::{
    failure::{Exit, Failure},
    surroundings, yaml,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
    Yaml,
    Wide,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct Output {
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t = Format::Table, value_name = "FORMAT")]
    pub output: Format,
}

/// A row of a table. A title that begins with '+' is shown in the wide form only.
pub trait Row {
    const TITLES: &'static [&'static str];
    fn cells(&self, now: Timestamp) -> Vec<String>;
}

/// A thing shown by itself: pairs of what and how, then tables of what belongs to it.
pub trait Described {
    fn describe(&self, now: Timestamp, wide: bool) -> String;
}

impl Output {
    /// `whole` is what the machine-readable forms show: the API's own answer.
    pub fn list<R: Row>(self, whole: &impl Serialize, rows: &[R]) -> Result<(), Failure> {
        self.show(whole, |wide| table(rows, surroundings::now(), wide))
    }

    pub fn one<T: Serialize + Described>(self, thing: &T) -> Result<(), Failure> {
        self.show(thing, |wide| thing.describe(surroundings::now(), wide))
    }

    pub fn show(self, whole: &impl Serialize, text: impl FnOnce(bool) -> String) -> Result<(), Failure> {
        let text = match self.output {
            Format::Table => text(false),
            Format::Wide => text(true),
            Format::Json => json(whole)?,
            Format::Yaml => yaml::to_string(whole)?,
        };
        surroundings::print(&text)
    }
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::new(Exit::Failed, "json-unwritable", error.to_string(), "report this"))?;
    Ok(text + "\n")
}

/// Columns two spaces apart, no lines, nothing behind the last.
fn bare_table() -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table
}

fn render(mut table: Table) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let text = table.trim_fmt();
    if text.is_empty() { text } else { text + "\n" }
}

pub fn table<R: Row>(rows: &[R], now: Timestamp, wide: bool) -> String {
    let shown: Vec<bool> = R::TITLES
        .iter()
        .map(|title| wide || !title.starts_with('+'))
        .collect();
    let keep = |cells: Vec<String>| {
        cells
            .into_iter()
            .zip(&shown)
            .filter(|(_, shown)| **shown)
            .map(|(cell, _)| cell)
    };
    let mut table = bare_table();
    table.set_header(keep(
        R::TITLES
            .iter()
            .map(|title| title.trim_start_matches('+').to_owned())
            .collect(),
    ));
    for row in rows {
        table.add_row(keep(row.cells(now)));
    }
    render(table)
}

/// Rows one at a time, each with what happened; columns grow and never shrink.
pub struct Lines {
    wide: bool,
    widths: Vec<usize>,
}

impl Lines {
    pub fn new(wide: bool) -> Self {
        Self {
            wide,
            widths: Vec::new(),
        }
    }

    pub fn line<R: Row>(&mut self, event: &str, row: &R, now: Timestamp) -> String {
        let wide = self.wide;
        let shown = |title: &str| wide || !title.starts_with('+');
        let cells: Vec<String> = R::TITLES
            .iter()
            .zip(row.cells(now))
            .filter(|(title, _)| shown(title))
            .map(|(_, cell)| cell)
            .collect();
        let cells: Vec<String> = [event.to_owned()].into_iter().chain(cells).collect();
        let mut text = String::new();
        if self.widths.is_empty() {
            let titles = R::TITLES
                .iter()
                .filter(|title| shown(title))
                .map(|title| title.trim_start_matches('+').to_owned());
            let titles: Vec<String> = ["EVENT".to_owned()].into_iter().chain(titles).collect();
            self.widths = titles
                .iter()
                .zip(&cells)
                .map(|(title, cell)| title.chars().count().max(cell.chars().count()))
                .collect();
            // "modified" is the longest that can come.
            self.widths[0] = "modified".len();
            text += &self.padded(&titles);
        }
        for (width, cell) in self.widths.iter_mut().zip(&cells) {
            *width = (*width).max(cell.chars().count());
        }
        text + &self.padded(&cells)
    }

    fn padded(&self, cells: &[String]) -> String {
        let line: String = cells
            .iter()
            .zip(&self.widths)
            .map(|(cell, width)| format!("{cell:<width$}  "))
            .collect();
        line.trim_end().to_owned() + "\n"
    }
}

pub fn pairs(pairs: &[(&str, String)]) -> String {
    let mut table = bare_table();
    for (what, how) in pairs.iter().filter(|(_, how)| !how.is_empty()) {
        table.add_row([format!("{what}:"), how.clone()]);
    }
    render(table)
}

/// A heading and a table under it, or nothing when there is nothing.
pub fn section<R: Row>(heading: &str, rows: &[R], now: Timestamp, wide: bool) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let body: String = table(rows, now, wide)
        .lines()
        .map(|line| format!("  {line}\n"))
        .collect();
    format!("\n{heading}:\n{body}")
}

/// How long ago, in the largest unit that says enough.
pub fn age(then: &str, now: Timestamp) -> String {
    let Some(then) = api::moment::from_wire(then) else {
        return "?".to_owned();
    };
    let seconds = now.0.saturating_sub(then.0).max(0);
    match seconds {
        0..=119 => format!("{seconds}s"),
        120..=7199 => format!("{}m", seconds / 60),
        7200..=172_799 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86400),
    }
}

pub fn dash(value: &str) -> String {
    if value.is_empty() {
        "-".to_owned()
    } else {
        value.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_under_their_titles() {
        struct Thing(&'static str);
        impl Row for Thing {
            const TITLES: &'static [&'static str] = &["NAME", "+EXTRA", "AGE"];
            fn cells(&self, _: Timestamp) -> Vec<String> {
                vec![self.0.to_owned(), "x".to_owned(), "1s".to_owned()]
            }
        }
        let mut lines = Lines::new(false);
        let text = lines.line("added", &Thing("a"), Timestamp(0))
            + &lines.line("modified", &Thing("longer"), Timestamp(0))
            + &lines.line("deleted", &Thing("a"), Timestamp(0));
        assert_eq!(
            text,
            "EVENT     NAME  AGE\nadded     a     1s\nmodified  longer  1s\ndeleted   a       1s\n"
        );
    }

    #[test]
    fn ages() {
        let then = "2026-11-15T21:00:00Z";
        for (later, shown) in [
            (-5, "0s"),
            (5, "5s"),
            (119, "119s"),
            (120, "2m"),
            (7200, "2h"),
            (172_800, "2d"),
        ] {
            assert_eq!(age(then, Timestamp(1_794_776_400 + later)), shown);
        }
        assert_eq!(age("soon", Timestamp(0)), "?");
    }
}
