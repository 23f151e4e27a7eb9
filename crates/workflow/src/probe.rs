//! Points at which a test may pull the plug. They are enumerated from the plan: three for every step.

use types::operation::Subject;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// The ledger is written, nothing is done yet.
    BeforeEffect,
    /// Done, and nobody knows.
    AfterEffect,
    /// Done and recorded.
    AfterRecord,
}

impl Moment {
    pub const ALL: [Self; 3] = [Self::BeforeEffect, Self::AfterEffect, Self::AfterRecord];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::BeforeEffect => "before-effect",
            Self::AfterEffect => "after-effect",
            Self::AfterRecord => "after-record",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point<'a> {
    pub subject: &'a Subject,
    pub step: &'a str,
    pub moment: Moment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    GoOn,
    Die,
}

pub trait Probe: Send + Sync {
    fn reached(&self, point: Point<'_>) -> Reached;
}

pub struct NoProbe;

impl Probe for NoProbe {
    fn reached(&self, _: Point<'_>) -> Reached {
        Reached::GoOn
    }
}
