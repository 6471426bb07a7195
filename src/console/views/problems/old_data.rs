//! The problem that the data are old.

use std::borrow::Cow;

use crate::views::ViewContext;
use qscope_session::Fix;
use qscope_session::problems::{AGAIN, Problem, model_problem};

/// The kind of that problem.
const OLD: &str = "old data";

/// The problem that the data are old; `words` contain the age and change with it.
pub(super) fn old_data_problem(words: &str) -> Problem {
    let (object, fix) = ("files".to_owned(), Some(Fix::by_hand(AGAIN)));
    Problem { object, fix, ..model_problem(OLD, words) }
}

/// The effect of a problem; for old data with the current age.
pub(super) fn effect<'a>(problem: &'a Problem, cx: ViewContext<'_>) -> Cow<'a, str> {
    let old = (problem.kind == OLD).then(|| cx.old_words()).flatten();
    old.map_or(Cow::Borrowed(&*problem.effect), Cow::Owned)
}
