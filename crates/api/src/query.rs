//! Parameters of the query, declared with each route: the document lists them, and a request that carries another, or one
//! twice, or out of bounds, is refused before anything looks at it.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use types::Fault;

use crate::routes::Route;

pub const DEFAULT_LIMIT: u32 = 100;
pub const MAX_LIMIT: u32 = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Integer {
        min: u32,
        max: u32,
        default: Option<u32>,
    },
    /// `true` or `false`
    Flag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    pub name: &'static str,
    pub about: &'static str,
    pub kind: Kind,
}

const fn text(name: &'static str, about: &'static str) -> Parameter {
    let kind = Kind::Text;
    Parameter { name, about, kind }
}

const LIMIT: Parameter = Parameter {
    name: "limit",
    about: "At most so many on a page",
    kind: Kind::Integer {
        min: 1,
        max: MAX_LIMIT,
        default: Some(DEFAULT_LIMIT),
    },
};
const CURSOR: Parameter = text(
    "cursor",
    "`next` of the page before; good for the same question only",
);
const FIELDS: Parameter = text(
    "fieldSelector",
    "`field=value` and `field!=value`, joined by commas; an unknown field is refused with the known ones",
);
const LABELS: Parameter = text(
    "labelSelector",
    "As in Kubernetes: `a=b,c!=d,e in (x,y),f notin (x,y),g,!h`",
);
const WATCH: Parameter = Parameter {
    name: "watch",
    about: "Server-sent events `added`, `modified`, `deleted` and `bookmark` instead of a list: the present state up to the \
            first bookmark, then every change. Takes no limit and no cursor",
    kind: Kind::Flag,
};
const RESUME: Parameter = text(
    "resume",
    "With watch: the id of the last event that was heard, to go on after it; the header Last-Event-ID does the same",
);

pub const PAGED: &[Parameter] = &[LIMIT, CURSOR];
pub const WATCHED: &[Parameter] = &[LIMIT, CURSOR, FIELDS, WATCH, RESUME];
pub const LABELLED: &[Parameter] = &[LIMIT, CURSOR, LABELS, FIELDS, WATCH, RESUME];
pub const EVENTS: &[Parameter] = &[
    LIMIT,
    CURSOR,
    text("subject", "Name or id of a cluster or network"),
];
const SINCE: Parameter = text("since", "From this moment on, RFC 3339");
const UNTIL: Parameter = text("until", "Before this moment, RFC 3339");
const ACTOR: Parameter = text("actor", "Id or name of who called");
pub const AUDIT_WITHIN: &[Parameter] = &[LIMIT, CURSOR, SINCE, UNTIL, ACTOR];
pub const AUDIT: &[Parameter] = &[
    LIMIT,
    CURSOR,
    SINCE,
    UNTIL,
    ACTOR,
    text("project", "Name or id of the project"),
    text("org", "Id of the organisation"),
];
pub const SECRET_VALUE: &[Parameter] = &[Parameter {
    name: "version",
    about: "Its number; the newest when not given",
    kind: Kind::Integer {
        min: 1,
        max: u32::MAX,
        default: None,
    },
}];
pub const AUDIT_VERIFY: &[Parameter] = &[text(
    "known",
    "Number and hash of a record noted down earlier, as `head` shows them",
)];

/// Names and values of a query, decoded.
pub fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    query.split('&').filter(|part| !part.is_empty()).map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (decode(name), decode(value))
    })
}

fn decode(text: &str) -> String {
    let spaced: Cow<'_, str> = if text.contains('+') {
        text.replace('+', " ").into()
    } else {
        text.into()
    };
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

/// Whether a query is one that this route takes.
pub fn check(route: &Route, query: &str) -> Result<(), Fault> {
    let mut seen: Vec<&str> = Vec::new();
    for (name, value) in pairs(query) {
        let Some(parameter) = route.query.iter().find(|known| known.name == name) else {
            return Err(unknown(route, &name));
        };
        if seen.contains(&parameter.name) {
            return Err(Fault::invalid(
                "query-repeated",
                format!("the parameter '{name}' is given more than once"),
                "give it once",
            ));
        }
        seen.push(parameter.name);
        parameter.check(&value)?;
    }
    Ok(())
}

fn unknown(route: &Route, name: &str) -> Fault {
    let known: Vec<&str> = route.query.iter().map(|known| known.name).collect();
    Fault::invalid(
        "query-unknown",
        format!("there is no parameter '{name}' here"),
        if known.is_empty() {
            "leave it out: this route takes none".to_owned()
        } else {
            format!("known are {}", known.join(", "))
        },
    )
}

impl Parameter {
    fn check(&self, value: &str) -> Result<(), Fault> {
        let name = self.name;
        match self.kind {
            Kind::Text => Ok(()),
            Kind::Integer { min, max, .. } => {
                let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let number = value.parse::<u32>().ok().filter(|_| digits);
                if number.is_some_and(|number| (min..=max).contains(&number)) {
                    return Ok(());
                }
                Err(Fault::new(
                    types::FaultKind::Invalid,
                    format!("{name}-range"),
                    format!("{name}: '{value}' was given"),
                    format!("give a number from {min} to {max}"),
                ))
            }
            Kind::Flag if matches!(value, "true" | "false") => Ok(()),
            Kind::Flag => Err(Fault::invalid(
                "query-invalid",
                format!("{name}: '{value}' was given"),
                "give true or false",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes;

    fn asked(query: &str) -> Result<(), String> {
        let route = routes::row("GET", routes::CLUSTERS).unwrap();
        check(route, query).map_err(|fault| format!("{} {} {}", fault.code, fault.cause, fault.remedy))
    }

    #[test]
    fn what_is_declared_is_taken_and_nothing_else() {
        for good in [
            "",
            "limit=1",
            "limit=500&cursor=x",
            "labelSelector=a%3Db%2Cc+in+(d)&watch=true",
            "&&watch=false&",
        ] {
            asked(good).unwrap_or_else(|refusal| panic!("{good}: {refusal}"));
        }
        for (bad, words) in [
            ("colour=red", ["query-unknown", "colour", "labelSelector"]),
            ("Limit=1", ["query-unknown", "Limit", "limit"]),
            ("limit=1&li%6Dit=2", ["query-repeated", "limit", "once"]),
            ("limit=0", ["limit-range", "'0'", "1 to 500"]),
            ("limit=501", ["limit-range", "'501'", "1 to 500"]),
            ("limit=-1", ["limit-range", "'-1'", "1 to 500"]),
            ("limit=+1", ["limit-range", "' 1'", "1 to 500"]),
            ("limit=ten", ["limit-range", "'ten'", "1 to 500"]),
            ("limit=", ["limit-range", "''", "1 to 500"]),
            ("limit=99999999999", ["limit-range", "99999999999", "1 to 500"]),
            ("watch=yes", ["query-invalid", "watch", "true or false"]),
        ] {
            let refusal = asked(bad).expect_err(bad);
            for word in words {
                assert!(refusal.contains(word), "{bad}: {word} in {refusal}");
            }
        }
        let none = check(routes::row("GET", routes::VERSION).unwrap(), "x=1").unwrap_err();
        assert!(none.remedy.contains("none"), "{none:?}");
    }
}
