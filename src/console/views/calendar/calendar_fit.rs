//! Where the selected job fits: as planned in the scheduler's own calendar, or found by a worker between the known ends
//! and starts.

use std::sync::Arc;

use std::time::Instant;

use crate::effort::SnapshotPacer;
use crate::screen::{CycleRow, Serial};
use crate::task::{Computation, TaskNews};
use crate::views::timeline::{FitWindow, TimelineState};
use crate::views::{Effect, Pending, ViewContext};
use crate::wording;
use qscope_engine::cluster::{Epoch, InsertionOrderMap, JobId, Name, Seconds, deduplicated, short_id};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_engine::universe::{Bit, Occupant};
use qscope_explain::{FirstFit, decided, first_fit};

/// The selected job and its window.
#[derive(Debug, Default)]
pub(super) struct CalendarFit {
    /// The snapshot and the name of the job.
    request: Option<(Serial, String)>,
    window: Option<FitWindow>,
    searching: Pending<JobFit>,
    /// What a worker found; kept while the next search runs.
    fit: Option<Arc<JobFit>>,
    pacer: SnapshotPacer,
    requests: Vec<Effect>,
    /// Whether the calendar itself plans the job, so that its bar is in the picture already.
    planned: bool,
}

/// Maximum number of occupants named that leave the nodes of the window last.
const MAX_OCCUPANTS: usize = 3;

/// Where a job fits. Nodes are kept by name, because the next snapshot has other bits.
#[derive(Debug, Clone)]
struct JobFit {
    /// The time of the snapshot.
    now: Epoch,
    fit: Option<(FirstFit, Vec<Name>)>,
}

impl JobFit {
    fn of(run: &Arc<Run>, job: JobId) -> Self {
        let with_names = |fit: FirstFit| {
            let names = fit.nodes.iter().map(|bit| run.plan.node_name(*bit).clone()).collect();
            (fit, names)
        };
        Self { now: run.plan.snap.now, fit: first_fit(run, job).map(with_names) }
    }

    fn window(&self, name: &str, cx: ViewContext<'_>) -> Option<FitWindow> {
        let (fit, names) = self.fit.as_ref()?;
        let nodes = names.iter().filter_map(|name| cx.plan().bit_named.get(&**name).copied()).collect();
        Some(FitWindow::new(short_id(name).to_owned(), fit.start, fit.end, nodes))
    }
}

/// The final outcome of the selected job: one that was preempted after its start is considered again.
fn subject(cx: ViewContext<'_>) -> Option<&Outcome> {
    let (run, outcome) = (cx.run(), cx.subject()?);
    // Each subjob of an array has its own turn.
    let last = if run.plan.job(outcome.job).is_array() { None } else { decided(run, outcome.job) };
    Some(last.unwrap_or(outcome))
}

impl CalendarFit {
    /// Adapts to the selected job, and requests a search if needed.
    pub(super) fn take(&mut self, cx: ViewContext<'_>) {
        let run = cx.screen.serial;
        let request = cx.screen.subject_name().map(|name| (run, name));
        if self.request == request {
            return;
        }
        let is_same_job =
            self.request.as_ref().map(|(_, name)| name) == request.as_ref().map(|(_, name)| name);
        let Some(outcome) = subject(cx) else { return *self = Self { request, ..Self::default() } };
        let is_searched =
            outcome.placed.is_none() && outcome.estimate.is_none() && no_moment(cx, outcome).is_none();
        let has_some = self.searching.is_waiting() || self.fit.is_some();
        if is_same_job && is_searched && has_some && !self.pacer.may_compute(cx.keeps_pace) {
            // The running search is finished, and its result stays until the next search is due.
            return self.place(cx);
        }
        // While later snapshots follow, the last result stays until the next one arrives.
        let fit = self.fit.take().filter(|_| is_same_job && is_searched && cx.keeps_pace);
        *self = Self { request, fit, ..Self::default() };
        if let Some(top) = &outcome.estimate {
            self.planned = true;
            let to = end(cx.run(), outcome, top.start);
            let nodes = top.allocation.nodes();
            self.window = Some(FitWindow::new(short_reason(cx, outcome), top.start, to, nodes));
        } else if is_searched {
            let (run, job) = (cx.run().clone(), outcome.job);
            let fit = Computation::new("where the selected job fits", move |_| Some(JobFit::of(&run, job)));
            self.requests.push(self.searching.start(fit.counted(self.pacer.effort())));
            self.place(cx);
        }
    }

    /// When the forecast starts the job, if known and later than the first fit: jobs that start before it take the
    /// nodes.
    fn starts_at(&self, cx: ViewContext<'_>) -> Option<String> {
        let window = self.window()?;
        let at = cx.screen.start_of(subject(cx)?.job).filter(|at| *at > window.from)?;
        let text = |at| wording::start("~", cx.snapshot(), at);
        (text(at) != text(window.from)).then(|| text(at))
    }

    /// Maps the result to the nodes of the snapshot on the screen.
    fn place(&mut self, cx: ViewContext<'_>) {
        let found = self.fit.as_ref().zip(self.request.as_ref());
        self.window = found.and_then(|(found, (_, name))| found.window(name, cx));
    }

    pub(super) fn due(&self, cx: ViewContext<'_>) -> Option<Instant> {
        self.pacer.due(cx.keeps_pace)
    }

    /// Requests the forecast of start times, unless it is known or under way.
    pub(super) fn ask_for_starts(&mut self, cx: ViewContext<'_>) {
        self.requests.extend(cx.screen.analysis.starts.ask());
    }

    pub(super) fn requests(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.requests)
    }

    /// Takes the answer of a worker; returns whether it was for this search.
    pub(super) fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> bool {
        let Some(fit) = self.searching.take(news) else { return false };
        self.fit = Some(fit);
        self.place(cx);
        true
    }

    /// The window to draw; none for a planned job, which is in the picture already.
    pub(super) fn window(&self) -> Option<&FitWindow> {
        self.window.as_ref().filter(|_| !self.planned)
    }

    /// The selected job and its start, for the title.
    pub(super) fn note(&self, cx: ViewContext<'_>) -> String {
        let Some(outcome) = subject(cx) else {
            return running(cx)
                .map_or_else(String::new, |(name, ends, _)| format!("selected {name}: {ends}"));
        };
        let (name, snap) = (short_reason(cx, outcome), cx.snapshot());
        match &self.window {
            _ if cx.run().is_refused(outcome) => format!("selected {name}: refused by server"),
            _ if outcome.placed.is_some() => format!("selected {name}: starts now"),
            Some(window) if self.planned => {
                format!("selected {name}: {}", begins("planned", window, cx))
            }
            Some(window) => {
                let when = self.starts_at(cx).unwrap_or_else(|| begins("fits", window, cx));
                let fits = format!("selected {name}: {when}");
                let behind =
                    self.fit.as_ref().filter(|found| self.pacer.is_behind() || found.now != snap.now);
                let at = |found: &Arc<JobFit>| format!("{fits}, {}", wording::analysed_at(snap, found.now));
                behind.map_or(fits.clone(), at)
            }
            None if self.searching.is_waiting() => format!("selected {name}: computing"),
            None => match no_moment(cx, outcome) {
                Some((short, _)) => format!("selected {name}: {short}"),
                None => format!("selected {name}: fits nowhere here"),
            },
        }
    }

    /// What is the last to leave the nodes of the window, each with the time and the nodes, the latest first.
    fn last_to_leave(&self, timeline: &TimelineState, cx: ViewContext<'_>) -> Vec<String> {
        let Some(window) = &self.window else { return Vec::new() };
        let (plan, snap) = (cx.plan(), cx.snapshot());
        let mut found: InsertionOrderMap<(Epoch, Occupant), Vec<Bit>> = InsertionOrderMap::default();
        for lane in &timeline.schedule.lanes {
            let nodes: Vec<Bit> = lane.nodes.iter().copied().filter(|bit| window.has(*bit)).collect();
            if nodes.is_empty() {
                continue;
            }
            let before = lane.held.iter().filter_map(|held| Some((held.end?, held.occupant)));
            for key in before.filter(|(to, _)| *to > snap.now && *to <= window.from) {
                found.of(key, Vec::new).extend(&nodes);
            }
        }
        let mut found: Vec<_> = found.into_pairs().collect();
        found.sort_by_key(|((to, _), _)| std::cmp::Reverse(*to));
        let text = |(at, ((to, occupant), nodes)): (usize, ((Epoch, Occupant), Vec<Bit>))| {
            let head = if at == 0 { "before" } else { "" };
            let (name, until) = (timeline.name(plan, occupant), wording::time_of_day(snap, to));
            format!("{head:6}  {name} until {until} on {}", wording::node_list_within(plan, &nodes, 40))
        };
        found.into_iter().take(MAX_OCCUPANTS).enumerate().map(text).collect()
    }

    /// Describes the job and its window in lines.
    pub(super) fn words(&self, timeline: &TimelineState, cx: ViewContext<'_>) -> Vec<String> {
        let Some(outcome) = subject(cx) else {
            let text = running(cx).map(|(name, _, ends)| format!("{name}  {ends}"));
            return vec![text.unwrap_or_else(|| "no job is selected".to_owned())];
        };
        let (snap, plan) = (cx.snapshot(), cx.plan());
        let (name, job) = (short_reason(cx, outcome), plan.job(outcome.job));
        let asks = job.select.as_ref().map_or_else(String::new, |select| wording::select_words(select, "×"));
        let nodes = |nodes: &[qscope_engine::universe::Bit]| {
            wording::folded_within(nodes.iter().map(|bit| &**plan.node_name(*bit)), 30)
        };
        let time = |at| wording::time_of_day(snap, at);
        let first = match &self.window {
            _ if cx.run().is_refused(outcome) => wording::reason(cx.run(), outcome),
            _ if let Some(placed) = &outcome.placed => {
                format!("starts now on {}", nodes(&placed.allocation.nodes()))
            }
            Some(window) => {
                let word = if self.planned { "top job, planned" } else { "first fit" };
                let when = match wording::is_without_walltime(window.from - snap.now) {
                    true => "when a job without walltime ends,".to_owned(),
                    false => {
                        let to = window.to.map_or_else(String::new, |to| format!("–{}", time(to)));
                        format!("{}{to}", time(window.from))
                    }
                };
                // If other jobs start first, the title shows a later start.
                let alone = self.starts_at(cx).map_or("", |_| " if no other job starts");
                format!("{word} {when} on {}{alone}", nodes(&window.nodes))
            }
            None if self.searching.is_waiting() => "computing where it fits ...".to_owned(),
            None => match no_moment(cx, outcome) {
                Some((_, why)) => why,
                None => "fits at no moment of this calendar".to_owned(),
            },
        };
        let place = plan.requests[outcome.job].as_ref().map_or_else(
            |_| String::new(),
            |request| format!("  {}  {}", request.place, wording::duration(request.duration)),
        );
        let starts = self.starts_at(cx);
        let starts = starts.map(|at| format!("{at} by running the cycle forward: others start first"));
        let first = format!("{name}  {first}");
        let asks = format!("{}  {asks}{place}  queue {}", job.user, job.queue);
        let assumed = "if no new job arrives and every job runs as long as it may".to_owned();
        let waits = self.window.as_ref().and_then(|_| waits_now(cx, outcome));
        let last = self.last_to_leave(timeline, cx);
        let top = self.window.as_ref().filter(|_| !self.planned).and_then(|_| no_top_job(cx));
        let about = std::iter::once(first).chain(starts).chain([asks]).chain(waits);
        about.chain(last).chain(top).chain([assumed]).collect()
    }
}

/// Why a job with a place in the calendar does not start now; `None` for one that starts.
fn waits_now(cx: ViewContext<'_>, outcome: &Outcome) -> Option<String> {
    let reason = cx.reason(outcome).filter(|_| outcome.placed.is_none())?;
    Some(format!("waits  {}{}", wording::guess(&reason), reason.headline()))
}

/// The jobs that the calendar plans, for one that it does not plan; `None` if it plans none.
fn no_top_job(cx: ViewContext<'_>) -> Option<String> {
    let run = cx.run();
    let planned = run.outcomes().filter(|outcome| outcome.estimate.is_some() && !run.is_start(outcome));
    let names = deduplicated(planned.map(|outcome| short_reason(cx, outcome)));
    let named = wording::folded_within(names.iter().map(String::as_str), 40);
    let jobs = wording::count(names.len(), "job");
    (!names.is_empty()).then(|| format!("no top job: the calendar plans {jobs} ({named})"))
}

/// The start of the window after a word: `fits 05:33`.
fn begins(word: &str, window: &FitWindow, cx: ViewContext<'_>) -> String {
    let snap = cx.snapshot();
    match wording::is_without_walltime(window.from - snap.now) {
        true => wording::NO_END_KNOWN.to_owned(),
        false => format!("{word} {}", wording::time_of_day(snap, window.from)),
    }
}

/// The selected job if it already runs: its name, and when it ends, briefly and in a sentence.
fn running(cx: ViewContext<'_>) -> Option<(String, String, String)> {
    let row = cx.screen.subject.filter(|row| matches!(row, CycleRow::Running(_)))?;
    let (run, snap) = (cx.run(), cx.snapshot());
    let ends = row.record(run)?.ends();
    let (brief, ends) = match ends.map(|at| (at, wording::time_of_day(snap, at))) {
        Some((at, time)) if at < snap.now => {
            (format!("due {time}"), format!("runs, {}", wording::overdue_since(snap, at)))
        }
        Some((_, time)) => (format!("ends {time}"), format!("runs until {time} by its walltime")),
        None => ("runs".to_owned(), "runs, no walltime: no end known".to_owned()),
    };
    Some((short_id(&row.name(run)?).to_owned(), brief, ends))
}

/// Why no fit is searched, briefly and in a sentence. A job that is not considered waits for no node.
fn no_moment(cx: ViewContext<'_>, outcome: &Outcome) -> Option<(&'static str, String)> {
    let run = cx.run();
    match run.excluded(outcome.job) {
        Some(why) => Some(("not considered", format!("not considered: {why}"))),
        None if run.verdict(outcome) == Verdict::Never => {
            Some(("never starts", "never starts as configured · a explains why".to_owned()))
        }
        None => None,
    }
}

fn short_reason(cx: ViewContext<'_>, outcome: &Outcome) -> String {
    short_id(&outcome.name(cx.snapshot())).to_owned()
}

/// The end of a job that starts at `start`; `None` without a walltime.
fn end(run: &Run, outcome: &Outcome, start: Epoch) -> Option<Epoch> {
    let length = run.plan.requests[outcome.job].as_ref().ok()?.duration;
    (length < Seconds::UNLIMITED).then(|| start + length)
}
