//! The place of a job in the order: the keys compared with a neighbour, and what moves it ahead.

use super::MoveSearch;
use super::rows::PageRow;
use crate::theme::Role;
use crate::views::Object;
use qscope_advice::order::{FormulaRow, OrderChange, OrderComparison};
use qscope_engine::cluster::{Job, short_id};
use qscope_engine::cycle::Precedence;

/// Columns for the names of the sort keys.
const KEY: usize = 20;

/// The keys that were compared with a neighbour, in their order.
pub(super) fn order(comparison: Option<&OrderComparison>, job: &Job) -> Vec<PageRow> {
    let Some(found) = comparison else { return Vec::new() };
    let is_first = found.first == *job.name;
    let other = if is_first { &found.second } else { &found.first };
    let mut rows = vec![
        PageRow::heading(&format!("Execution priority: keys in the order used, against {}", short_id(other)))
            .to(Object::Job(other.clone())),
    ];
    for (at, key) in found.keys.iter().enumerate() {
        let (own, theirs) = if is_first { (&key.first, &key.second) } else { (&key.second, &key.first) };
        let values = match key.ahead {
            None if own == "-" && theirs == "-" => "neither".to_owned(),
            None if own == theirs => format!("both {own}"),
            None => format!("{own} = {theirs}"),
            Some(_) => format!("{own} against {theirs}"),
        };
        let text = format!("{:<KEY$} {values}{}", key.key, if key.decides { "  decides" } else { "" });
        let role = if key.decides { Role::Heading } else { Role::Text };
        rows.push(PageRow::fact(&format!("{}", at + 1), text).in_role(role));
    }
    rows.extend(found.formula.iter().flat_map(|formula| terms(formula, is_first)));
    let word = if is_first { "won against" } else { "lost against" };
    let by = match found.decided_by.precedence {
        // The job is not considered at all.
        Precedence::NotReady => format!("{}: {}", short_id(other), found.decided_by.key),
        _ => format!("{} by {}", short_id(other), found.decided_by.key),
    };
    rows.push(PageRow::fact(word, by).to(Object::Job(other.clone())));
    rows
}

/// The formula as written, what each of its parts adds for the job and for the neighbour, and the values of the names
/// in them.
fn terms(formula: &FormulaRow, is_first: bool) -> Vec<PageRow> {
    let show =
        |value: Option<f64>| value.map_or_else(|| "no value".to_owned(), |value| (value as f32).to_string());
    let row = |name: &str, [first, second]: [Option<f64>; 2]| {
        let (own, theirs) = if is_first { (first, second) } else { (second, first) };
        PageRow::fact("", format!("{name}: {} against {}", show(own), show(theirs)))
    };
    let mut rows = vec![PageRow::fact("formula", formula.text.clone())];
    rows.extend(formula.parts.iter().map(|part| row(&part.name, [part.first, part.second])));
    // A name that is not a part by itself is one of a larger part.
    let inside = formula.terms.iter().filter(|term| formula.parts.iter().all(|part| part.name != term.name));
    rows.extend(inside.map(|term| row(&format!("  {}", term.name), [term.first, term.second])));
    rows
}

/// What change would move the job ahead of the one considered before it.
pub(super) fn moves_ahead_rows(comparison: &OrderComparison, moves: &MoveSearch) -> Vec<PageRow> {
    let first = short_id(&comparison.first);
    match moves {
        MoveSearch::Unknown => Vec::new(),
        MoveSearch::Running(_) => {
            vec![PageRow::fact("ahead", format!("trying what moves it ahead of {first} ..."))]
        }
        MoveSearch::Known(found) if found.is_empty() => {
            vec![PageRow::fact("ahead", format!("no change of this job alone moves it ahead of {first}"))]
        }
        MoveSearch::Known(found) => {
            let row = |found: &OrderChange| {
                let by = match found.by {
                    "time" => "by waiting",
                    "operator" => "by an operator",
                    _ => "by its owner",
                };
                PageRow::fact("ahead", format!("{} · {by}", found.change))
            };
            found.iter().map(row).collect()
        }
    }
}
