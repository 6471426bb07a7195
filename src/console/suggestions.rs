//! Suggestions for the filter being typed: fields, operators, and values of this cluster with their counts; Tab inserts
//! them one after the other (console.md 6, Filter).

use crate::views::records::ValueCount;
use crate::widgets::text::{clean, width};
use qscope_session::query::{Completion, CompletionKind, QueryError, QueryFields, completion};

/// Candidates for the end of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Suggestions {
    /// The text they complete.
    text: String,
    completion: Option<Completion>,
    /// Each candidate; values have the number of matching rows.
    candidates: Vec<(String, Option<usize>)>,
    /// Index of the candidate inserted by the last Tab.
    at: Option<usize>,
}

impl Suggestions {
    /// The candidates for a text over rows of these fields; `values` counts the values of a field.
    pub(crate) fn new(
        text: &str,
        fields: &QueryFields,
        values: impl FnOnce(&str) -> Vec<ValueCount>,
    ) -> Self {
        let Some(completion) = completion(text, fields) else { return Self::default() };
        let typed = completion.typed(text).to_lowercase();
        let mut candidates: Vec<(String, Option<usize>)> = match &completion.kind {
            CompletionKind::Value(field) => {
                let fits = |(value, _): &ValueCount| value.to_lowercase().starts_with(&typed);
                values(field).into_iter().filter(fits).map(|(value, rows)| (value, Some(rows))).collect()
            }
            CompletionKind::Field | CompletionKind::Operator => Vec::new(),
        };
        for known in completion.completions(text, fields) {
            if !candidates.iter().any(|(value, _)| *value == known) {
                candidates.push((known, None));
            }
        }
        let is_whole = matches!(candidates.as_slice(), [(only, _)] if only.to_lowercase() == typed);
        if is_whole {
            candidates.clear();
        }
        Self { text: text.to_owned(), completion: Some(completion), candidates, at: None }
    }

    /// Returns the text after Tab: first the common prefix of all candidates, then one candidate after the other.
    pub(crate) fn next(&mut self) -> Option<String> {
        let completion = self.completion.as_ref()?;
        let typed = completion.typed(&self.text);
        if self.at.is_none() {
            let common = common_beginning(self.candidates.iter().map(|(value, _)| value.as_str()));
            if self.candidates.len() > 1 && common.len() > typed.len() {
                return Some(completion.applied(&self.text, &common));
            }
        }
        let next = self.at.map_or(0, |at| (at + 1) % self.candidates.len().max(1));
        let (value, _) = self.candidates.get(next)?;
        self.at = Some(next);
        Some(completion.applied(&self.text, value))
    }

    /// The text with each candidate; values have the number of matching rows.
    pub(crate) fn texts(&self) -> Vec<(String, Option<usize>)> {
        let Some(completion) = &self.completion else { return Vec::new() };
        let text = |(value, rows): &(String, Option<usize>)| (completion.applied(&self.text, value), *rows);
        self.candidates.iter().map(text).collect()
    }

    /// Whether Tab is going through several candidates, so that its last text is not a new starting point.
    pub(crate) fn is_cycling(&self) -> bool {
        // The first operator is the usual one, and a value comes next.
        let on_operator = self.completion.as_ref().is_some_and(|it| it.kind == CompletionKind::Operator);
        self.at.is_some() && self.candidates.len() > 1 && !on_operator
    }

    /// Whether the candidates are shown instead of an error, because that lies where they would be inserted.
    pub(crate) fn replaces_error(&self, error: Option<&QueryError>) -> bool {
        let begins = self.completion.as_ref().map_or(0, |completion| completion.span.start);
        !self.candidates.is_empty() && error.is_none_or(|error| error.span.start >= begins)
    }

    /// Lists the candidates within `room` columns, beginning with the one inserted last.
    pub(crate) fn words(&self, room: usize, dot: &str, ellipsis: &str) -> String {
        let mut text = "  Tab ".to_owned();
        let from = self.at.unwrap_or(0);
        for (nth, (value, rows)) in self.candidates.iter().skip(from).enumerate() {
            let rows = rows.map_or_else(String::new, |rows| format!(" {rows}"));
            let gap = match (nth, self.completion.as_ref().map(|it| &it.kind)) {
                (0, _) => "",
                (_, Some(CompletionKind::Value(_))) => dot,
                _ => " ",
            };
            let more = format!("{gap}{}{rows}", clean(value));
            if width(&text) + width(&more) + 2 > room {
                text.push_str(&format!(" {ellipsis}"));
                break;
            }
            text.push_str(&more);
        }
        text
    }
}

fn common_beginning<'t>(mut texts: impl Iterator<Item = &'t str>) -> String {
    let mut common = texts.next().unwrap_or("").to_owned();
    for text in texts {
        let same =
            common.chars().zip(text.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        common.truncate(same);
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_session::query::{FieldColumn, FieldKind};

    fn suggest(text: &str) -> Suggestions {
        let fields = QueryFields::of(&[
            FieldColumn::new("user", FieldKind::Text, (4, 2), "", ()),
            FieldColumn::new("state", FieldKind::Text, (4, 2), "", ()).one_of(&["Q", "R", "H"]),
        ]);
        let values = |field: &str| match field {
            "user" => vec![("alice".to_owned(), 5), ("albert".to_owned(), 2), ("bob".to_owned(), 1)],
            _ => vec![("R".to_owned(), 4)],
        };
        Suggestions::new(text, &fields, values)
    }

    #[test]
    fn tab_takes_what_is_common_and_then_one_after_the_other() {
        let mut found = suggest("user=a");
        assert_eq!(found.next().as_deref(), Some("user=al"));
        let mut found = suggest("user=al");
        let texts: Vec<String> = (0..3).filter_map(|_| found.next()).collect();
        assert_eq!(texts, ["user=alice", "user=albert", "user=alice"]);
        assert!(found.is_cycling());
        assert_eq!(suggest("us").next().as_deref(), Some("user"));
        assert_eq!(suggest("user").next().as_deref(), Some("user="));
    }

    #[test]
    fn values_stand_with_their_counts_and_the_rest_behind() {
        assert_eq!(suggest("user=").words(60, " | ", "~"), "  Tab alice 5 | albert 2 | bob 1");
        assert_eq!(suggest("state=").words(60, " | ", "~"), "  Tab R 4 | Q | H");
        assert_eq!(suggest("").words(60, " | ", "~"), "  Tab user state");
        assert_eq!(suggest("user=").words(20, " | ", "~"), "  Tab alice 5 ~");
        assert!(suggest("user=bob").candidates.is_empty());
        let error = QueryError { what: String::new(), span: 0..3, is_unknown_field: false };
        assert!(!suggest("usr=a user=").replaces_error(Some(&error)));
        assert!(suggest("user=").replaces_error(None));
    }
}
