//! From a tree to a type, with the path of what does not fit. Stricter than `serde_json`, which reads a list into a
//! struct by the order of its fields: the document says object, so a list is refused.

use std::fmt;

use serde::{
    de::{
        DeserializeOwned, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess,
        Unexpected, Visitor, value::StrDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::{Number, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Key(String),
    At(usize),
}

/// What does not fit, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    pub path: Vec<Step>,
    pub detail: String,
}

/// A path as people write it: `spec.nodeGroups.a.gpus[0].name`.
pub fn told(path: &[Step]) -> String {
    let mut told = String::new();
    for step in path {
        match step {
            Step::Key(key) if told.is_empty() => told.push_str(key),
            Step::Key(key) => {
                told.push('.');
                told.push_str(key);
            }
            Step::At(at) => told.push_str(&format!("[{at}]")),
        }
    }
    told
}

pub fn fit<T: DeserializeOwned>(given: &Value) -> Result<T, Misfit> {
    let read = T::deserialize(Strict(given));
    read.map_err(|mut misfit| {
        misfit.path.reverse();
        misfit
    })
}

impl Misfit {
    /// Paths are gathered from the inside out.
    fn under(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Misfit {}

impl Error for Misfit {
    fn custom<T: fmt::Display>(detail: T) -> Self {
        Self {
            path: Vec::new(),
            detail: detail.to_string(),
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self::custom("it is missing").under(Step::Key(field.to_owned()))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let detail = match known {
            [] => "there is no such field; nothing is taken here".to_owned(),
            known => format!("there is no such field; there are {}", known.join(", ")),
        };
        Self::custom(detail).under(Step::Key(field.to_owned()))
    }
}

struct Strict<'a>(&'a Value);

impl Strict<'_> {
    fn unexpected(&self) -> Unexpected<'_> {
        match self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(given) => Unexpected::Bool(*given),
            Value::Number(number) => number
                .as_u64()
                .map(Unexpected::Unsigned)
                .or(number.as_i64().map(Unexpected::Signed))
                .or(number.as_f64().map(Unexpected::Float))
                .unwrap_or(Unexpected::Other("number")),
            Value::String(given) => Unexpected::Str(given),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        }
    }
}

/// 3.0 is the whole number 3, in JSON and in the document.
fn number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Misfit> {
    if let Some(given) = number.as_u64() {
        return visitor.visit_u64(given);
    }
    if let Some(given) = number.as_i64() {
        return visitor.visit_i64(given);
    }
    let given = number.as_f64().unwrap_or(f64::NAN);
    // Exact below 2^53, which is more than any field takes.
    if given.fract() == 0.0 && given.abs() < 9_007_199_254_740_992.0 {
        return visitor.visit_i64(given as i64);
    }
    visitor.visit_f64(given)
}

impl<'de> Deserializer<'de> for Strict<'_> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(given) => visitor.visit_bool(*given),
            Value::Number(given) => number(given, visitor),
            Value::String(given) => visitor.visit_str(given),
            Value::Array(items) => visitor.visit_seq(Items(items, 0)),
            Value::Object(map) => visitor.visit_map(Entries(map.iter(), None)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Object(map) => visitor.visit_map(Entries(map.iter(), None)),
            _ => Err(Misfit::invalid_type(self.unexpected(), &"an object")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::String(given) => {
                let variant: StrDeserializer<'_, Misfit> = given.as_str().into_deserializer();
                visitor.visit_enum(variant)
            }
            _ => Err(Misfit::invalid_type(self.unexpected(), &"a word")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

struct Items<'a>(&'a [Value], usize);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Misfit> {
        let Some(item) = self.0.get(self.1) else {
            return Ok(None);
        };
        let at = self.1;
        self.1 += 1;
        let read = seed.deserialize(Strict(item));
        read.map(Some).map_err(|misfit| misfit.under(Step::At(at)))
    }
}

struct Entries<'a>(serde_json::map::Iter<'a>, Option<(&'a str, &'a Value)>);

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Misfit> {
        let Some((key, value)) = self.0.next() else {
            return Ok(None);
        };
        self.1 = Some((key, value));
        let key: StrDeserializer<'_, Misfit> = key.as_str().into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misfit> {
        let Some((key, value)) = self.1.take() else {
            return Err(Misfit::custom("a value was read before its key"));
        };
        let read = seed.deserialize(Strict(value));
        read.map_err(|misfit| misfit.under(Step::Key(key.to_owned())))
    }
}
