//! The lines of the board: causes, and the jobs of each.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::grouped::JobGrouping;
use crate::theme::{Role, Theme};
use crate::views::cycle::overview::hours;
use crate::views::reason_values::bar_role;
use crate::widgets::bar::filled_cells;
use crate::widgets::table::{Cell, SortKey, TableColumn, Width};
use crate::wording::{self, stopped_by};
use qscope_engine::cluster::{JobId, Seconds, short_id};
use qscope_engine::cycle::{Outcome, Run};
use qscope_explain::{BoardRow, Tier, waiting_core_hours};

/// One cause and its jobs; all names are owned, because a line outlives the snapshot it was made from.
#[derive(Debug, Clone)]
pub(super) struct CauseLine {
    /// Identifies the line on the board.
    pub key: String,
    /// The tier of the reason; `None` where the jobs have several.
    pub(super) tier: Option<Tier>,
    /// The name of the reason, as in every table.
    pub(super) name: String,
    /// The object of the reason, or whom a limit counts; empty if the name contains it.
    pub(super) object: String,
    /// The word before the object in the title, if the object is a job: `behind`, `in use by`, `job`.
    pub(super) job_as: Option<&'static str>,
    pub example: String,
    /// The example in the list; without the job's name if the line has a single job.
    pub(super) brief: String,
    pub(super) core_hours: f64,
    /// Number of nodes that could hold a chunk; `None` where the jobs have several reasons.
    pub(super) nodes: Option<u64>,
    pub(super) analysed: bool,
    /// States how many of the jobs can never run, unless that is the reason itself.
    pub(super) never: Option<String>,
    pub jobs: Arc<[Arc<JobLine>]>,
}

/// One waiting job.
#[derive(Debug, Clone)]
pub(super) struct JobLine {
    /// Full id.
    pub name: String,
    /// Short id; of an array, with the subjobs that still wait.
    shown: String,
    pub(super) order: Option<u32>,
    pub(super) user: String,
    pub(super) queue: String,
    pub(super) core_hours: f64,
    select: String,
    place: String,
    /// Walltime; `None` where the request cannot be read.
    walltime: Option<Seconds>,
    why: String,
}

/// The lines of all jobs, by job.
pub(super) type JobLines = FxHashMap<JobId, Arc<JobLine>>;

/// Makes a line for every job of a cycle from its first outcome; for an array from the outcome of its remaining
/// subjobs, if there is one.
pub(super) fn job_lines(run: &Run) -> JobLines {
    let mut lines = JobLines::default();
    for outcome in run.outcomes() {
        let is_left = outcome.subjob.is_none() && run.plan.job(outcome.job).is_array();
        if is_left || !lines.contains_key(&outcome.job) {
            lines.insert(outcome.job, Arc::new(JobLine::of(run, outcome)));
        }
    }
    lines
}

impl CauseLine {
    pub(super) fn of(row: &BoardRow, jobs: &JobLines, run: &Run) -> Self {
        // Causes that are not analysed differ only by their text.
        let words = if row.object.is_empty() && row.kind == "scheduler" { &row.example } else { &row.object };
        // Such a node only hosts the jobs in the way; the reason is not about the node itself.
        let is_node = row.tier == Tier::Fragmented && run.plan.snap.node_named(&row.object).is_some();
        let object = match &*row.object {
            _ if is_node => "",
            // The job ahead of one of them is not ahead of all in the same way.
            _ if row.tier == Tier::Order && row.jobs.len() > 1 => "",
            // If no value of a resource is missing, there are too few nodes for the chunks.
            "" if row.kind == "too-many-chunks" => "too many chunks",
            // The attribute of a limit is in the name of the reason.
            _ if !row.limit_owner.is_empty() => &row.limit_owner,
            name if row.name.contains(name) => "",
            name if run.plan.snap.reservation_named(name).is_some() => short_id(name),
            name => name,
        };
        Self {
            key: format!("{} {} {words} {}", row.tier.word(), row.kind, row.limit_owner)
                .trim_end()
                .to_owned(),
            tier: Some(row.tier),
            name: row.name.clone(),
            object: object.to_owned(),
            job_as: run.plan.snap.job_named(&row.object).map(|_| match row.tier {
                Tier::Order => "behind",
                Tier::Fragmented | Tier::Short => "in use by",
                _ => "job",
            }),
            example: row.example.clone(),
            brief: if row.jobs.len() == 1 { row.short_sentence.clone() } else { row.example.clone() },
            core_hours: row.core_hours,
            nodes: Some(row.nodes),
            analysed: row.analysed,
            never: row.never_besides(),
            jobs: row.jobs.iter().filter_map(|job| jobs.get(job).cloned()).collect(),
        }
    }

    /// The reason in the list, with its object where the name lacks it: `never: ncpus`, `held by root`.
    pub(super) fn reason(&self) -> Cow<'_, str> {
        match &*self.name {
            name if self.job_as.is_some() || self.object.is_empty() => Cow::Borrowed(name),
            "held" => Cow::Owned(format!("held by {}", self.object)),
            name => Cow::Owned(format!("{name}: {}", self.object)),
        }
    }

    pub(super) fn title(&self) -> String {
        let about = match self.job_as {
            _ if self.object.is_empty() => String::new(),
            Some(word) => format!(" · {word} {}", short_id(&self.object)),
            None => format!(" · {}", self.object),
        };
        let nodes = match (self.analysed, self.nodes) {
            (false, _) | (_, None | Some(0)) => String::new(),
            // Nodes that hold a chunk do not help a job that can never run, or that a limit stops.
            _ if self.name.starts_with("never") || self.name.starts_with("limit") => String::new(),
            (true, Some(nodes)) => format!(", {} could hold a chunk", wording::count(nodes, "node")),
        };
        let jobs = wording::count(self.jobs.len(), "job");
        let never = self.never.as_ref().map(|never| format!(", {never}")).unwrap_or_default();
        format!("{}{about}: {jobs}, {} core-hours{nodes}{never}", self.name, hours(self.core_hours))
    }

    pub(super) fn some_jobs(&self) -> String {
        const MAX_NAMES: usize = 24;
        let names: Vec<&str> = self.jobs.iter().take(MAX_NAMES).map(|job| job.short()).collect();
        let more = self.jobs.len().saturating_sub(MAX_NAMES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}{more}", names.join(" "))
    }

    pub(super) fn words(&self) -> String {
        format!("{} {} {}", self.name, self.object, self.example)
    }
}

impl JobLine {
    fn of(run: &Run, outcome: &Outcome) -> Self {
        let job = run.plan.job(outcome.job);
        let request = run.plan.requests[outcome.job].as_ref().ok();
        Self {
            name: job.name.to_string(),
            shown: wording::waiting_name(run, outcome.job),
            order: outcome.order,
            user: job.user.to_string(),
            queue: job.queue.to_string(),
            core_hours: waiting_core_hours(run, outcome.job),
            select: job.select.as_ref().map(|select| wording::select_words(select, "×")).unwrap_or_default(),
            place: request.map(|request| request.place.to_string()).unwrap_or_default(),
            walltime: request.map(|request| request.duration),
            why: stopped_by(run, outcome),
        }
    }

    pub(super) fn short(&self) -> &str {
        &self.shown
    }

    fn walltime(&self) -> Cell<'_> {
        let written = match self.walltime {
            None => "-".to_owned(),
            Some(length) if length >= Seconds::UNLIMITED => "none".to_owned(),
            Some(length) => wording::duration(length),
        };
        Cell::of(Role::TextDim, written)
    }

    /// Sorts unlimited walltimes last.
    fn by_walltime(&self) -> SortKey {
        self.walltime.map_or(SortKey::Nothing, |length| SortKey::Number(length.0 as f64))
    }

    pub(super) fn words(&self) -> String {
        format!("{} {} {} {} {}", self.name, self.user, self.queue, self.select, self.why)
    }
}

/// Maximum columns of a reason with its object: `limit max_run_res.ncpus: all small`.
pub(super) const MAX_REASON: u16 = 34;

pub(super) type CauseColumn<'a> = TableColumn<'a, Rc<CauseLine>>;
pub(super) type JobLineColumn<'a> = TableColumn<'a, Rc<Arc<JobLine>>>;

/// The columns of causes; `most` is the largest sum of core-hours and fills the whole bar.
pub(super) fn cause_columns<'a>(
    grouping: JobGrouping,
    most: f64,
    bar: u16,
    theme: &'a Theme,
) -> Vec<CauseColumn<'a>> {
    let rest = if grouping == JobGrouping::Reason { "example" } else { "reasons" };
    let guess = theme.by_set("≈ ", "~ ");
    vec![
        CauseColumn::words(
            grouping.word(),
            Width::Between(if grouping == JobGrouping::Reason { 22 } else { 10 }, MAX_REASON),
            100,
            move |line| match line.analysed {
                true => Cell::new(line.reason()),
                false => Cell::of(Role::TextDim, format!("{guess}{}", line.reason())),
            },
        ),
        CauseColumn::numbers("jobs", 6, 95, |line| Cell::new(line.jobs.len().to_string())),
        CauseColumn::words("core-hours", Width::Fixed(bar), 80, move |line| {
            Cell::of(bar_role(line.tier), filled_cells(line.core_hours, most, usize::from(bar), theme))
        }),
        CauseColumn::numbers("c-h", 8, 90, |line| Cell::new(hours(line.core_hours))),
        CauseColumn::numbers("nodes", 6, 40, |line| match line.nodes.filter(|_| line.analysed) {
            Some(nodes) => Cell::new(nodes.to_string()),
            None => Cell::of(Role::TextDim, "-"),
        }),
        CauseColumn::words(rest, Width::Fill(8), 60, |line| Cell::of(Role::TextDim, line.brief.clone())),
    ]
}

/// The core-hours of a line.
pub(super) fn core_hours_of(line: &CauseLine) -> f64 {
    line.core_hours
}

/// The columns of jobs.
pub(super) fn job_columns<'a>() -> Vec<JobLineColumn<'a>> {
    let order =
        |job: &JobLine| Cell::of(Role::TextDim, job.order.map_or_else(|| "-".to_owned(), |n| n.to_string()));
    vec![
        JobLineColumn::numbers("#", 5, 70, move |job| order(job)),
        JobLineColumn::words("job", Width::Between(8, 16), 100, |job| Cell::new(job.short())),
        JobLineColumn::words("user", Width::Between(5, 10), 80, |job| Cell::new(&*job.user)),
        JobLineColumn::words("queue", Width::Between(6, 12), 75, |job| Cell::new(&*job.queue)),
        JobLineColumn::numbers("core-hours", 10, 65, |job| Cell::new(hours(job.core_hours))),
        JobLineColumn::words("asks", Width::Fill(14), 85, |job| Cell::new(&*job.select)),
        JobLineColumn::words("place", Width::Between(7, 24), 50, |job| Cell::of(Role::TextDim, &*job.place)),
        JobLineColumn::numbers("walltime", 8, 63, |job| job.walltime()).valued_by(|job| job.by_walltime()),
        JobLineColumn::words("stopped by", Width::Fill(14), 60, |job| Cell::of(Role::TextDim, &*job.why)),
    ]
}
