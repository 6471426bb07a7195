//! The selected job, and the result of each set for it.

use crate::theme::Role;
use crate::views::ViewContext;
use crate::wording;
use qscope_engine::cluster::{Name, ResourceId};
use qscope_engine::cycle::Verdict;
use qscope_engine::placement::{PlacementPath, SetFit, SetShortage, pool_of, set_fit};
use qscope_engine::universe::{JobRequest, Occupant, PoolIx, SetIx, ShortageDetail, State};

/// A job that tries sets.
pub(super) struct JobSetTrial<'a> {
    /// The state as the job found it.
    state: &'a State,
    occupant: Occupant,
    request: &'a JobRequest,
    path: PlacementPath,
    pool: PoolIx,
    /// The set the job was placed in, and its place in the order tried.
    taken: Option<(Name, usize)>,
    runs: bool,
    /// Whether the job can never run.
    never: bool,
    /// The job's short id.
    pub job: String,
}

impl<'a> JobSetTrial<'a> {
    /// The selected job; `None` if it does not try sets of a pool.
    pub(super) fn of(cx: ViewContext<'a>) -> Option<Self> {
        let outcome = cx.subject()?;
        let state = cx.found();
        let path = outcome.entered().or_else(|| outcome.would_use.map(|choice| choice.path))?;
        let request = state.plan.request(outcome.job, state.ledger.preempted[outcome.job]).ok()?;
        let occupant = Occupant::Job(outcome.job, None);
        let pool = pool_of(state, occupant, request)?;
        let set = outcome.placed.as_ref().and_then(|placed| placed.set.clone());
        let taken = set.and_then(|name| {
            let order = &state.pools.checked(pool)?.order;
            Some((name.clone(), order.iter().position(|set| state.sets[*set].shape.name == name)?))
        });
        let job = state.plan.job(outcome.job).short_name().to_owned();
        let never = cx.run().verdict(outcome) == Verdict::Never;
        Some(Self { state, occupant, request, path, pool, taken, runs: outcome.placed.is_some(), never, job })
    }

    /// The pool and the name of the set it was placed in.
    pub(super) fn taken_set(&self) -> Option<(PoolIx, Name)> {
        self.taken.as_ref().map(|(name, _)| (self.pool, name.clone()))
    }

    fn place(&self, set: SetIx) -> Option<usize> {
        self.state.pools.checked(self.pool)?.order.iter().position(|other| *other == set)
    }

    /// The result for a set in few words, and its role; `None` for sets of other pools.
    pub(super) fn verdict(&self, pool: PoolIx, ix: SetIx) -> Option<(Role, String)> {
        let set = self.state.sets.checked(ix).filter(|_| pool == self.pool)?;
        if self.taken.as_ref().is_some_and(|(name, _)| *name == set.shape.name) {
            return Some((Role::VerdictRun, "taken".to_owned()));
        }
        // A job that can never run does not wait for a set.
        let waits = if self.never { Role::VerdictNever } else { Role::VerdictWait };
        Some(match set_fit(self.state, self.occupant, self.request, self.path, set) {
            SetFit::TooSmall(lack) => (Role::VerdictNever, self.lack(&lack)),
            // The sign of what waits stands for "now".
            SetFit::Short(lack) => (waits, self.lack(&lack)),
            SetFit::Fits if self.is_behind(ix) => (Role::VerdictSkipped, "not needed".to_owned()),
            SetFit::Fits => (waits, "enough in sum".to_owned()),
        })
    }

    /// Whether the set comes after the one the job was placed in.
    fn is_behind(&self, set: SetIx) -> bool {
        match &self.taken {
            Some((_, taken)) => self.place(set).is_some_and(|place| place > *taken),
            None => false,
        }
    }

    fn lack(&self, lack: &SetShortage) -> String {
        let catalogue = &self.state.plan.snap.catalogue;
        match lack {
            SetShortage::Nodes { available: have, requested } => {
                format!("{have} of {}", wording::count(*requested, "node"))
            }
            SetShortage::Chunks { fitting, requested } => {
                format!("{fitting} of {}", wording::count(*requested, "chunk"))
            }
            SetShortage::Resource(shortage) => {
                let (name, kind) = (catalogue.name(shortage.resource), catalogue.kind(shortage.resource));
                match &shortage.detail {
                    ShortageDetail::Amounts { requested, available, .. } => {
                        format!("{} of {} {name}", available.show(kind), requested.show(kind))
                    }
                    ShortageDetail::Differs { requested, .. } => format!("no {name}={requested}"),
                    ShortageDetail::Erased => format!("no {name}"),
                }
            }
        }
    }

    /// The result for the sets as a whole, for the title of the view.
    pub(super) fn headline(&self) -> String {
        match (&self.taken, self.runs) {
            (Some((_, place)), _) => format!("job {} took the {} set tried", self.job, ordinal(place + 1)),
            _ if self.never => format!("job {} can never run", self.job),
            (None, true) => format!("job {} spans sets", self.job),
            (None, false) => format!("job {} got no set", self.job),
        }
    }
}

/// `1st`, `2nd`, `11th`.
pub(super) fn ordinal(n: usize) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// The total, assigned and left amounts of a set, in words.
pub(super) fn sums(state: &State, set: SetIx, resource: ResourceId) -> Option<[String; 3]> {
    let plan = &state.plan;
    let ix = plan.consumables.ix(resource)?;
    let set = &state.sets[set];
    let (all, left) = (set.shape.available[ix], set.left(ix)?);
    let kind = plan.snap.catalogue.kind(resource);
    Some([all, set.assigned[ix], left].map(|value| wording::part(kind, value)))
}
