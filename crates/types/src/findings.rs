//! Everything that is wrong with a request at once: whoever wrote it mends it in one go, not field by field.

use crate::{Fault, FaultKind, fault::FieldFault};

/// What several findings of different kinds are called together.
const SEVERAL: &str = "fields-invalid";

#[derive(Debug, Default)]
pub struct Findings(Vec<Fault>);

impl Findings {
    pub fn note(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// The value, if it is right; what is wrong with it is noted.
    pub fn keep<T>(&mut self, result: Result<T, Fault>) -> Option<T> {
        result.map_err(|fault| self.note(fault)).ok()
    }

    /// A single finding is told as it is; several as one fault that names every field.
    pub fn verdict(mut self) -> Result<(), Fault> {
        match self.0.len() {
            0 => Ok(()),
            1 => Err(self.0.remove(0)),
            _ => Err(together(self.0)),
        }
    }

    /// What was made of a request, unless something was wrong with it.
    pub fn unless_any<T>(self, made: T) -> Result<T, Fault> {
        self.verdict().map(|()| made)
    }
}

fn together(found: Vec<Fault>) -> Fault {
    let first = &found[0];
    // What does not even fit the document is the caller's to mend before anything else is looked at.
    let invalid = found.iter().find(|fault| fault.kind == FaultKind::Invalid);
    let kind = invalid.unwrap_or(first).kind;
    let same = found.iter().all(|fault| fault.code == first.code);
    let code = if same { first.code.clone() } else { SEVERAL.into() };
    let fields: Vec<FieldFault> = found.into_iter().flat_map(each).collect();
    let names: Vec<&str> = fields.iter().map(|fault| fault.field.as_str()).collect();
    Fault {
        kind,
        code,
        cause: format!("{} fields are wrong: {}", fields.len(), names.join(", ")),
        remedy: "mend each as it is told beside it".to_owned(),
        fields,
    }
}

fn each(fault: Fault) -> Vec<FieldFault> {
    if !fault.fields.is_empty() {
        return fault.fields;
    }
    vec![FieldFault {
        field: String::new(),
        code: fault.code,
        detail: fault.cause,
        remedy: fault.remedy,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(code: &'static str, field: &str) -> Fault {
        Fault::invalid(code, "it is wrong", "mend it").at(field)
    }

    #[test]
    fn nothing_found_is_no_fault_and_one_is_told_as_it_is() {
        assert_eq!(Findings::default().verdict(), Ok(()));
        let mut found = Findings::default();
        assert_eq!(found.keep(Ok(3)), Some(3));
        assert_eq!(found.keep::<()>(Err(wrong("name-invalid", "name"))), None);
        assert_eq!(found.verdict(), Err(wrong("name-invalid", "name")));
    }

    #[test]
    fn several_are_told_together_and_none_is_lost() {
        let mut found = Findings::default();
        found.note(Fault::refused("field-not-supported", "not here", "leave it out").at("spec.host"));
        found.note(wrong("name-invalid", "name"));
        let fault = found.verdict().unwrap_err();
        assert_eq!((fault.kind, fault.code.as_ref()), (FaultKind::Invalid, SEVERAL));
        assert_eq!(fault.cause, "2 fields are wrong: spec.host, name");
        let told: Vec<(&str, &str)> = fault
            .fields
            .iter()
            .map(|f| (f.field.as_str(), f.code.as_ref()))
            .collect();
        assert_eq!(
            told,
            [("spec.host", "field-not-supported"), ("name", "name-invalid")]
        );
    }

    #[test]
    fn several_of_one_code_keep_it() {
        let mut found = Findings::default();
        found.note(wrong("quantity-invalid", "a"));
        found.note(wrong("quantity-invalid", "b"));
        assert_eq!(found.verdict().unwrap_err().code, "quantity-invalid");
    }
}
