//! What was measured, beside its bar.

use std::{fmt, time::Duration};

#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
    explained: Vec<String>,
}

struct Row {
    what: String,
    measured: String,
    bar: String,
    met: Option<bool>,
}

impl Report {
    /// `met`: nothing where a figure has no bar.
    pub fn add(&mut self, what: &str, measured: String, bar: &str, met: Option<bool>) {
        eprintln!("{what}: {measured} (bar: {bar})");
        self.rows.push(Row {
            what: what.to_owned(),
            measured,
            bar: bar.to_owned(),
            met,
        });
    }

    /// What stands below the table.
    pub fn explain(&mut self, text: String) {
        self.explained.push(text);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| what | measured | bar | met |\n|---|---|---|---|")?;
        for Row {
            what,
            measured,
            bar,
            met,
        } in &self.rows
        {
            let met = match met {
                Some(true) => "yes",
                Some(false) => "**no**",
                None => "",
            };
            writeln!(f, "| {what} | {measured} | {bar} | {met} |")?;
        }
        for text in &self.explained {
            write!(f, "\n{text}")?;
        }
        Ok(())
    }
}

pub fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all.get(all.len() / 2).copied().unwrap_or_default()
}

pub fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

pub fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64().max(f64::EPSILON)
}

/// CPU time the whole host has spent so far, all cores together, without idling and waiting.
pub fn host_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let first = stat.lines().next().unwrap_or_default();
    let ticks: Vec<u64> = first
        .split_whitespace()
        .skip(1)
        .filter_map(|n| n.parse().ok())
        .collect();
    let busy: u64 = ticks
        .iter()
        .enumerate()
        .filter(|(n, _)| !matches!(n, 3 | 4))
        .map(|(_, t)| t)
        .sum();
    Duration::from_millis(busy * 10)
}
