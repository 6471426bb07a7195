//! Values that fields are compared with, parsed by the kind of the field.

use std::ops::Range;

use jiff::Zoned;
use regex_lite::{Regex, RegexBuilder};

use super::QueryError;
use super::field::{FieldKind, FieldValue};
use super::lexer::QueryOperator;
use crate::dump_times::moment_on;
use qscope_engine::cluster::{Amount, NameList, ResourceType, Seconds, parse_duration};

/// The right-hand side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    /// Text in lower case; `*` matches anything.
    Text(String),
    Pattern(Pattern),
    Number(f64),
    /// An absolute time.
    At(i64),
    /// A time relative to now, in seconds.
    FromNow(i64),
    Flag(bool),
}

/// A regular expression that ignores case.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Regex);

/// Maximum size of a compiled pattern, in bytes.
const MAX_PATTERN: usize = 1 << 20;

impl Pattern {
    fn parse(text: &str) -> Option<Self> {
        RegexBuilder::new(text).case_insensitive(true).size_limit(MAX_PATTERN).build().ok().map(Self)
    }

    fn fits(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// Parses the right-hand side of an operator.
pub(super) fn read(
    (kind, name, now): (FieldKind, &str, Option<&Zoned>),
    operator: QueryOperator,
    text: &str,
    span: Range<usize>,
) -> Result<Operand, QueryError> {
    let expected = |what: &str| QueryError::new(span.clone(), format!("{name} takes {what}"));
    match kind {
        FieldKind::Text if operator.orders() => Err(expected("= or : here, since it is a text")),
        FieldKind::Text if operator == QueryOperator::Matches => {
            let pattern = Pattern::parse(text).map(Operand::Pattern);
            pattern.ok_or_else(|| expected("a regular expression after ~; quotes keep brackets together"))
        }
        FieldKind::Text => Ok(Operand::Text(text.to_lowercase())),
        FieldKind::Flag => match text.to_ascii_lowercase().as_str() {
            "yes" | "true" | "y" | "t" | "1" => Ok(Operand::Flag(true)),
            "no" | "false" | "n" | "f" | "0" => Ok(Operand::Flag(false)),
            _ => Err(expected("yes or no")),
        },
        FieldKind::Size => Amount::parse(ResourceType::Size, text)
            .map(|amount| Operand::Number(amount.0))
            .map_err(|_| expected("a size such as 16gb")),
        FieldKind::Span => span_of(text)
            .map(|span| Operand::Number(span as f64))
            .ok_or_else(|| expected("a time such as 02:00:00, 90m or 2h")),
        FieldKind::Number => number(text).map(Operand::Number).ok_or_else(|| expected("a number")),
        FieldKind::Moment => {
            let by_clock = || moment_on(now?, text).map(|at| Operand::At(at.0));
            let found = moment(text).or_else(by_clock);
            found.ok_or_else(|| expected("a moment: 02:43, +2h and -30m from now, or epoch seconds"))
        }
    }
}

fn number(text: &str) -> Option<f64> {
    if text.contains(':') {
        return Seconds::parse(text).map(|span| span.0 as f64);
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn span_of(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(length) => parse_duration(length).map(|seconds| -(seconds as i64)),
        None => parse_duration(text).map(|seconds| seconds as i64),
    }
}

fn moment(text: &str) -> Option<Operand> {
    match text.as_bytes().first()? {
        b'+' => span_of(text.get(1..)?).map(Operand::FromNow),
        b'-' => span_of(text.get(1..)?).map(|span| Operand::FromNow(-span)),
        _ => text.parse().ok().map(Operand::At),
    }
}

/// Whether the comparison of a record's value with the operand is true.
pub(super) fn holds(fact: &FieldValue<'_>, operator: QueryOperator, operand: &Operand) -> bool {
    match (fact, operand) {
        (FieldValue::Text(text), Operand::Text(given)) => text_holds(text, operator, given),
        (FieldValue::Joined(text), Operand::Text(given)) => match operator {
            QueryOperator::IsNot => joined(text).all(|text| text_holds(text, operator, given)),
            _ => joined(text).any(|text| text_holds(text, operator, given)),
        },
        (FieldValue::Texts(texts), Operand::Text(given)) => match operator {
            QueryOperator::IsNot => texts.iter().all(|text| text_holds(text, operator, given)),
            _ => texts.iter().any(|text| text_holds(text, operator, given)),
        },
        (FieldValue::Text(text), Operand::Pattern(pattern)) => pattern.fits(text),
        (FieldValue::Joined(text), Operand::Pattern(pattern)) => joined(text).any(|text| pattern.fits(text)),
        (FieldValue::Texts(texts), Operand::Pattern(pattern)) => texts.iter().any(|text| pattern.fits(text)),
        (FieldValue::Number(have) | FieldValue::Size(have), Operand::Number(given)) => {
            number_holds(*have, operator, *given)
        }
        (FieldValue::Span(have), Operand::Number(given)) => number_holds(have.0 as f64, operator, *given),
        (FieldValue::Moment(have, _), Operand::At(given)) => {
            number_holds(have.0 as f64, operator, *given as f64)
        }
        (FieldValue::Moment(have, now), Operand::FromNow(given)) => {
            number_holds((*have - *now).0 as f64, operator, *given as f64)
        }
        (FieldValue::Flag(have), Operand::Flag(given)) => {
            (have == given) != (operator == QueryOperator::IsNot)
        }
        _ => false,
    }
}

/// Returns a text of words joined by commas as a whole, then word by word.
fn joined(text: &str) -> impl Iterator<Item = &str> {
    std::iter::once(text).chain(text.split(','))
}

fn text_holds(text: &str, operator: QueryOperator, given: &str) -> bool {
    let text = text.to_lowercase();
    match operator {
        QueryOperator::Has if !given.contains('*') => text.contains(given),
        QueryOperator::IsNot => !is_one_of(&text, given),
        _ => is_one_of(&text, given),
    }
}

/// Whether a text matches a pattern or is in a folded list, as pages show it: `67[0-3]`, `cn[001-003]`.
fn is_one_of(text: &str, given: &str) -> bool {
    glob(text, given) || NameList::of(given).is_some_and(|list| list.has(text))
}

/// Whether a text matches a pattern in which `*` matches anything.
fn glob(text: &str, pattern: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else { return text == pattern };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    while let Some((part, tail)) = rest.split_once('*') {
        let Some((_, after)) = text.split_once(part) else { return false };
        (text, rest) = (after, tail);
    }
    text.ends_with(rest)
}

fn number_holds(have: f64, operator: QueryOperator, given: f64) -> bool {
    match operator {
        QueryOperator::Has | QueryOperator::Matches | QueryOperator::Is => (have - given).abs() < 1e-9,
        QueryOperator::IsNot => (have - given).abs() >= 1e-9,
        QueryOperator::Less => have < given,
        QueryOperator::LessOrSame => have <= given,
        QueryOperator::More => have > given,
        QueryOperator::MoreOrSame => have >= given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (text, pattern, fits) in [
            ("n17", "n17", true),
            ("n17", "n1*", true),
            ("n17", "*7", true),
            ("n17", "n*7*", true),
            ("n17", "n*8", false),
            ("n17", "n1", false),
            ("switch=sw1", "*=sw*", true),
            ("", "*", true),
        ] {
            assert_eq!(glob(text, pattern), fits, "{text} {pattern}");
        }
    }

    #[test]
    fn a_folded_list_stands_for_its_names() {
        for (text, list, fits) in [
            ("67[1]", "67[0-1]", true),
            ("67[2]", "67[0-1]", false),
            ("67[]", "67[0-1]", false),
            ("67[2-5]", "67[2-5]", true),
            ("cn002", "cn[001-003,007]", true),
            ("cn004", "cn[001-003,007]", false),
        ] {
            assert_eq!(text_holds(text, QueryOperator::Is, list), fits, "{text} {list}");
            assert_eq!(text_holds(text, QueryOperator::IsNot, list), !fits, "{text} {list}");
        }
    }

    #[test]
    fn times_come_in_many_forms() {
        for (text, seconds) in
            [("90", 90), ("90s", 90), ("1.5m", 90), ("00:01:30", 90), ("2h", 7200), ("1d", 86_400)]
        {
            assert_eq!(span_of(text), Some(seconds), "{text}");
        }
        assert_eq!(span_of("h"), None);
        assert_eq!(span_of("9e99d"), None);
        assert_eq!(moment("-30m"), Some(Operand::FromNow(-1800)));
    }
}
