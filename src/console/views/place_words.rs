//! Where jobs run and start, in words: `ends 02:13  cn[001-008]`. If there are very many jobs, a worker writes them all
//! before the table is sorted by them, because folding the names of the nodes is too slow for a key press.

use std::borrow::Cow;
use std::sync::{Arc, Weak};

use rustc_hash::FxHashMap;

use super::records::nodes;
use crate::screen::{CycleRow, running};
use crate::task::{Computation, TaskNews};
use crate::views::{Effect, Pending};
use crate::wording;
use qscope_engine::cycle::{Run, Verdict};

/// Below this number of jobs the words are written when needed.
const MANY: usize = 6_000;

type WordsByRow = FxHashMap<CycleRow, Box<str>>;

/// What the worker wrote.
#[derive(Debug, Default)]
pub(crate) struct PlaceWords {
    /// The cycle of the words. A reference keeps its address from being that of a later cycle.
    of: Weak<Run>,
    known: Option<Arc<WordsByRow>>,
    writing: Pending<WordsByRow>,
    /// Whether the words of the previous cycle were known: the table then keeps its order meanwhile.
    had_some: bool,
}

impl PlaceWords {
    /// Drops the words of another cycle.
    pub(crate) fn take(&mut self, run: &Arc<Run>) {
        if self.of.as_ptr() != Arc::as_ptr(run) {
            let of = Arc::downgrade(run);
            *self = Self { of, had_some: self.known.is_some() || self.had_some, ..Self::default() };
        }
    }

    /// Whether the words of `jobs` jobs are known or quick to write, or the table keeps its order meanwhile; else
    /// requests them from a worker.
    pub(crate) fn are_there(&mut self, jobs: usize, run: &Arc<Run>) -> bool {
        if jobs < MANY || self.known.is_some() {
            return true;
        }
        if !self.writing.is_waiting() {
            let run = Arc::clone(run);
            let words = Computation::new("where jobs run and start", move |_| Some(all(&run)));
            self.writing.begin(words.into_short_task());
        }
        self.had_some
    }

    /// Whether sorting waits for them.
    pub(crate) fn are_awaited(&self) -> bool {
        self.writing.is_waiting() && !self.had_some
    }

    /// The effect to request for them.
    pub(crate) fn request(&mut self) -> Option<Effect> {
        self.writing.request()
    }

    /// Takes the answer of the worker; returns whether the news was for this.
    pub(crate) fn on_news(&mut self, news: &TaskNews) -> bool {
        let Some(known) = self.writing.take(news) else { return false };
        self.known = Some(known);
        true
    }

    /// Where the job of a row runs or starts; `None` for a waiting one.
    pub(crate) fn of(&self, run: &Run, row: CycleRow) -> Option<Cow<'_, str>> {
        match &self.known {
            Some(known) => known.get(&row).map(|words| Cow::Borrowed(&**words)),
            None => words(run, row).map(Cow::Owned),
        }
    }
}

fn all(run: &Run) -> WordsByRow {
    let steps = run.steps.ids().map(CycleRow::Step);
    // Jobs that are not considered wait, so they are left out.
    steps.chain(running(run)).filter_map(|row| Some((row, words(run, row)?.into()))).collect()
}

fn words(run: &Run, row: CycleRow) -> Option<String> {
    if let Some(outcome) = row.outcome(run) {
        return (run.verdict(outcome) == Verdict::Run).then(|| wording::reason(run, outcome));
    }
    let (snap, record) = (&run.plan.snap, row.record(run)?);
    let nodes = nodes(&record).unwrap_or_default();
    let ends = match record.ends() {
        Some(at) => format!("{} {}", wording::ends(snap, at), wording::time_of_day(snap, at)),
        None => "no end".to_owned(),
    };
    Some(format!("{ends}  {nodes}"))
}
