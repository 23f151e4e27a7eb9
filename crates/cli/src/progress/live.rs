//! Steps on a terminal: those under way move at the bottom with their time, those that ended stay above.

use std::{collections::HashMap, time::Duration};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::{Screen, Update, seconds};

const TICK: Duration = Duration::from_millis(120);

#[derive(Default)]
pub struct Live {
    screen: MultiProgress,
    running: HashMap<String, ProgressBar>,
    /// The last line was filled up to the terminal's edge and has no end of its own yet.
    unended: bool,
}

impl Live {
    fn style() -> ProgressStyle {
        let style = ProgressStyle::with_template("{spinner:.cyan} {msg} {elapsed:.dim}");
        style
            .unwrap_or_else(|_| ProgressStyle::default_spinner())
            .tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ ")
    }

    fn end(&mut self, key: &str, line: &str) {
        if let Some(bar) = self.running.remove(key) {
            bar.finish_and_clear();
            self.screen.remove(&bar);
        }
        self.line(line);
    }

    fn line(&mut self, line: &str) {
        let _ = self.screen.println(line);
        self.unended = self.running.is_empty();
    }
}

impl Screen for Live {
    fn show(&mut self, at: Duration, update: &Update) {
        match update {
            Update::Started { key, title } => {
                self.unended = false;
                let bar = self
                    .screen
                    .add(ProgressBar::new_spinner().with_style(Self::style()));
                bar.set_message(title.clone());
                bar.enable_steady_tick(TICK);
                if let Some(old) = self.running.insert(key.clone(), bar) {
                    old.finish_and_clear();
                    self.screen.remove(&old);
                }
            }
            Update::Done { key, title, took } => {
                self.end(
                    key,
                    &format!("\x1b[32m✓\x1b[0m {title} \x1b[2m{}\x1b[0m", seconds(*took)),
                );
            }
            Update::Failed { key, title, cause } => {
                self.end(
                    key,
                    &format!("\x1b[31m✗\x1b[0m {title} \x1b[2m{}\x1b[0m {cause}", seconds(at)),
                );
            }
            Update::Note(note) => self.line(note),
        }
    }

    fn close(&mut self) {
        for (_, bar) in self.running.drain() {
            bar.finish_and_clear();
        }
        let _ = self.screen.clear();
        if std::mem::take(&mut self.unended) {
            eprintln!();
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.close();
    }
}
