//! Breakpoints: conditions on the steps of the cycle, each on or off (console.md 6).
//!
//! The language is that of the job filter; `taken` at the end requires that the job takes what was named, and `tried`
//! applies `set` to every set that was tried for it: `node=cn018 taken`, `set=switch=sw2 tried`.

use std::sync::Arc;

use super::screen::Screen;
use qscope_engine::cluster::{Id, Name};
use qscope_engine::cycle::{Outcome, Run};
use qscope_session::query::{FieldValue, Query, QueryError, QueryFields, QueryRecord};
use qscope_session::records::{JobRecord, job_fields};

/// A parsed condition.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct BreakCondition {
    query: Query,
    ending: ConditionSuffix,
}

/// The last word of a condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ConditionSuffix {
    #[default]
    None,
    /// The job must be placed.
    Taken,
    /// `set` means the sets tried for the job.
    Tried,
}

impl ConditionSuffix {
    const ALL: [(&'static str, Self); 2] = [("taken", Self::Taken), ("tried", Self::Tried)];

    /// Splits the ending off a condition.
    fn split(text: &str) -> (&str, Self) {
        let text = text.trim_end();
        let split = |(word, ending): (&str, Self)| {
            let rest = text.strip_suffix(word)?;
            (rest.is_empty() || rest.ends_with(' ')).then_some((rest, ending))
        };
        Self::ALL.into_iter().find_map(split).unwrap_or((text, Self::None))
    }
}

/// A job whose `set` is every set that was tried for it.
struct TriedSetsRecord<'a> {
    job: JobRecord<'a>,
    sets: Vec<Name>,
}

impl QueryRecord for TriedSetsRecord<'_> {
    fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
        match field {
            "set" => Some(FieldValue::texts(self.sets.iter().map(|name| &**name))),
            other => self.job.fact(other),
        }
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        self.job.any_text(holds)
    }
}

impl BreakCondition {
    /// Parses a text.
    ///
    /// # Errors
    /// If the text is not a query over jobs; with the place of the error.
    pub(crate) fn parse(text: &str, fields: &QueryFields) -> Result<Self, QueryError> {
        let (query, ending) = ConditionSuffix::split(text);
        Ok(Self { query: Query::parse(query, fields)?, ending })
    }

    fn fits(&self, run: &Run, outcome: &Outcome) -> bool {
        let job = JobRecord::of(run, outcome);
        match self.ending {
            ConditionSuffix::None => self.query.fits(&job),
            ConditionSuffix::Taken => outcome.placed.is_some() && self.query.fits(&job),
            ConditionSuffix::Tried => {
                let sets = outcome.tries.named(&run.end).into_iter().map(|(name, _)| name);
                self.query.fits(&TriedSetsRecord { job, sets: sets.collect() })
            }
        }
    }

    /// The numbers of the steps that meet it, from 1.
    pub(crate) fn steps(&self, run: &Run) -> Vec<usize> {
        let fits = |(at, step): (_, &qscope_engine::cycle::Step)| {
            let at: qscope_engine::cycle::StepIx = at;
            self.fits(run, &step.outcome).then(|| at.ix() + 1)
        };
        run.steps.enumerate().filter_map(fits).collect()
    }
}

/// A breakpoint.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Breakpoint {
    pub(crate) text: String,
    pub(crate) is_enabled: bool,
    /// The steps it stops at, or why the text cannot be parsed.
    pub(crate) steps: Result<Vec<usize>, QueryError>,
}

impl Breakpoint {
    /// A breakpoint whose steps are not known yet.
    pub(crate) fn new(text: &str, is_enabled: bool) -> Self {
        Self { text: text.trim().to_owned(), is_enabled, steps: Ok(Vec::new()) }
    }
}

/// All breakpoints, and the steps of the current cycle at which an enabled one stops.
#[derive(Debug, Default)]
pub(crate) struct Breakpoints {
    pub(crate) list: Vec<Breakpoint>,
    stops: Vec<usize>,
    run: Option<Arc<Run>>,
}

impl Breakpoints {
    /// Replaces the breakpoint at an index, or adds one. A condition is in the list once: if another breakpoint has it,
    /// that one is switched on instead. Returns the index of the breakpoint, and whether the condition is new.
    pub(crate) fn put(&mut self, at: Option<usize>, new: Breakpoint) -> (usize, bool) {
        let at = at.filter(|at| *at < self.list.len());
        let equal = |(place, one): (usize, &Breakpoint)| one.text == new.text && Some(place) != at;
        if let Some(place) = self.list.iter().enumerate().position(equal) {
            if let Some(one) = self.list.get_mut(place) {
                one.is_enabled = true;
            }
            let Some(replaced) = at else { return (place, false) };
            self.list.remove(replaced);
            return (place - usize::from(replaced < place), false);
        }
        match at.and_then(|at| self.list.get_mut(at)) {
            Some(old) => *old = new,
            None => self.list.push(new),
        }
        (at.unwrap_or(self.list.len().saturating_sub(1)), true)
    }

    /// Finds the steps again if the cycle is another one.
    pub(crate) fn follow(&mut self, screen: &Screen) {
        if !self.run.as_ref().is_some_and(|run| Arc::ptr_eq(run, &screen.generation.run)) {
            self.find(screen);
        }
    }

    /// Finds the steps again, after a change of the list.
    pub(crate) fn find(&mut self, screen: &Screen) {
        let run = &screen.generation.run;
        let fields = job_fields(&run.plan.snap.catalogue).by_clock_of(&run.plan.snap);
        for one in &mut self.list {
            one.steps = BreakCondition::parse(&one.text, &fields).map(|condition| condition.steps(run));
        }
        let on = self.list.iter().filter(|one| one.is_enabled);
        self.stops = on.filter_map(|one| one.steps.as_ref().ok()).flatten().copied().collect();
        self.stops.sort_unstable();
        self.stops.dedup();
        self.run = Some(Arc::clone(run));
    }

    /// The steps at which an enabled breakpoint stops, ascending, from 1.
    pub(crate) fn stops(&self) -> &[usize] {
        &self.stops
    }

    /// The first enabled breakpoint that stops at a step.
    pub(crate) fn at(&self, step: usize) -> Option<&str> {
        let stops =
            |breakpoint: &&Breakpoint| breakpoint.steps.as_ref().is_ok_and(|steps| steps.contains(&step));
        self.list.iter().filter(|one| one.is_enabled).find(stops).map(|one| &*one.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_in_the_list_once() {
        let mut all = Breakpoints::default();
        let add = |all: &mut Breakpoints, at, text| all.put(at, Breakpoint::new(text, true));
        assert_eq!(add(&mut all, None, "path=node"), (0, true));
        assert_eq!(add(&mut all, None, "verdict=wait"), (1, true));
        all.list[0].is_enabled = false;
        assert_eq!(add(&mut all, None, " path=node "), (0, false));
        assert!(all.list[0].is_enabled && all.list.len() == 2, "the one that is there is switched on");
        assert_eq!(add(&mut all, Some(1), "verdict=wait"), (1, true), "left as it was");
        assert_eq!(add(&mut all, Some(0), "verdict=wait"), (0, false), "changed into one that is there");
        assert_eq!(all.list.iter().map(|one| &*one.text).collect::<Vec<_>>(), ["verdict=wait"]);
    }
}
