//! Selectors: which of many things are meant, by their labels or by fields of what is shown of them.
//!
//! The grammar of labels is Kubernetes': `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x,y)`, `a`, `!a`, joined by commas that
//! mean "and". As there, `!=` and `notin` also hold for what lacks the label.

use std::{collections::BTreeSet, fmt, str::FromStr};

use crate::label::{LabelError, Labels, check_key, check_value};

/// A selector longer than this is nobody's intent.
const MAX_LEN: usize = 4096;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SelectorError {
    #[error("it has more than {MAX_LEN} characters")]
    TooLong,
    #[error("{0}")]
    Label(#[from] LabelError),
    #[error("{found} where {wanted} was expected")]
    Grammar { found: String, wanted: &'static str },
}

/// Matches what satisfies every requirement; the empty one matches everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelSelector(Vec<Requirement>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    must: Must,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Must {
    BeIn(BTreeSet<String>),
    NotBeIn(BTreeSet<String>),
    Exist,
    BeAbsent,
}

impl LabelSelector {
    pub fn matches(&self, labels: &Labels) -> bool {
        self.0.iter().all(|requirement| {
            let value = labels.get(&requirement.key);
            match &requirement.must {
                Must::BeIn(values) => value.is_some_and(|value| values.contains(value)),
                Must::NotBeIn(values) => value.is_none_or(|value| !values.contains(value)),
                Must::Exist => value.is_some(),
                Must::BeAbsent => value.is_none(),
            }
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Open,
    Close,
    Comma,
    Not,
    Equals,
    NotEquals,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Word(word) => word,
            Self::Open => "(",
            Self::Close => ")",
            Self::Comma => ",",
            Self::Not => "!",
            Self::Equals => "=",
            Self::NotEquals => "!=",
        };
        write!(f, "'{text}'")
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (token, length) = if rest.starts_with("!=") {
            (Token::NotEquals, 2)
        } else if rest.starts_with("==") {
            (Token::Equals, 2)
        } else {
            match rest.as_bytes()[0] {
                b'(' => (Token::Open, 1),
                b')' => (Token::Close, 1),
                b',' => (Token::Comma, 1),
                b'!' => (Token::Not, 1),
                b'=' => (Token::Equals, 1),
                _ => {
                    let ends = |c: char| c.is_whitespace() || "(),!=".contains(c);
                    let length = rest.find(ends).unwrap_or(rest.len());
                    (Token::Word(&rest[..length]), length)
                }
            }
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    tokens
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek().cloned();
        self.at += 1;
        token
    }

    fn wrong<T>(found: Option<Token<'_>>, wanted: &'static str) -> Result<T, SelectorError> {
        let found = found.map_or_else(|| "the end".to_owned(), |token| token.to_string());
        Err(SelectorError::Grammar { found, wanted })
    }

    fn key(&mut self) -> Result<String, SelectorError> {
        match self.next() {
            Some(Token::Word(key)) => {
                check_key(key)?;
                Ok(key.to_owned())
            }
            other => Self::wrong(other, "a label's key"),
        }
    }

    /// Nothing before a comma, a parenthesis or the end is the empty value.
    fn value(&mut self, key: &str) -> Result<String, SelectorError> {
        match self.peek() {
            Some(Token::Word(value)) => {
                let value = (*value).to_owned();
                self.at += 1;
                check_value(key, &value)?;
                Ok(value)
            }
            Some(Token::Comma | Token::Close) | None => Ok(String::new()),
            Some(_) => Self::wrong(self.next(), "a value"),
        }
    }

    fn values(&mut self, key: &str) -> Result<BTreeSet<String>, SelectorError> {
        match self.next() {
            Some(Token::Open) => {}
            other => return Self::wrong(other, "'('"),
        }
        let mut values = BTreeSet::new();
        loop {
            values.insert(self.value(key)?);
            match self.next() {
                Some(Token::Comma) => {}
                Some(Token::Close) => return Ok(values),
                other => return Self::wrong(other, "',' or ')'"),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, SelectorError> {
        if self.peek() == Some(&Token::Not) {
            self.at += 1;
            let key = self.key()?;
            let must = Must::BeAbsent;
            return Ok(Requirement { key, must });
        }
        let key = self.key()?;
        let must = match self.peek() {
            None | Some(Token::Comma) => Must::Exist,
            Some(Token::Equals) => {
                self.at += 1;
                Must::BeIn([self.value(&key)?].into())
            }
            Some(Token::NotEquals) => {
                self.at += 1;
                Must::NotBeIn([self.value(&key)?].into())
            }
            Some(Token::Word("in")) => {
                self.at += 1;
                Must::BeIn(self.values(&key)?)
            }
            Some(Token::Word("notin")) => {
                self.at += 1;
                Must::NotBeIn(self.values(&key)?)
            }
            Some(_) => return Self::wrong(self.next(), "'=', '!=', 'in', 'notin' or ','"),
        };
        Ok(Requirement { key, must })
    }
}

impl FromStr for LabelSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        if text.len() > MAX_LEN {
            return Err(SelectorError::TooLong);
        }
        let tokens = tokens(text);
        if tokens.is_empty() {
            return Ok(Self::default());
        }
        let mut parser = Parser { tokens, at: 0 };
        let mut requirements = Vec::new();
        loop {
            requirements.push(parser.requirement()?);
            match parser.next() {
                None => return Ok(Self(requirements)),
                Some(Token::Comma) => {}
                other => return Parser::wrong(other, "','"),
            }
        }
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, Requirement { key, must }) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_str(",")?;
            }
            let joined = |values: &BTreeSet<String>| values.iter().cloned().collect::<Vec<_>>().join(",");
            match must {
                Must::Exist => write!(f, "{key}")?,
                Must::BeAbsent => write!(f, "!{key}")?,
                Must::BeIn(values) => write!(f, "{key} in ({})", joined(values))?,
                Must::NotBeIn(values) => write!(f, "{key} notin ({})", joined(values))?,
            }
        }
        Ok(())
    }
}

/// `name=dev,phase!=RUNNING`: fields of what a list shows, all of which must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldSelector(Vec<FieldTerm>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldTerm {
    pub field: String,
    pub equal: bool,
    pub value: String,
}

impl FieldSelector {
    pub fn terms(&self) -> &[FieldTerm] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for FieldSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        if text.len() > MAX_LEN {
            return Err(SelectorError::TooLong);
        }
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let term = |term: &str| {
            let found = term
                .split_once("!=")
                .map(|(field, value)| (field, false, value))
                .or_else(|| {
                    let (field, value) = term.split_once('=')?;
                    Some((field, true, value.strip_prefix('=').unwrap_or(value)))
                });
            match found {
                Some((field, equal, value)) if !field.trim().is_empty() => Ok(FieldTerm {
                    field: field.trim().to_owned(),
                    equal,
                    value: value.trim().to_owned(),
                }),
                _ => Err(SelectorError::Grammar {
                    found: format!("'{term}'"),
                    wanted: "field=value or field!=value",
                }),
            }
        };
        text.split(',').map(term).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, FieldTerm { field, equal, value }) in self.0.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let sign = if *equal { "=" } else { "!=" };
            write!(f, "{comma}{field}{sign}{value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
