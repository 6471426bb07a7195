//! Completes a query that is being typed: fields, operators, values.

use qscope_engine::cluster::begins_with;
use std::ops::Range;

use super::field::{FieldKind, QueryField, QueryFields};

/// What can follow at the end of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionKind {
    /// The name of a field.
    Field,
    /// An operator for the field.
    Operator,
    /// A value of the field with this name.
    Value(String),
}

/// What can follow at the end of a text, and which part of it is already typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    pub kind: CompletionKind,
    /// The bytes that a candidate replaces.
    pub span: Range<usize>,
}

/// Characters that end a term.
const ENDS: [char; 6] = ['(', ')', '&', '|', '!', ' '];
/// Characters of operators.
const OPERATORS: [char; 6] = ['=', '!', '<', '>', ':', '~'];

/// Returns what can follow at the end of a text; `None` within quotes that do not belong to a value.
pub fn completion(text: &str, fields: &QueryFields) -> Option<Completion> {
    let from = last_term(text)?;
    let term = text.get(from..)?;
    let field_end = term.find(|c| OPERATORS.contains(&c)).unwrap_or(term.len());
    let (name, rest) = term.split_at_checked(field_end)?;
    let operator: usize = rest.chars().take_while(|c| OPERATORS.contains(c)).map(char::len_utf8).sum();
    if operator == 0 {
        // A complete name is followed by an operator, unless a longer name begins with it.
        let longer = fields.all().iter().any(|field| begins(field, name) && field.name.len() > name.len());
        let kind = match fields.named(name) {
            Some(_) if !longer => CompletionKind::Operator,
            _ => CompletionKind::Field,
        };
        let span = if kind == CompletionKind::Field { from..text.len() } else { text.len()..text.len() };
        return Some(Completion { kind, span });
    }
    let field = fields.named(name)?;
    let start = from + field_end + operator;
    Some(Completion { kind: CompletionKind::Value(field.name.to_string()), span: start..text.len() })
}

/// Returns where the term at the end of a text begins.
fn last_term(text: &str) -> Option<usize> {
    let (mut from, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        // `!` before `=` is an operator, and does not begin a term.
        let compares = c == '!' && text.get(at + 1..).is_some_and(|rest| rest.starts_with('='));
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if ENDS.contains(&c) && !compares => from = at + c.len_utf8(),
            _ => {}
        }
    }
    let in_value = text.get(from..).is_some_and(|term| term.contains(OPERATORS));
    (quote.is_none() || in_value).then_some(from)
}

fn begins(field: &QueryField, name: &str) -> bool {
    begins_with(&field.name, name)
}

impl Completion {
    /// Returns the part that is already typed, without a quote before it.
    pub fn typed<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.span.clone()).unwrap_or("").trim_start_matches(['"', '\''])
    }

    /// Returns the text with a candidate inserted; a value with special characters is quoted.
    pub fn applied(&self, text: &str, candidate: &str) -> String {
        let head = text.get(..self.span.start).unwrap_or(text);
        let plain = !candidate.contains(|c: char| c.is_whitespace() || ENDS.contains(&c) || c == '"');
        match (&self.kind, plain) {
            (CompletionKind::Value(_), false) if candidate.contains('"') => format!("{head}\'{candidate}\'"),
            (CompletionKind::Value(_), false) => format!("{head}\"{candidate}\""),
            _ => format!("{head}{candidate}"),
        }
    }

    /// Returns the fields or operators that fit the typed text; values come from the rows.
    pub fn completions(&self, text: &str, fields: &QueryFields) -> Vec<String> {
        let typed = self.typed(text);
        match &self.kind {
            CompletionKind::Field => {
                let mut fit: Vec<&QueryField> =
                    fields.all().iter().filter(|field| begins(field, typed)).collect();
                fit.sort_by_key(|field| field.priority);
                fit.into_iter().map(|field| field.name.to_string()).collect()
            }
            CompletionKind::Operator => {
                let name = last_term(text).and_then(|from| text.get(from..)).unwrap_or("");
                let signs: &[&str] = match fields.named(name).map(|field| field.kind) {
                    Some(FieldKind::Text) => &["=", ":", "~", "!="],
                    Some(FieldKind::Flag) => &["=", "!="],
                    _ => &["=", ">=", "<=", ">", "<", "!="],
                };
                signs.iter().map(|sign| (*sign).to_owned()).collect()
            }
            CompletionKind::Value(name) => {
                let field = fields.named(name);
                let values: &[&str] = match field {
                    Some(field) if !field.values.is_empty() => field.values,
                    Some(field) if field.kind == FieldKind::Flag => &["yes", "no"],
                    _ => &[],
                };
                let shown =
                    values.iter().map(|value| field.map_or(*value, |field| field.display_value(value)));
                shown.filter(|value| begins_with(value, typed)).map(str::to_owned).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::FieldColumn;
    use super::*;

    fn fields() -> QueryFields {
        QueryFields::of(&[
            FieldColumn::new("job", FieldKind::Text, (4, 1), "", ()),
            FieldColumn::new("state", FieldKind::Text, (4, 2), "", ()).one_of(&["Q", "R", "H"]),
            FieldColumn::new("start", FieldKind::Moment, (4, 9), "", ()),
            FieldColumn::new("user", FieldKind::Text, (4, 3), "", ()),
        ])
    }

    /// Console.md 6, Filter: Tab completes fields, operators and values.
    #[test]
    fn what_belongs_at_the_end_of_a_text() {
        for (text, wanted, candidates) in [
            ("", CompletionKind::Field, "job state user start"),
            ("st", CompletionKind::Field, "state start"),
            ("user=ann (st", CompletionKind::Field, "state start"),
            ("user", CompletionKind::Operator, "= : ~ !="),
            ("start", CompletionKind::Operator, "= >= <= > < !="),
            ("state=", CompletionKind::Value("state".to_owned()), "Q R H"),
            ("state!=r", CompletionKind::Value("state".to_owned()), "R"),
            ("!state=h", CompletionKind::Value("state".to_owned()), "H"),
            ("user=\"a b", CompletionKind::Value("user".to_owned()), ""),
        ] {
            let found = completion(text, &fields()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found.kind, wanted, "{text}");
            assert_eq!(found.completions(text, &fields()).join(" "), candidates, "{text}");
        }
        assert_eq!(completion("\"a b", &fields()), None);
        assert_eq!(completion("nothing=", &fields()), None);
    }

    #[test]
    fn a_candidate_takes_the_place_of_what_was_typed() {
        for (text, candidate, result) in [
            ("st", "state", "state"),
            ("user=ann st", "state", "user=ann state"),
            ("user", "=", "user="),
            ("user=\"a", "a b", "user=\"a b\""),
            ("user=a", "ann", "user=ann"),
        ] {
            let found = completion(text, &fields()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found.applied(text, candidate), result);
        }
    }
}
