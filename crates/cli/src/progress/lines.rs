//! A line for each change, for logs: nothing moves, nothing is coloured.

use std::{io::Write, time::Duration};

use super::{Screen, Update, seconds};

pub struct Lines<W> {
    out: W,
}

impl<W: Write> Lines<W> {
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write + Send> Screen for Lines<W> {
    fn show(&mut self, at: Duration, update: &Update) {
        let text = match update {
            Update::Started { title, .. } => format!("{title}: started"),
            Update::Done { title, took, .. } => format!("{title}: done ({})", seconds(*took)),
            Update::Failed { title, cause, .. } => format!("{title}: failed: {cause}"),
            Update::Note(note) => note.clone(),
        };
        // Progress nobody can read is no reason to stop.
        let _ = writeln!(self.out, "[{:>7}] {text}", seconds(at));
    }

    fn close(&mut self) {}
}
