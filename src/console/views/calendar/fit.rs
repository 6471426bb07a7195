//! Where the selected job fits: planned by the scheduler's own calendar, or found by a worker among what is known to
//! end and start.

use std::sync::Arc;

use crate::task::{News, Task, Ticket};
use crate::views::effect::Effect;
use crate::views::timeline::FitWindow;
use crate::views::world::World;
use crate::wording;
use qscope_engine::cluster::{Epoch, Seconds};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_explain::{FirstFit, first_fit};

/// The selected job and its window.
#[derive(Debug, Default)]
pub(super) struct Fit {
    /// The cycle and the job that this is about.
    of: Option<(usize, String)>,
    window: Option<FitWindow>,
    ticket: Option<Ticket>,
    requests: Vec<Effect>,
    /// Whether the calendar plans the job itself, so that it stands in the picture already.
    planned: bool,
}

impl Fit {
    /// Takes in which job is selected.
    pub(super) fn take(&mut self, world: World<'_>) {
        let run = Arc::as_ptr(world.run()) as usize;
        let of = world.screen.subject_name().map(|name| (run, name));
        if self.of == of {
            return;
        }
        *self = Self { of, ..Self::default() };
        let Some(outcome) = world.subject() else { return };
        if let Some(top) = &outcome.estimate {
            self.planned = true;
            let to = end(world.run(), outcome, top.start);
            let nodes = top.allocation.nodes();
            self.window = Some(FitWindow::new(short(world, outcome), top.start, to, nodes));
        } else if outcome.placed.is_none() && no_moment(world, outcome).is_none() {
            let (run, job) = (world.run().clone(), outcome.job);
            let (task, ticket) =
                Task::new("where the selected job fits", move |_| Some(first_fit(&run, job)));
            self.ticket = Some(ticket);
            self.requests.push(Effect::Compute(task));
        }
    }

    pub(super) fn requests(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.requests)
    }

    /// Takes in what a worker found; whether it was for this.
    pub(super) fn on_news(&mut self, ticket: u64, news: &News) -> bool {
        let Some(answer) = Ticket::answer(&mut self.ticket, ticket, news) else { return false };
        let found = answer.downcast_ref::<Option<FirstFit>>().and_then(Option::as_ref);
        let name = self.of.as_ref().map(|(_, name)| qscope_engine::cluster::short_id(name).to_owned());
        self.window = found
            .zip(name)
            .map(|(found, name)| FitWindow::new(name, found.from, found.to, found.nodes.clone()));
        true
    }

    /// The window to be drawn; a planned job stands in the picture already.
    pub(super) fn window(&self) -> Option<&FitWindow> {
        self.window.as_ref().filter(|_| !self.planned)
    }

    /// For the title.
    pub(super) fn note(&self, world: World<'_>) -> String {
        let Some(outcome) = world.subject() else { return String::new() };
        let (name, snap) = (short(world, outcome), world.snapshot());
        match &self.window {
            _ if world.run().is_refused(outcome) => format!("selected {name}: refused by server"),
            _ if outcome.placed.is_some() => format!("selected {name}: starts now"),
            Some(window) if self.planned => {
                format!("selected {name}: planned {}", wording::time_of_day(snap, window.from))
            }
            Some(window) => format!("selected {name}: fits {}", wording::time_of_day(snap, window.from)),
            None if self.ticket.is_some() => format!("selected {name}: computing"),
            None => match no_moment(world, outcome) {
                Some((short, _)) => format!("selected {name}: {short}"),
                None => format!("selected {name}: fits nowhere here"),
            },
        }
    }

    /// About the job and its window, in lines.
    pub(super) fn words(&self, world: World<'_>) -> Vec<String> {
        let Some(outcome) = world.subject() else { return vec!["no job is selected".to_owned()] };
        let (snap, plan) = (world.snapshot(), world.plan());
        let (name, job) = (short(world, outcome), plan.job(outcome.job));
        let asks = job.select.as_ref().map_or_else(String::new, |select| wording::asks(select, "×"));
        let nodes = |nodes: &[qscope_engine::universe::Bit]| {
            wording::folded_within(nodes.iter().map(|bit| &**plan.node_name(*bit)), 30)
        };
        let time = |at| wording::time_of_day(snap, at);
        let first = match &self.window {
            _ if world.run().is_refused(outcome) => wording::reason(world.run(), outcome),
            _ if let Some(placed) = &outcome.placed => {
                format!("starts now on {}", nodes(&placed.allocation.nodes()))
            }
            Some(window) => {
                let word = if self.planned { "top job, planned" } else { "first fit" };
                let to = window.to.map_or_else(String::new, |to| format!("–{}", time(to)));
                format!("{word} {}{to} on {}", time(window.from), nodes(&window.nodes))
            }
            None if self.ticket.is_some() => "computing where it fits ...".to_owned(),
            None => match no_moment(world, outcome) {
                Some((_, why)) => why,
                None => "fits at no moment of this calendar".to_owned(),
            },
        };
        let place = plan.requests[outcome.job].as_ref().map_or_else(
            |_| String::new(),
            |request| format!("  {}  {}", request.place, wording::duration(request.duration)),
        );
        vec![
            format!("{name}  {first}"),
            format!("{}  {asks}{place}  queue {}", job.user, job.queue),
            "if no new job arrives and every job runs as long as it may".to_owned(),
        ]
    }
}

/// Why no moment is searched for: in a word, and in words. A job that is not considered waits for no node.
fn no_moment(world: World<'_>, outcome: &Outcome) -> Option<(&'static str, String)> {
    let run = world.run();
    match run.excluded(outcome.job) {
        Some(why) => Some(("not considered", format!("not considered: {why}"))),
        None if run.verdict(outcome) == Verdict::Never => {
            Some(("never", "never: a explains what it asks for in vain".to_owned()))
        }
        None => None,
    }
}

fn short(world: World<'_>, outcome: &Outcome) -> String {
    qscope_engine::cluster::short_id(&outcome.name(world.snapshot())).to_owned()
}

/// The end of a job that starts at a moment; none without a walltime.
fn end(run: &Run, outcome: &Outcome, start: Epoch) -> Option<Epoch> {
    let length = run.plan.requests[outcome.job].as_ref().ok()?.duration;
    (length < Seconds::UNLIMITED).then(|| start + length)
}
